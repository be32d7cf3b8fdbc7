package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.Waiter;
import io.verbena.nic.support.Sleeper;
import io.verbena.nic.support.TestLink;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What waits while a link is full, for all or for bulk, and who is woken when it is not. */
@Timeout(180)
class FullLinkTest {
    private static final long PEER = 0xBEEF;

    /**
     * Takes so many packets. As a ring in shared memory it has nothing that is not sent; or it counts what it has not
     * flushed.
     */
    private static final class RingOfPackets extends TestLink {
        private final boolean counts;
        private int room;
        private int window; // 0: a ring; else a socket's, in bytes
        private int unsent;
        private int notReceived;
        private int claimed;

        RingOfPackets(int room, boolean counts) {
            super(PEER, 2048, new UnsafeBuffer(new byte[4096]));
            this.room = room;
            this.counts = counts;
        }

        @Override
        public int claim(int length) {
            claimed = length;
            return room == 0 || (window > 0 && unsent + length > window) ? NO_ROOM : 0;
        }

        @Override
        public void commit() {
            room--;
            unsent += claimed;
            notReceived += claimed;
        }

        @Override
        public void flush() {
            unsent = 0;
        }

        @Override
        public int unsent() {
            return counts ? unsent : 0;
        }

        @Override
        public boolean isFlushCostly() {
            return window > 0;
        }

        @Override
        public int ahead(int limit) {
            return counts ? notReceived : 0;
        }
    }

    /** A NIC with a link to the peer, and a queue pair of each class over it. */
    private static final class Sender implements AutoCloseable {
        final Nic nic;
        final CompletionQueue completions;
        final QueuePair urgent;
        final QueuePair bulk;
        final MemoryRegion region;
        final SendRequest request = new SendRequest();

        Sender(NicContext context, Link link, QpType ofUrgent, QpType ofBulk, ConnectAttributes attributes) {
            nic = Nic.open(context);
            nic.engine(0).listener().onLink(link);
            ProtectionDomain pd = nic.allocateProtectionDomain();
            completions = nic.createCompletionQueue(64);
            urgent = pd.createQueuePair(new QueuePairAttributes().type(ofUrgent).completionQueue(completions));
            bulk = pd.createQueuePair(new QueuePairAttributes().type(ofBulk).completionQueue(completions));
            urgent.connect(PEER, 7, attributes.pathMtu(1024));
            bulk.connect(PEER, 8, attributes);
            urgent.modify(new QpAttributes().trafficClass(TrafficClass.URGENT));
            region = pd.allocate(256 * 1024, 0);
        }

        static NicContext context(Waiter waiter) {
            return new NicContext().mode(EngineMode.INVOKER).waiters(waiter);
        }

        SendRequest send(int bytes) {
            return request.send().local(region.key(), 0, bytes);
        }

        void turns() {
            for (int i = 0; i < 50; i++) {
                nic.engine(0).doWork();
            }
        }

        @Override
        public void close() {
            nic.close();
        }
    }

    private static ConnectAttributes forever() {
        return new ConnectAttributes().timeout(0);
    }

    /** Posts while the owner sleeps; returns how often it was woken for that. */
    private static int wakes(RingOfPackets link) {
        Sleeper sleeper = new Sleeper();
        try (Sender sender = new Sender(Sender.context(sleeper), link, QpType.RC, QpType.RC, forever())) {
            sender.nic.engine(0).doWork();
            sleeper.wakes = 0;
            sleeper.meanwhile = () -> {
                sender.bulk.post(sender.send(64 * 1024));
                sender.bulk.doorbell();
            };
            sender.nic.engine(0).await(1_000_000_000L);
            assertThat(sleeper.awaits).isOne();
            return sleeper.wakes;
        }
    }

    @Test
    void nobodyIsWokenForARingThatIsFull() {
        RingOfPackets ring = new RingOfPackets(3, false);
        assertThat(wakes(ring)).isZero();
        assertThat(ring.room).isZero();
    }

    @Test
    void theOwnerIsWokenWhenALinkThatWasFullForBulkHasSentSome() {
        RingOfPackets link = new RingOfPackets(1000, true);
        assertThat(wakes(link)).isPositive();
        assertThat(link.room).isBetween(1, 999);
    }

    @Test
    void theOwnerDoesNotFallAsleepOverRoomThatTheTurnOfAnotherHasLeft() {
        RingOfPackets link = new RingOfPackets(1000, true);
        Sleeper sleeper = new Sleeper();
        try (Sender sender = new Sender(Sender.context(sleeper), link, QpType.RC, QpType.RC, forever())) {
            sender.turns();
            sleeper.wakes = 0;
            sleeper.owned = false;
            sender.bulk.post(sender.send(64 * 1024));
            sender.bulk.doorbell();
            sleeper.owned = true;
            int sent = 1000 - link.room;
            assertThat(sent).isBetween(1, 63);
            assertThat(sleeper.wakes).as("he was awake").isZero();

            sender.nic.engine(0).await(1_000_000_000L);
            assertThat(sleeper.awaits).isZero();
            for (int i = 0; i < 50; i++) {
                link.notReceived = 0;
                sender.nic.engine(0).doWork();
            }
            assertThat(1000 - link.room).isEqualTo(64);
            sender.nic.engine(0).await(1_000_000_000L);
            assertThat(sleeper.awaits).as("nothing is left").isOne();
        }
    }

    @Test
    void whoWasRefusedRoomThatTheTurnOfAnotherMakesHasATurnOfTheOwners() {
        RingOfPackets link = new RingOfPackets(1000, true);
        link.window = 4 * 1100;
        Sleeper sleeper = new Sleeper();
        try (Sender sender = new Sender(Sender.context(sleeper), link, QpType.RC, QpType.RC, forever())) {
            sender.urgent.close();
            sender.turns();
            sleeper.wakes = 0;
            sleeper.meanwhile = () -> {
                sleeper.owned = false;
                sender.bulk.post(sender.send(8 * 1024));
                sender.bulk.doorbell();
                sleeper.owned = true;
            };
            sender.nic.engine(0).await(1_000_000_000L);
            assertThat(1000 - link.room).isEqualTo(4);
            assertThat(link.unsent).isZero();
            assertThat(sleeper.wakes).isOne();

            sender.nic.engine(0).await(1_000_000_000L);
            assertThat(sleeper.awaits).as("nor would he have slept").isOne();
            sender.nic.engine(0).doWork();
            assertThat(1000 - link.room).isEqualTo(8);
        }
    }

    @Test
    void thereIsATurnBeforeAnOwnerSleepsWhoHasMissedHis() {
        Sleeper sleeper = new Sleeper();
        try (Nic nic = Nic.open(Sender.context(sleeper))) {
            Engine engine = nic.engine(0);
            engine.doWork();
            engine.call(
                    () -> { // which holds the baton
                        engine.doWork();
                        engine.await(1_000_000_000L);
                        assertThat(sleeper.awaits).isZero();
                    });
            assertThat(engine.hasWork()).isTrue();
            sleeper.owned = false; // anybody's turn will do
            engine.doWork();
            sleeper.owned = true;
            assertThat(engine.hasWork()).isFalse();
            engine.await(1_000_000_000L);
            assertThat(sleeper.awaits).isOne();
        }
    }

    @Test
    void bulkWaitsWhileThePeerHasNotReceivedWhatIsAhead() {
        RingOfPackets link = new RingOfPackets(1000, true);
        int window = 8 * 1024;
        NicContext context = Sender.context(new Sleeper()).urgentWindow(window);
        try (Sender sender = new Sender(context, link, QpType.RC, QpType.RC, forever())) {
            sender.bulk.postSend(sender.send(256 * 1024));

            sender.turns();
            assertThat(link.notReceived).isBetween(2 * window - 1024, 2 * window + 2048);

            int sent = 1000 - link.room;
            sender.urgent.postSend(sender.send(64));
            sender.turns();
            assertThat(1000 - link.room).as("the urgent packet alone").isEqualTo(sent + 1);

            link.notReceived -= window;
            sender.turns();
            assertThat(link.notReceived).isBetween(2 * window - 1024, 2 * window + 2048);

            sender.urgent.modify(new QpAttributes().state(QpState.ERR));
            sender.urgent.close();
            sender.turns();
            assertThat(1000 - link.room).as("nothing urgent uses the link").isEqualTo(256 + 1);
        }
    }

    @Test
    void whatNeedsNoAnswerEndsWhereALinkGoesDownThatWasFullForBulk() {
        RingOfPackets link = new RingOfPackets(1000, true);
        NicContext context = Sender.context(new Sleeper());
        try (Sender sender = new Sender(context, link, QpType.RC, QpType.UC, new ConnectAttributes())) {
            sender.bulk.postSend(sender.send(256 * 1024).wrId(5));
            sender.turns();
            assertThat(1000 - link.room).isLessThan(256);

            link.state = Link.State.DOWN;
            sender.turns();
            long[] ended = new long[1];
            assertThat(sender.completions.poll(completion -> ended[0] = completion.wrId(), 4))
                    .isOne();
            assertThat(ended[0]).isEqualTo(5);
        }
    }

    @Test
    void whoWaitsItsTurnOnALinkThatTakesOthersPacketsDoesNotTimeOut() {
        RingOfPackets link = new RingOfPackets(1000, true);
        AtomicLong now = new AtomicLong(1);
        NicContext context = Sender.context(new Sleeper()).clock(now::get).urgentWindow(8 * 1024);
        ConnectAttributes attributes = new ConnectAttributes().timeout(14).retryCount(7); // 67 ms
        try (Sender sender = new Sender(context, link, QpType.UC, QpType.RC, attributes)) {
            link.notReceived = 1 << 20; // no room for bulk, and some for what is urgent
            sender.bulk.postSend(sender.send(64 * 1024).wrId(8));

            for (int i = 0; i < 500; i++) { // 2.5 s
                sender.urgent.postSend(sender.send(64).signaled(false));
                sender.turns(); // ends with one in which bulk had no room, and nothing went
                now.addAndGet(5_000_000);
                sender.nic.engine(0).doWork();
                link.flush();
            }
            assertThat(sender.bulk.state()).isEqualTo(QpState.RTS);
            assertThat(1000 - link.room).as("urgent packets alone").isEqualTo(500);

            for (int i = 0; i < 500 && sender.bulk.state() == QpState.RTS; i++) { // and now nothing goes
                now.addAndGet(5_000_000);
                sender.turns();
            }
            assertThat(sender.bulk.state()).isEqualTo(QpState.ERR);
        }
    }

    /**
     * Most bytes that lay ahead of a peer which looks each so many nanoseconds, while three groups send, one of them
     * urgently.
     */
    private static int mostAhead(long lookNanos) {
        RingOfPackets link = new RingOfPackets(Integer.MAX_VALUE, true);
        AtomicLong now = new AtomicLong(1);
        NicContext context = Sender.context(new Sleeper()).clock(now::get).urgentWindow(8 * 1024);
        try (Nic nic = Nic.open(context)) {
            nic.engine(0).listener().onLink(link);
            QueuePairAttributes attributes =
                    new QueuePairAttributes().type(QpType.UC).completionQueue(nic.createCompletionQueue(64));
            ProtectionDomain pd = nic.allocateProtectionDomain(nic.createGroup(new GroupAttributes().name("bulk")));
            QueuePair bulk = pd.createQueuePair(attributes);
            QueuePair urgent = nic.allocateProtectionDomain(nic.createGroup(new GroupAttributes().name("urgent")))
                    .createQueuePair(attributes);
            ProtectionDomain others = nic.allocateProtectionDomain(nic.createGroup(new GroupAttributes().name("more")));
            QueuePair more = others.createQueuePair(attributes);
            bulk.connect(PEER, 7, new ConnectAttributes().pathMtu(1024));
            urgent.connect(PEER, 8, new ConnectAttributes().pathMtu(1024));
            more.connect(PEER, 9, new ConnectAttributes().pathMtu(1024));
            MemoryRegion theirs = others.allocate(64 * 1024, 0);
            urgent.modify(new QpAttributes().trafficClass(TrafficClass.URGENT));
            MemoryRegion region = pd.allocate(64 * 1024, 0);
            UnsafeBuffer small = new UnsafeBuffer(new byte[8]);
            SendRequest request = new SendRequest();
            int most = 0;
            long looks = 0;
            while (now.get() < 1_000_000_000L) {
                urgent.postSend(request.send().inline(small, 0, 8).signaled(false));
                bulk.postSend(request.send().local(region.key(), 0, 64 * 1024).signaled(false));
                more.postSend(request.send().local(theirs.key(), 0, 64 * 1024).signaled(false));
                nic.engine(0).doWork();
                most = Math.max(most, link.notReceived);
                now.addAndGet(100_000);
                if (now.get() / lookNanos != looks) {
                    looks = now.get() / lookNanos;
                    link.notReceived = 0;
                }
            }
            return most;
        }
    }

    @Test
    void bulkBesideUrgentPacketsFillsTheTimeThatAPeerTakesToLook() {
        assertThat(mostAhead(500_000)).isBetween(14 * 1024, 24 * 1024);
        assertThat(mostAhead(10_000_000))
                .isBetween(60 * 1024, 200 * 1024); // 16 KiB for each millisecond of the least delay
    }
}

package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.transport.Path;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An engine without a thread of its own: doorbells that ring while others hold the baton, links that go and come,
 * timers.
 */
class EngineTest {
    private static final long PEER = 0xB0;
    private static final int PEER_QP = 77;
    private static final int PSN = 100;
    private static final long TIMEOUT = 4096L << 10;

    private final AtomicLong clock = new AtomicLong(1_000_000_000);
    private final Nic nic = Nic.open(
            new NicContext().id(0xA0).mode(EngineMode.INVOKER).clock(clock::get).backgroundThread(false));
    private final Engine engine = nic.engine(0);
    private final ProtectionDomain pd = nic.allocateProtectionDomain();
    private final CompletionQueue completions = nic.createCompletionQueue(64);
    private final MemoryRegion region = pd.allocate(4096, Access.ALL);
    private final HookedLink link = new HookedLink(PEER);
    private final List<String> done = new ArrayList<>();

    @AfterEach
    void close() {
        nic.close();
    }

    private QueuePair queuePair(QpType type) {
        QueuePair qp = pd.createQueuePair(new QueuePairAttributes().type(type).completionQueue(completions));
        ConnectAttributes attributes =
                new ConnectAttributes().pathMtu(1024).sendPsn(PSN).receivePsn(PSN);
        qp.connect(PEER, PEER_QP, type == QpType.RC ? attributes.timeout(10).retryCount(3) : attributes);
        return qp;
    }

    private void attach(HookedLink to) {
        engine.listener().onLink(to);
        engine.doWork();
    }

    private void send(QueuePair qp, long id) {
        SendRequest request =
                new SendRequest().send().wrId(id).local(region.key(), 0, 8).signaled(true);
        assertThat(qp.postSend(request)).isEqualTo(PostResult.POSTED);
    }

    private List<String> done() {
        done.clear();
        completions.poll(c -> done.add(c.wrId() + " " + c.status()), 64);
        return done;
    }

    private List<String> portEvents() {
        List<String> types = new ArrayList<>();
        for (AsyncEvent e = nic.pollAsyncEvent(); e != null; e = nic.pollAsyncEvent()) {
            types.add(e.type().name());
            e.acknowledge();
        }
        return types;
    }

    /** Another thread posts, and has returned when this does. */
    private void sendElsewhere(QueuePair qp, long id) {
        Thread poster = new Thread(() -> send(qp, id));
        poster.start();
        try {
            poster.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private UnsafeBuffer packet(Opcode opcode, int to, int from, int psn) {
        UnsafeBuffer b = new UnsafeBuffer(new byte[opcode.headerLength()]);
        BthFlyweight.encode(b, 0, opcode.code(), 0, to, psn, from);
        if (opcode.aethOffset() != Opcode.ABSENT) {
            AethFlyweight.encode(b, opcode.aethOffset(), AethSyndrome.ACK, 1);
        }
        return b;
    }

    // ---- doorbells -----------------------------------------------------------------------------------------------

    @Test
    void posterSendsByItselfWhereNobodyHoldsTheBaton() {
        attach(link);
        send(queuePair(QpType.UC), 1);
        assertThat(link.sent).containsExactly("SEND_ONLY 100");
        assertThat(done()).containsExactly("1 SUCCESS");
        assertThat(engine.hasWork()).isFalse();
    }

    @Test
    void posterThatSendsDoesWhatWasRungForMeanwhile() {
        attach(link);
        QueuePair first = queuePair(QpType.UC);
        QueuePair second = queuePair(QpType.UC);
        link.onFlush = () -> sendElsewhere(second, 2); // behind the last look at the doorbells under this baton
        send(first, 1);
        assertThat(link.sent).hasSize(2);
        assertThat(done()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(engine.hasWork()).isFalse();
    }

    @Test
    void turnThatEndsWithADoorbellSaysThatThereIsWork() {
        attach(link);
        QueuePair first = queuePair(QpType.RC);
        QueuePair second = queuePair(QpType.UC);
        link.onFlush = () -> sendElsewhere(second, 2);
        link.bring(packet(Opcode.SEND_ONLY, first.number(), PEER_QP, PSN)); // is answered: the link is flushed
        assertThat(engine.doWork()).isPositive();
        assertThat(link.sent).isEmpty();
        assertThat(engine.hasWork()).isTrue();
        assertThat(engine.doWork()).isPositive();
        assertThat(done()).containsExactly("2 SUCCESS");
    }

    @Test
    void doorbellRungWhileTheBatonIsHeldIsHeardByTheNextTurn() {
        attach(link);
        QueuePair qp = queuePair(QpType.UC);
        QueuePair urgent = queuePair(QpType.UC);
        engine.call(() -> {
            sendElsewhere(qp, 1);
            sendElsewhere(qp, 2);
            sendElsewhere(urgent, 3);
        });
        assertThat(link.sent).isEmpty();
        assertThat(engine.hasWork()).isTrue();
        engine.doWork();
        assertThat(done()).containsExactlyInAnyOrder("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(engine.hasWork()).isFalse();
        assertThat(engine.doWork()).isZero();
    }

    @Test
    void doorbellCanBeRungAgainOnceItWasHeard() {
        attach(link);
        QueuePair qp = queuePair(QpType.UC);
        for (int i = 0; i < 3; i++) {
            int id = i;
            engine.call(() -> sendElsewhere(qp, id));
            engine.doWork();
            assertThat(done()).containsExactly(i + " SUCCESS");
        }
    }

    @Test
    void nothingIsLeftWhenAllPostersHaveReturned() throws InterruptedException {
        attach(link);
        int threads = 3;
        int rounds = 2000;
        CompletionQueue many = nic.createCompletionQueue(16 * 1024);
        List<Thread> posters = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            QueuePair qp = pd.createQueuePair(new QueuePairAttributes()
                    .type(QpType.UC)
                    .completionQueue(many)
                    .maxSend(64));
            qp.connect(PEER, PEER_QP, new ConnectAttributes().pathMtu(1024));
            posters.add(new Thread(() -> {
                SendRequest request =
                        new SendRequest().send().local(region.key(), 0, 8).signaled(true);
                for (int r = 0; r < rounds; ) {
                    if (qp.postSend(request) == PostResult.POSTED) {
                        r++;
                    }
                }
            }));
        }
        posters.forEach(Thread::start);
        for (Thread poster : posters) {
            poster.join();
        }
        int[] count = new int[1];
        while (many.poll(c -> count[0]++, 1024) > 0) {}
        assertThat(count[0]).isEqualTo(threads * rounds); // and nobody has driven the engine
        assertThat(engine.hasWork()).isFalse();
    }

    // ---- commands ------------------------------------------------------------------------------------------------

    @Test
    void commandIsRunAtOnceOrBeforeTheNextTurnSends() {
        List<String> order = new ArrayList<>();
        engine.callSoon(() -> order.add("free"));
        assertThat(order).containsExactly("free");
        engine.call(() -> {
            engine.callSoon(() -> order.add("held"));
            order.add("call");
        });
        assertThat(order).containsExactly("free", "call");
        assertThat(engine.hasWork()).isTrue();
        engine.doWork();
        assertThat(order).containsExactly("free", "call", "held");
    }

    @Test
    void turnWithinATurnDoesNothing() {
        int[] work = {-1};
        engine.call(() -> work[0] = engine.doWork());
        assertThat(work[0]).isZero();
    }

    @Test
    void batonIsLetGoWhenACommandThrows() {
        assertThatThrownBy(() -> engine.call(() -> {
                    throw new IllegalStateException("of the test");
                }))
                .hasMessage("of the test");
        int[] ran = new int[1];
        engine.call(() -> ran[0]++);
        assertThat(ran[0]).isOne();
    }

    // ---- links ---------------------------------------------------------------------------------------------------

    @Test
    void linkThatComesSendsWhatWaitedForIt() {
        QueuePair qp = queuePair(QpType.RC);
        send(qp, 1);
        engine.doWork();
        assertThat(done()).isEmpty();
        attach(link);
        engine.doWork();
        assertThat(link.sent).containsExactly("SEND_ONLY 100");
        assertThat(portEvents()).containsExactly("PORT_ACTIVE");
        link.bring(packet(Opcode.ACKNOWLEDGE, qp.number(), PEER_QP, 100));
        engine.doWork();
        assertThat(done()).containsExactly("1 SUCCESS");
    }

    @Test
    void linkThatGoesAndComesGoesOnWhereItWas() {
        QueuePair qp = queuePair(QpType.RC);
        attach(link);
        send(qp, 1);
        send(qp, 2);
        assertThat(link.sent).containsExactly("SEND_ONLY 100", "SEND_ONLY 101");
        link.bring(packet(Opcode.ACKNOWLEDGE, qp.number(), PEER_QP, 100));
        engine.doWork();
        assertThat(done()).containsExactly("1 SUCCESS");
        link.state = Link.State.DOWN;
        engine.doWork();
        assertThat(portEvents()).containsExactly("PORT_ACTIVE", "PORT_ERR");
        HookedLink next = new HookedLink(PEER);
        attach(next);
        send(qp, 3);
        assertThat(next.sent).containsExactly("SEND_ONLY 101", "SEND_ONLY 102");
        clock.addAndGet(2 * TIMEOUT);
        engine.doWork();
        assertThat(next.sent).containsExactly("SEND_ONLY 101", "SEND_ONLY 102", "SEND_ONLY 101", "SEND_ONLY 102");
        next.bring(packet(Opcode.ACKNOWLEDGE, qp.number(), PEER_QP, 102));
        engine.doWork();
        assertThat(done()).containsExactly("2 SUCCESS", "3 SUCCESS");
        assertThat(link.sent).hasSize(2);
    }

    @Test
    void linkOfAPeerThatIsDeadEndsItsQueuePairs() {
        QueuePair qp = queuePair(QpType.RC);
        attach(link);
        send(qp, 1);
        link.state = Link.State.DEAD;
        engine.doWork();
        assertThat(done()).containsExactly("1 RETRY_EXC_ERR");
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void retriesEndAtTheClocksTime() {
        QueuePair qp = queuePair(QpType.RC);
        attach(link);
        send(qp, 1);
        long start = clock.get();
        for (int i = 1; i <= 4; i++) {
            assertThat(engine.nextDeadlineNanos()).isEqualTo(start + i * TIMEOUT);
            clock.set(start + i * TIMEOUT - 1);
            engine.doWork();
            assertThat(link.sent).hasSize(i);
            clock.set(start + i * TIMEOUT);
            engine.doWork();
        }
        assertThat(link.sent).hasSize(4);
        assertThat(done()).containsExactly("1 RETRY_EXC_ERR");
    }

    @Test
    void linkWithoutRoomIsAskedAgainInTheNextTurn() {
        QueuePair qp = queuePair(QpType.RC);
        attach(link);
        link.hasRoom = false;
        send(qp, 1);
        engine.doWork();
        assertThat(link.sent).isEmpty();
        link.hasRoom = true;
        engine.doWork();
        assertThat(link.sent).containsExactly("SEND_ONLY 100");
    }

    // ---- packets -------------------------------------------------------------------------------------------------

    @Test
    void packetsForNobodyAreCountedAndForgotten() {
        QueuePair rc = queuePair(QpType.RC);
        QueuePair uc = queuePair(QpType.UC);
        attach(link);
        link.bring(new UnsafeBuffer(new byte[15])); // shorter than a header
        link.bring(new UnsafeBuffer(new byte[16])); // of no version
        link.bring(packet(Opcode.SEND_ONLY, 2047, PEER_QP, PSN)); // to no queue pair
        link.bring(packet(Opcode.SEND_ONLY, rc.number(), PEER_QP + 1, PSN)); // of another one
        link.bring(
                packet(Opcode.ACKNOWLEDGE, uc.number(), PEER_QP, PSN)); // that a connection of this kind does not know
        engine.doWork();
        assertThat(engine.counter(NicCounter.PACKETS_REJECTED)).isEqualTo(5);
        assertThat(engine.counter(NicCounter.PACKETS_RECEIVED)).isEqualTo(5);
        assertThat(rc.state()).isEqualTo(QpState.RTS);
        assertThat(link.state).isEqualTo(Link.State.UP);
    }

    @Test
    void packetOfAnotherNicThanThePeersIsRejected() {
        QueuePair rc = queuePair(QpType.RC);
        attach(link);
        HookedLink stranger = new HookedLink(0xC0);
        attach(stranger);
        stranger.bring(packet(Opcode.SEND_ONLY, rc.number(), PEER_QP, PSN));
        engine.doWork();
        assertThat(engine.counter(NicCounter.PACKETS_REJECTED)).isOne();
    }

    @Test
    void acknowledgementLeavesInTheTurnAfterItsRequest() {
        QueuePair rc = queuePair(QpType.RC);
        attach(link);
        rc.postReceive(11, region.key(), 0, 64);
        UnsafeBuffer request = packet(Opcode.SEND_ONLY, rc.number(), PEER_QP, PSN);
        BthFlyweight.flags(request, 0, BthFlyweight.ACK_REQUEST);
        link.bring(request);
        engine.doWork();
        assertThat(link.sent).isEmpty();
        assertThat(engine.hasWork()).isTrue();
        engine.doWork();
        assertThat(link.sent).containsExactly("ACKNOWLEDGE 100");
        assertThat(done()).containsExactly("11 SUCCESS");
        assertThat(engine.hasWork()).isFalse();
    }

    @Test
    void completionQueueThatOverrunsEndsItsQueuePairs() {
        CompletionQueue small = nic.createCompletionQueue(2);
        QueuePair qp =
                pd.createQueuePair(new QueuePairAttributes().type(QpType.UC).completionQueue(small));
        qp.connect(PEER, PEER_QP, new ConnectAttributes().pathMtu(1024));
        attach(link);
        portEvents();
        for (int i = 0; i < 3; i++) {
            send(qp, i);
        }
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(portEvents()).containsExactly("CQ_ERR", "QP_FATAL");
        assertThat(engine.counter(NicCounter.COMPLETIONS_DROPPED)).isOne();
    }

    @Test
    void closeClosesLinksAndGivesThemBack() {
        attach(link);
        nic.close();
        assertThat(link.state).isEqualTo(Link.State.CLOSED);
        assertThat(link.released).isOne();
    }

    // ---- peers that come and go
    // --------------------------------------------------------------------------------------

    private Path path() {
        Path[] path = new Path[1];
        engine.call(() -> path[0] = engine.path(PEER));
        return path[0];
    }

    /** Neither those that had a link, nor those that had none. */
    @Test
    void peersThatWereHereLeaveNoPath() {
        attach(link);
        QueuePair qp = queuePair(QpType.RC);
        Path way = path();
        link.state = Link.State.DOWN;
        engine.doWork();
        assertThat(path()).as("a queue pair goes along it").isSameAs(way);
        qp.close();
        assertThat(path()).as("nobody does").isNotSameAs(way);
        HookedLink again = new HookedLink(PEER);
        attach(again);
        way = path();
        again.state = Link.State.DEAD;
        engine.doWork();
        assertThat(path()).as("a link was all that there was").isNotSameAs(way);
    }
}

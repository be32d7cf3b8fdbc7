package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendSource;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.support.Sleeper;
import io.verbena.nic.support.TestLink;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When what is posted leaves: at once, or with the next turn and in one system call with others. */
@Timeout(180)
class PostedRequestsTest {
    private static final long PEER = 0xBEEF;
    private static final int MAX_SEND = 64;

    /** Counts what it is given, and answers nothing. */
    private static final class CountingLink extends TestLink {
        private final boolean costly;
        private int committed;
        private int sent;
        private int flushes;
        private @Nullable UnsafeBuffer inbound; // a packet

        CountingLink(boolean costly) {
            super(PEER, 2048, new UnsafeBuffer(new byte[4096]));
            this.costly = costly;
        }

        @Override
        public void commit() {
            committed++;
        }

        @Override
        public void flush() {
            if (sent < committed) {
                sent = committed;
                flushes++;
            }
        }

        @Override
        public boolean isFlushCostly() {
            return costly;
        }

        @Override
        public int poll(PacketHandler handler, int limit) {
            UnsafeBuffer packet = inbound;
            if (packet == null) {
                return 0;
            }
            inbound = null;
            handler.onPacket(this, packet, 0, packet.capacity());
            return 1;
        }

        @Override
        public boolean hasInbound() {
            return inbound != null;
        }
    }

    private final SendRequest request = new SendRequest();
    private final UnsafeBuffer data = new UnsafeBuffer(new byte[32]);
    private final Sleeper sleeper = new Sleeper();
    private long now = 1_000_000;
    private @Nullable CompletionQueue completions;
    private final Nic nic =
            Nic.open(new NicContext().mode(EngineMode.INVOKER).clock(() -> now).waiters(sleeper));

    @AfterEach
    void close() {
        nic.close();
    }

    private QueuePair connected(CountingLink link) {
        return connected(link, QpType.RC, new ConnectAttributes());
    }

    private QueuePair connected(CountingLink link, QpType type, ConnectAttributes attributes) {
        nic.engine(0).listener().onLink(link);
        CompletionQueue cq = nic.createCompletionQueue(64);
        completions = cq;
        QueuePair qp = nic.allocateProtectionDomain()
                .createQueuePair(new QueuePairAttributes()
                        .type(type)
                        .completionQueue(cq)
                        .maxSend(MAX_SEND)
                        .maxInline(data.capacity()));
        qp.connect(PEER, 7, attributes.pathMtu(1024));
        nic.engine(0).doWork();
        sleeper.wakes = 0;
        return qp;
    }

    private void post(QueuePair qp, int requests) {
        for (int i = 0; i < requests; i++) {
            assertThat(qp.postSend(send())).isEqualTo(PostResult.POSTED);
        }
    }

    private SendRequest send() {
        return request.send().inline(data, 0, data.capacity());
    }

    @Test
    void aRequestThatNothingIsBeforeGoesAtOnce() {
        CountingLink link = new CountingLink(true);
        post(connected(link), 1);
        assertThat(link.sent).isOne();
    }

    @Test
    void whatIsPostedWhileAnAnswerIsDueSharesTheNextTurnsFlush() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link);
        post(qp, 17);
        assertThat(link.sent).isOne();
        nic.engine(0).doWork();
        assertThat(link.sent).isEqualTo(17);
        assertThat(link.flushes).isEqualTo(2);
    }

    /** What posters of a queue pair that many share have posted, each to a queue of its own. */
    private static final class Source implements SendSource {
        private final List<SendRing> queues = new ArrayList<>();

        @Override
        public void fill(SendRing ring) {
            for (SendRing queue : queues) {
                while (queue.hasNext()) {
                    int slot = queue.slot(queue.next());
                    ring.buffer().putBytes(ring.claim(), queue.buffer(), slot, SendWqeDescriptor.DATA + 32);
                    ring.posted();
                    queue.advanceNext();
                }
            }
            ring.publish();
        }

        @Override
        public void completed(long before) {}

        @Override
        public int weight() {
            return 1;
        }
    }

    @Test
    void whatAnotherPosterAwaitsAnAnswerForIsWaitedWithToo() {
        CountingLink link = new CountingLink(true);
        nic.engine(0).listener().onLink(link);
        QueuePair qp = nic.allocateProtectionDomain()
                .createQueuePair(new QueuePairAttributes()
                        .completionQueue(nic.createCompletionQueue(64))
                        .maxSend(MAX_SEND)
                        .maxInline(data.capacity()));
        Source source = new Source();
        SendFeed feed = qp.feed(source);
        qp.connect(PEER, 7, new ConnectAttributes().pathMtu(1024));
        nic.engine(0).doWork();
        for (int i = 0; i < 17; i++) {
            SendRing queue = feed.queue(1);
            source.queues.add(queue);
            assertThat(feed.post(send(), queue)).isEqualTo(PostResult.POSTED);
            boolean soon = feed.mayRingSoon();
            queue.publish();
            if (soon) {
                feed.ringSoon();
            } else {
                feed.ring();
            }
        }
        assertThat(link.sent).isOne();
        nic.engine(0).doWork();
        assertThat(link.sent).isEqualTo(17);
        assertThat(link.flushes).isEqualTo(2);
    }

    @Test
    void ofWhatASourceGaveOnlyWhatIsSignaledIsReportedWhenItIsFlushed() {
        nic.engine(0).listener().onLink(new CountingLink(true));
        CompletionQueue completions = nic.createCompletionQueue(64);
        QueuePair qp = nic.allocateProtectionDomain()
                .createQueuePair(new QueuePairAttributes()
                        .completionQueue(completions)
                        .maxSend(MAX_SEND)
                        .maxInline(data.capacity()));
        Source source = new Source();
        SendFeed feed = qp.feed(source);
        qp.connect(PEER, 7, new ConnectAttributes().pathMtu(1024));
        for (int i = 0; i < 5; i++) {
            SendRing queue = feed.queue(1);
            source.queues.add(queue);
            assertThat(feed.post(send().wrId(i).signaled(i == 3), queue)).isEqualTo(PostResult.POSTED);
            queue.publish();
        }
        feed.ring();
        nic.engine(0).doWork();
        qp.modify(new QpAttributes().state(QpState.ERR));
        nic.engine(0).doWork();
        List<Long> reported = new ArrayList<>();
        completions.poll(
                c -> {
                    assertThat(c.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
                    reported.add(c.wrId());
                },
                64);
        assertThat(reported).containsExactly(3L);
    }

    @Test
    void aPostLongAfterTheLastTurnGoesAtOnceWithTheRest() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link);
        post(qp, 5);
        now += TimeUnit.MICROSECONDS.toNanos(21);
        post(qp, 1);
        assertThat(link.sent).isEqualTo(6);
        post(qp, 1); // that was a turn
        assertThat(link.sent).isEqualTo(6);
        now += TimeUnit.MICROSECONDS.toNanos(21);
        nic.engine(0).doWork();
        post(qp, 1); // and so was this
        assertThat(link.sent).isEqualTo(7);
    }

    @Test
    void nothingWaitsForALinkWhoseFlushCostsNothing() {
        CountingLink link = new CountingLink(false);
        post(connected(link), 17);
        assertThat(link.sent).isEqualTo(17);
        assertThat(link.flushes).isEqualTo(17);
    }

    @Test
    void aDoorbellSendsWhatWaits() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link);
        post(qp, 5);
        qp.doorbell();
        assertThat(link.sent).isEqualTo(5);
        post(qp, 1);
        assertThat(qp.postSend(List.of(send()))).isOne();
        assertThat(link.sent).isEqualTo(7);
        assertThat(link.flushes).isEqualTo(3);
    }

    @Test
    void urgentRequestsDoNotWait() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link);
        qp.modify(new QpAttributes().trafficClass(TrafficClass.URGENT));
        post(qp, 5);
        assertThat(link.sent).isEqualTo(5);
    }

    @Test
    void aQueueThatIsFullSendsWhatWaits() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link);
        post(qp, MAX_SEND);
        assertThat(link.sent).isOne();
        assertThat(qp.postSend(send())).isEqualTo(PostResult.QUEUE_FULL);
        assertThat(link.sent).isEqualTo(MAX_SEND);
    }

    @Test
    void nobodySleepsWhileARequestWaitsForATurn() {
        CountingLink link = new CountingLink(true);
        post(connected(link), 2);
        nic.engine(0).await(1_000_000_000L);
        assertThat(sleeper.awaits).isZero();
    }

    @Test
    void whoeverSleepsIsWokenForARequestThatWaits() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link);
        post(qp, 1);
        sleeper.meanwhile = () -> post(qp, 3);
        nic.engine(0).await(1_000_000_000L);
        assertThat(sleeper.awaits).isOne();
        assertThat(sleeper.wakes).isOne();
        assertThat(link.sent).isOne();
    }

    /** Something that another thread does while the owner sleeps. */
    private void meanwhileElsewhere(Runnable what) {
        sleeper.meanwhile = () -> {
            sleeper.owned = false;
            what.run();
            sleeper.owned = true;
        };
    }

    @Test
    void whoPostsWhileTheOwnerSleepsSendsHimselfUnlessAnswersAreDue() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link);
        meanwhileElsewhere(() -> {
            post(qp, 1);
            assertThat(link.sent).isOne();
            assertThat(sleeper.wakes).as("to send").isZero();
            post(qp, 3);
            assertThat(link.sent)
                    .as("the answer wakes the owner soon, who sends these together")
                    .isOne();
            assertThat(sleeper.wakes).isOne();
        });
        nic.engine(0).await(1_000);
        assertThat(sleeper.awaits).isOne();
        nic.engine(0).doWork();
        assertThat(link.sent).isEqualTo(4);
        assertThat(link.flushes).isEqualTo(2);
    }

    @Test
    void whatNobodyAnswersIsTheSleepersWhoIsWoken() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link, QpType.UC, new ConnectAttributes());
        meanwhileElsewhere(() -> post(qp, 3));
        nic.engine(0).await(1_000);
        assertThat(link.sent).isZero();
        assertThat(sleeper.wakes).isOne();
        nic.engine(0).doWork();
        assertThat(link.sent).isEqualTo(3);
        assertThat(link.flushes).isOne();
    }

    @Test
    void anOwnerWhoSleepsPastTheTimersOfWhatOthersSendIsWokenForThem() {
        CountingLink link = new CountingLink(true);
        QueuePair qp =
                connected(link, QpType.RC, new ConnectAttributes().timeout(10).retryCount(3)); // 4 ms
        meanwhileElsewhere(() -> post(qp, 1));
        nic.engine(0).await(1_000_000_000L);
        assertThat(link.sent).isOne();
        assertThat(sleeper.wakes).isOne();
    }

    @Test
    void whatTheTurnOfAnotherLeavesIsTheSleepersWhoIsWoken() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link);
        UnsafeBuffer packet = new UnsafeBuffer(new byte[Opcode.SEND_ONLY.headerLength()]);
        BthFlyweight.encode(packet, 0, Opcode.SEND_ONLY.code(), BthFlyweight.ACK_REQUEST, qp.number(), 0, 7);
        meanwhileElsewhere(() -> {
            link.inbound = packet;
            assertThat(nic.engine(0).doWork()).isPositive();
        });
        nic.engine(0).await(1_000_000_000L);
        assertThat(link.inbound).isNull();
        assertThat(link.sent).as("its answer, which nobody else sends").isZero();
        assertThat(sleeper.wakes).isOne();
        nic.engine(0).doWork();
        assertThat(link.sent).isOne();
    }

    @Test
    void whatIsPostedInErrIsFlushedAlsoWhenThePeerDies() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link);
        qp.modify(new QpAttributes().state(QpState.ERR));
        sleeper.owned = false;
        post(qp, 2); // left to the owner
        sleeper.owned = true;
        link.state = Link.State.DEAD;
        for (int i = 0; i < 3; i++) {
            nic.engine(0).doWork();
        }
        List<WcStatus> statuses = new ArrayList<>();
        Objects.requireNonNull(completions).poll(c -> statuses.add(c.status()), 8);
        assertThat(statuses).containsExactly(WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void whatGoesByASocketIsLeftToAnOwnerWhoIsAwake() {
        CountingLink link = new CountingLink(true);
        QueuePair qp = connected(link);
        sleeper.owned = false;
        post(qp, 1);
        qp.doorbell();
        sleeper.owned = true;
        assertThat(sleeper.wakes).isZero();
        assertThat(link.sent).isZero();
        nic.engine(0).doWork();
        assertThat(link.sent).isOne();
    }
}

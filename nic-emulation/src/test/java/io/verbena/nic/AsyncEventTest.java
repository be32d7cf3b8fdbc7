package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.sim.FaultyClock;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class AsyncEventTest {
    private static final int CHUNK = 64 << 10;

    private final VerbsPair p = new VerbsPair();
    private final VerbsPair.End a = p.a;
    private final VerbsPair.End b = p.b;

    @BeforeEach
    void forgetPorts() {
        p.settle();
        a.events();
        b.events();
    }

    @AfterEach
    void close() {
        p.close();
    }

    private static QpAttributes to(QpState state) {
        return new QpAttributes().state(state);
    }

    private AsyncEvent drained(QueuePair qp) {
        qp.modify(to(QpState.SQD));
        AsyncEvent event = a.event();
        assertThat(event).isNotNull();
        assertThat(event.type()).isEqualTo(AsyncEventType.SQ_DRAINED);
        assertThat(event.element()).isEqualTo(qp.number());
        return event;
    }

    // ---- acknowledgement -----------------------------------------------------------------------------------------

    @Test
    void anEventIsAcknowledgedOnce() {
        AsyncEvent event = drained(a.qp);
        assertThat(event.isAcknowledged()).isFalse();
        event.acknowledge();
        assertThat(event.isAcknowledged()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(event::acknowledge)
                .withMessageContaining("SQ_DRAINED of queue pair " + a.qp.number());
        a.qp.close();
    }

    @Test
    void aQueuePairIsNotDestroyedWhileItsEventsAreNotAcknowledged() {
        AsyncEvent first = drained(a.qp);
        a.qp.modify(to(QpState.RTS));
        AsyncEvent second = drained(a.qp);
        long start = System.nanoTime();
        assertThatIllegalStateException()
                .isThrownBy(a.qp::close)
                .withMessageContaining("EBUSY")
                .withMessageContaining("queue pair " + a.qp.number())
                .withMessageContaining("2 asynchronous events");
        assertThat(System.nanoTime() - start).as("it waited").isGreaterThanOrEqualTo(VerbsPair.ACKNOWLEDGE_TIMEOUT);
        first.acknowledge();
        assertThatIllegalStateException().isThrownBy(a.qp::close).withMessageContaining("1 asynchronous");
        a.qp.modify(to(QpState.RTS));
        a.qp.postSend(a.request.write(b.region.key(), 0).local(a.region.key(), 0, 8));
        p.settle();
        assertThat(a.statuses()).as("a refused close changes nothing").containsExactly(WcStatus.SUCCESS);
        second.acknowledge();
        a.qp.close();
        a.qp.close();
    }

    @Test
    void eventsOfOthersDoNotHoldUp() {
        AsyncEvent event = drained(a.qp);
        QueuePair other = a.newQueuePair();
        other.close();
        event.acknowledge();
    }

    @Test
    void closeWaitsForAnotherThreadToAcknowledge() throws InterruptedException {
        NicContext context =
                new NicContext().mode(EngineMode.INVOKER).acknowledgeTimeoutNanos(TimeUnit.SECONDS.toNanos(60));
        try (Nic nic = Nic.open(context)) {
            ProtectionDomain pd = nic.allocateProtectionDomain();
            CompletionQueue cq = nic.createCompletionQueue(16);
            QueuePair qp = pd.createQueuePair(new QueuePairAttributes().completionQueue(cq));
            nic.events().raise(AsyncEventType.COMM_EST, qp.number());
            AsyncEvent event = nic.pollAsyncEvent();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            CountDownLatch closing = new CountDownLatch(1);
            Thread closer = new Thread(() -> {
                closing.countDown();
                try {
                    qp.close();
                } catch (RuntimeException e) {
                    failure.set(e);
                }
            });
            closer.start();
            closing.await();
            while (closer.getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            assertThat(closer.isAlive()).as("waits").isTrue();
            nic.createCompletionQueue(16).close(); // and holds up nobody
            event.acknowledge();
            closer.join();
            assertThat(failure.get()).isNull();
            cq.close();
        }
    }

    @Test
    void anEventThatNobodyTookGoesWithItsObject() {
        QueuePair other = a.newQueuePair();
        p.connect(other, b.newQueuePair());
        a.qp.modify(to(QpState.SQD));
        other.modify(to(QpState.SQD));
        a.qp.close(); // does not wait: nobody has got its event
        AsyncEvent event = a.event();
        assertThat(event.element()).isEqualTo(other.number());
        assertThat(a.event()).isNull();
        assertThat(a.nic.events().unacknowledged(AsyncEventType.Element.QUEUE_PAIR, other.number()))
                .isEqualTo(1);
        event.acknowledge();
        assertThat(a.nic.counter(NicCounter.EVENTS_DROPPED)).isZero();
    }

    @Test
    void closingTheNicWaitsForNobody() {
        AsyncEvent event = drained(a.qp);
        long token = a.cq.requestNotify(false);
        a.qp.modify(to(QpState.RTS));
        a.qp.postSend(a.request.write(b.region.key(), 0).local(a.region.key(), 0, 8));
        p.settle();
        assertThat(a.cq.awaitEvent(token, 0)).isTrue();
        a.nic.close();
        event.acknowledge();
        assertThat(event.isAcknowledged()).isTrue();
    }

    @Test
    void eventsOfPortsAreAcknowledgedLikeOthers() {
        QueuePair other = a.newQueuePair();
        b.polls = false;
        b.nic.close();
        p.settle();
        AsyncEvent event = a.nic.pollAsyncEvent();
        assertThat(event.type()).isEqualTo(AsyncEventType.PORT_ERR);
        assertThat(event.element()).isEqualTo(b.nic.id());
        other.close();
        event.acknowledge();
        assertThatIllegalStateException().isThrownBy(event::acknowledge);
    }

    // ---- what raises them ----------------------------------------------------------------------------------------

    @Test
    void drainedComesAtOnceIfNothingIsOutstandingAndElseLater() {
        drained(a.qp).acknowledge();
        a.qp.modify(to(QpState.SQD));
        assertThat(a.event()).as("it is in SQD already").isNull();
        a.qp.modify(to(QpState.RTS));
        a.qp.postSend(a.request.write(b.region.key(), 0).local(a.region.key(), 0, 30_000));
        a.qp.modify(to(QpState.SQD));
        assertThat(a.event()).isNull();
        p.settle();
        assertThat(a.wcs).hasSize(1);
        assertThat(a.events()).containsExactly(AsyncEventType.SQ_DRAINED);
    }

    @Test
    void anAppendQueueSaysThatItsFreeSpaceIsLow() {
        AppendQueue queue = b.pd.createAppendQueue(new AppendQueueAttributes()
                .chunkLength(CHUNK)
                .maxMessage(CHUNK / 4)
                .memoryLimit(3 * CHUNK + CHUNK / 4));
        b.nic.backgroundWork();
        assertThat(b.events()).isEmpty();
        for (int i = 0; i < 11; i++) {
            a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.region.key(), 0, CHUNK / 4 - 64));
        }
        p.settle();
        assertThat(a.statuses()).hasSize(11).containsOnly(WcStatus.SUCCESS);
        AsyncEvent event = b.event();
        assertThat(event.type()).isEqualTo(AsyncEventType.AQ_WATERMARK);
        assertThat(event.element()).isEqualTo(queue.id());
        assertThat(b.event()).as("once a crossing").isNull();
        assertThat(queue.query().watermarkCrossings()).isEqualTo(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> queue.destroy(true))
                .withMessageContaining("EBUSY")
                .withMessageContaining("append queue " + queue.id());
        assertThat(queue.isDestroyed()).isFalse();
        event.acknowledge();
        assertThat(queue.destroy(false)).as("records are unread").isFalse();
        assertThat(queue.destroy(true)).isTrue();
    }

    /** With one chunk and no other allowed, once until the consumer has made room. */
    @Test
    void aQueueThatIsRefusedItsNextChunkSaysSoOnce() {
        AppendQueue queue = b.pd.createAppendQueue(new AppendQueueAttributes()
                .chunkLength(CHUNK)
                .reserveChunks(1)
                .maxMessage(CHUNK / 4)
                .memoryLimit(2 * CHUNK + CHUNK / 4)
                .lowWatermark(0));
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 9; i++) {
                a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.region.key(), 0, CHUNK / 4 - 64));
            }
            p.simulation.runFor(5_000_000);
            assertThat(b.events()).as("round %d", round).containsExactly(AsyncEventType.AQ_EXHAUSTED);
            int taken = 0;
            for (int looks = 0; looks < 100 && taken < 9; looks++) {
                taken += queue.poll((buffer, offset, length, qp, immediate, flags) -> {}, 100);
                p.simulation.runFor(5_000_000);
            }
            assertThat(taken).isEqualTo(9);
            assertThat(b.events()).as("round %d, there is room", round).isEmpty();
        }
        assertThat(queue.destroy(true)).isTrue();
    }

    @Test
    void theWatermarkMayBeMoved() {
        AppendQueue queue = b.pd.createAppendQueue(new AppendQueueAttributes()
                .chunkLength(CHUNK)
                .maxMessage(CHUNK / 4)
                .memoryLimit(3 * CHUNK + CHUNK / 4));
        queue.modify(new AppendQueueAttributes(queue.attributes()).lowWatermark(0));
        for (int i = 0; i < 11; i++) {
            a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.region.key(), 0, CHUNK / 4 - 64));
        }
        p.settle();
        assertThat(b.events()).as("free space is above 0").isEmpty();
        queue.modify(new AppendQueueAttributes(queue.attributes()).lowWatermark(CHUNK));
        p.settle();
        assertThat(b.events()).containsExactly(AsyncEventType.AQ_WATERMARK);
        assertThat(queue.attributes().lowWatermark()).isEqualTo(CHUNK);
        assertThatThrownBy(() -> queue.modify(new AppendQueueAttributes(queue.attributes()).maxMessage(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("max message 1 wanted, is " + CHUNK / 4);
        assertThatThrownBy(() -> queue.modify(new AppendQueueAttributes(queue.attributes()).memoryLimit(CHUNK)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(queue.destroy(true)).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> queue.modify(queue.attributes()));
    }

    @Test
    void anEngineThatFailsSaysSoAndFlushes() {
        SharedReceiveQueue srq = a.pd.createSharedReceiveQueue(16, 1);
        QueuePair sharing = a.pd.createQueuePair(
                new QueuePairAttributes().completionQueue(a.cq).sharedReceiveQueue(srq));
        p.connect(sharing, b.newQueuePair());
        b.polls = false;
        for (int i = 0; i < 3; i++) {
            a.qp.postSend(a.request.send().wrId(i).local(a.region.key(), 0, 8)); // no receive is posted there
        }
        p.simulation.runFor(100_000);
        a.events();
        a.clock.fail();
        assertThatThrownBy(() -> a.nic.engine(0).doWork()).isInstanceOf(FaultyClock.Fault.class);
        assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        List<AsyncEventType> events = a.events();
        assertThat(events)
                .containsExactlyInAnyOrder(
                        AsyncEventType.QP_FATAL,
                        AsyncEventType.QP_FATAL,
                        AsyncEventType.LAST_WQE_REACHED,
                        AsyncEventType.SRQ_ERR,
                        AsyncEventType.DEVICE_FATAL);
        assertThat(a.nic.engine(0).doWork()).as("it goes on, doing nothing").isZero();
        a.cq.poll(a::keep, 16);
        assertThat(a.statuses()).containsExactly(WcStatus.FATAL_ERR, WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR);
        a.qp.postSend(a.request.send().wrId(9).local(a.region.key(), 0, 8));
        a.cq.poll(a::keep, 16);
        assertThat(a.ids()).containsExactly(0L, 1L, 2L, 9L);
        assertThat(a.events()).as("once").isEmpty();
        assertThat(a.nic.engine(0).hasWork()).as("it may sleep").isFalse();
        a.qp.close();
        sharing.close();
        srq.close();
        a.cq.close();
    }

    @Test
    void anEngineThreadOutlivesTheFailure() throws InterruptedException {
        FaultyClock clock = new FaultyClock(System::nanoTime);
        try (Nic nic = Nic.open(new NicContext().mode(EngineMode.THREAD).clock(clock))) {
            CompletionQueue cq = nic.createCompletionQueue(16);
            QueuePair qp =
                    nic.allocateProtectionDomain().createQueuePair(new QueuePairAttributes().completionQueue(cq));
            qp.modify(to(QpState.INIT).access(0));
            clock.fail();
            qp.modify(to(QpState.ERR)); // it takes a last look at its receives, so a timer runs
            AsyncEvent event = null;
            while (event == null || event.type() != AsyncEventType.DEVICE_FATAL) {
                event = nic.pollAsyncEvent();
                if (event != null) {
                    event.acknowledge();
                }
                Thread.onSpinWait();
            }
            assertThat(event.element()).isZero();
            assertThat(qp.postReceive(5, 0, 0, 0)).isEqualTo(PostResult.POSTED);
            assertThat(cq.await(10_000_000_000L)).isTrue();
            cq.poll(c -> assertThat(c.status()).isEqualTo(WcStatus.WR_FLUSH_ERR), 1);
        }
    }
}

package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class CompletionQueueTest {
    private final VerbsPair p = new VerbsPair();
    private final VerbsPair.End a = p.a;
    private final VerbsPair.End b = p.b;

    @AfterEach
    void close() {
        p.close();
    }

    private QueuePair connected(CompletionQueue cq) {
        QueuePair qp = a.pd.createQueuePair(new QueuePairAttributes().completionQueue(cq));
        p.connect(qp, b.newQueuePair());
        return qp;
    }

    private void write(QueuePair qp, long wrId) {
        assertThat(qp.postSend(a.request.write(b.region.key(), 0).wrId(wrId).local(a.region.key(), 0, 8)))
                .isEqualTo(PostResult.POSTED);
    }

    private static List<Long> poll(CompletionQueue cq) {
        List<Long> ids = new ArrayList<>();
        while (cq.poll(c -> ids.add(c.wrId()), 16) > 0) {}
        return ids;
    }

    private static List<Long> range(long from, long to) {
        List<Long> ids = new ArrayList<>();
        for (long i = from; i < to; i++) {
            ids.add(i);
        }
        return ids;
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, CompletionQueue.MAX_DEPTH + 1, Integer.MAX_VALUE})
    void aDepthOutOfRangeIsRefused(int depth) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> a.nic.createCompletionQueue(depth))
                .withMessageContaining(Integer.toString(depth));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> a.cq.resize(depth))
                .withMessageContaining(Integer.toString(depth));
        assertThat(a.cq.depth()).isEqualTo(1024);
    }

    @Test
    void aQueueOfOneEntryWorks() {
        CompletionQueue cq = a.nic.createCompletionQueue(1);
        QueuePair qp = connected(cq);
        for (long i = 0; i < 5; i++) {
            write(qp, i);
            p.settle();
            assertThat(poll(cq)).containsExactly(i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 9, 64, 1024})
    void aResizeKeepsWhatIsThereInItsOrder(int depth) {
        CompletionQueue cq = a.nic.createCompletionQueue(16);
        QueuePair qp = connected(cq);
        for (int i = 0; i < 13; i++) {
            write(qp, i); // so that the entries that are moved lie around the end of the ring
        }
        p.settle();
        assertThat(poll(cq)).hasSize(13);
        for (int i = 0; i < 8; i++) {
            write(qp, i);
        }
        p.settle();
        cq.resize(depth);
        assertThat(cq.depth()).isGreaterThanOrEqualTo(depth).isLessThan(2 * depth);
        assertThat(cq.query().backlog()).isEqualTo(8);
        assertThat(poll(cq)).isEqualTo(range(0, 8));
        for (int lap = 0; lap < 5; lap++) {
            for (int i = 0; i < 8; i++) {
                write(qp, i);
            }
            p.settle();
            assertThat(poll(cq)).isEqualTo(range(0, 8));
            assertThat(poll(cq)).isEmpty();
        }
        assertThat(cq.hasOverrun()).isFalse();
    }

    @Test
    void aResizeGoesOnWhileQueuePairsAreAtWork() {
        CompletionQueue cq = a.nic.createCompletionQueue(256);
        QueuePair qp = connected(cq);
        List<Long> ids = new ArrayList<>();
        long posted = 0;
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < 20 && qp.outstanding() + cq.query().backlog() < 60; i++) {
                write(qp, posted++);
            }
            p.simulation.runFor(2_000);
            cq.poll(c -> ids.add(c.wrId()), 7);
            cq.resize(64 << round % 4);
        }
        p.settle();
        ids.addAll(poll(cq));
        assertThat(posted).isGreaterThan(500);
        assertThat(ids).isEqualTo(range(0, posted));
        assertThat(cq.hasOverrun()).isFalse();
    }

    @Test
    void aResizeFromWithinAHandlerKeepsTheCursorAndTheRest() {
        CompletionQueue cq = a.nic.createCompletionQueue(8);
        QueuePair qp = connected(cq);
        for (int i = 0; i < 6; i++) {
            write(qp, i);
        }
        p.settle();
        List<Long> ids = new ArrayList<>();
        cq.poll(
                c -> {
                    if (c.wrId() == 2) {
                        cq.resize(32);
                    }
                    ids.add(c.wrId());
                },
                16);
        assertThat(ids).isEqualTo(range(0, 6));
        assertThat(cq.depth()).isEqualTo(32);
    }

    @Test
    void aResizeBelowTheBacklogIsRefused() {
        CompletionQueue cq = a.nic.createCompletionQueue(16);
        QueuePair qp = connected(cq);
        for (int i = 0; i < 5; i++) {
            write(qp, i);
        }
        p.settle();
        assertThatIllegalStateException()
                .isThrownBy(() -> cq.resize(4))
                .withMessageContaining("4")
                .withMessageContaining("5");
        assertThat(cq.depth()).isEqualTo(16);
        assertThat(poll(cq)).isEqualTo(range(0, 5));
    }

    @Test
    void anOverrunPutsTheQueueInErrorAndItsQueuePairsInErr() {
        CompletionQueue cq = a.nic.createCompletionQueue(4);
        QueuePair qp = connected(cq);
        QueuePair other = connected(cq);
        a.events();
        for (int i = 0; i < 6; i++) {
            write(qp, i);
        }
        p.settle();
        assertThat(cq.hasOverrun()).isTrue();
        assertThat(a.nic.counter(NicCounter.COMPLETIONS_DROPPED)).isGreaterThanOrEqualTo(2);
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(other.state()).isEqualTo(QpState.ERR);
        assertThat(a.qp.state()).as("completes elsewhere").isEqualTo(QpState.RTS);
        List<String> events = new ArrayList<>();
        for (AsyncEvent e = a.event(); e != null; e = a.event()) {
            events.add(e.type() + " " + e.element());
            e.acknowledge();
        }
        assertThat(events)
                .containsExactlyInAnyOrder(
                        "CQ_ERR " + cq.number(), "QP_FATAL " + qp.number(), "QP_FATAL " + other.number());
        assertThat(poll(cq)).as("what was written before").isEqualTo(range(0, 4));
        long dropped = a.nic.counter(NicCounter.COMPLETIONS_DROPPED);
        write(qp, 99);
        p.settle();
        assertThat(poll(cq)).as("for good, also with room").isEmpty();
        assertThat(a.nic.counter(NicCounter.COMPLETIONS_DROPPED)).isEqualTo(dropped + 1);
        assertThat(a.events()).as("once").isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> cq.resize(64)).withMessageContaining("overrun");
        assertThatIllegalStateException().isThrownBy(() -> connected(cq)).withMessageContaining("overrun");
        write(a.qp, 7);
        p.settle();
        assertThat(a.ids()).containsExactly(7L);
        qp.close();
        other.close();
        cq.close();
    }

    @Test
    void pollFillsAnArrayWithCopies() {
        CompletionQueue cq = a.nic.createCompletionQueue(16);
        QueuePair qp = connected(cq);
        for (int i = 0; i < 5; i++) {
            write(qp, i);
        }
        p.settle();
        Completion[] some = Completion.array(3);
        assertThat(cq.poll(some)).isEqualTo(3);
        for (int i = 0; i < 40; i++) {
            write(qp, 100 + i); // writes over the slots that were copied from
            p.settle();
            poll(cq);
        }
        assertThat(some).extracting(Completion::wrId).containsExactly(0L, 1L, 2L);
        assertThat(some).extracting(Completion::status).containsOnly(WcStatus.SUCCESS);
        assertThat(some[0].qpNumber()).isEqualTo(qp.number());
        assertThat(some[0].opcode()).isEqualTo(WcOpcode.WRITE);
        assertThat(cq.poll(some)).isZero();
        assertThat(some[0].wrId()).as("untouched where nothing was taken").isZero();
    }

    // ---- notification --------------------------------------------------------------------------------------------

    private boolean raised(CompletionQueue cq, long token) {
        boolean raised = cq.awaitEvent(token, 0);
        if (raised) {
            cq.acknowledgeEvents(1);
        }
        return raised;
    }

    @Test
    void aNotificationIsForOneEventAndNotForWhatIsThere() {
        CompletionQueue cq = a.nic.createCompletionQueue(16);
        QueuePair qp = connected(cq);
        write(qp, 1);
        p.settle();
        long token = cq.requestNotify(false);
        p.settle();
        assertThat(raised(cq, token)).as("already there").isFalse();
        write(qp, 2);
        p.settle();
        assertThat(raised(cq, token)).isTrue();
        token = token + 1; // the events so far
        write(qp, 3);
        p.settle();
        assertThat(raised(cq, token)).as("one-shot").isFalse();
        assertThat(poll(cq)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aRequestForAnyIsNotWeakenedByOneForSolicited() {
        CompletionQueue cq = a.nic.createCompletionQueue(16);
        QueuePair qp = connected(cq);
        long token = cq.requestNotify(false);
        cq.requestNotify(true);
        write(qp, 1);
        p.settle();
        assertThat(raised(cq, token)).isTrue();
    }

    @Test
    void onlySolicitedOnesAndErrorsRaiseWhatWasAskedForSo() {
        long token = b.cq.requestNotify(true);
        b.qp.postReceive(1, b.region.key(), 0, 8);
        b.qp.postReceive(2, b.region.key(), 0, 8);
        a.qp.postSend(a.request.send().local(a.region.key(), 0, 8));
        p.settle();
        assertThat(b.ids()).containsExactly(1L);
        assertThat(raised(b.cq, token)).isFalse();
        a.qp.postSend(a.request.send().solicited().local(a.region.key(), 0, 8));
        p.settle();
        assertThat(raised(b.cq, token)).isTrue();

        token = b.cq.requestNotify(true);
        b.qp.postReceive(3, b.region.key(), 0, 8);
        b.qp.modify(new QpAttributes().state(QpState.ERR));
        p.settle();
        assertThat(b.ids()).containsExactly(1L, 2L, 3L);
        assertThat(raised(b.cq, token)).as("a flushed receive is an error").isTrue();
    }

    @Test
    void eventsAreAcknowledgedBeforeTheQueueGoes() {
        CompletionQueue cq = a.nic.createCompletionQueue(16);
        QueuePair qp = connected(cq);
        for (int i = 0; i < 3; i++) {
            long token = cq.requestNotify(false);
            write(qp, i);
            p.settle();
            assertThat(cq.awaitEvent(token, 0)).isTrue();
        }
        assertThat(cq.query().unacknowledgedEvents()).isEqualTo(3);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cq.acknowledgeEvents(4))
                .withMessageContaining("4")
                .withMessageContaining("3");
        assertThatIllegalArgumentException().isThrownBy(() -> cq.acknowledgeEvents(-1));
        qp.close();
        assertThatIllegalStateException()
                .isThrownBy(cq::close)
                .withMessageContaining("EBUSY")
                .withMessageContaining("3 completion events");
        assertThat(poll(cq)).as("still of use").hasSize(3);
        cq.acknowledgeEvents(3);
        cq.close();
        cq.close();
    }

    @Test
    void closeWaitsForAnotherThreadToAcknowledge() throws InterruptedException {
        NicContext context =
                new NicContext().mode(EngineMode.INVOKER).acknowledgeTimeoutNanos(TimeUnit.SECONDS.toNanos(60));
        try (Nic nic = Nic.open(context)) {
            CompletionQueue cq = nic.createCompletionQueue(16);
            long token = cq.requestNotify(false);
            cq.ring().offer(1, 0, 0, 0, 2, 3, 0, 0, 0);
            cq.ring().noteOffered(false);
            cq.ring().fire();
            assertThat(cq.awaitEvent(token, 0)).isTrue();
            AtomicBoolean closing = new AtomicBoolean();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread closer = new Thread(() -> {
                closing.set(true);
                try {
                    cq.close();
                } catch (RuntimeException e) {
                    failure.set(e);
                }
            });
            closer.start();
            while (!closing.get() || closer.getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            assertThat(closer.isAlive()).as("waits").isTrue();
            cq.acknowledgeEvents(1);
            closer.join();
            assertThat(failure.get()).isNull();
        }
    }

    // ---- life ----------------------------------------------------------------------------------------------------

    @Test
    void aQueueInUseSaysByWhom() {
        CompletionQueue cq = a.nic.createCompletionQueue(16);
        QueuePair qp = connected(cq);
        assertThatIllegalStateException()
                .isThrownBy(cq::close)
                .withMessageContaining("EBUSY")
                .withMessageContaining(Integer.toString(qp.number()));
        qp.close();
        cq.close();
        assertThatIllegalStateException().isThrownBy(() -> poll(cq)).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> cq.poll(Completion.array(1)));
        assertThatIllegalStateException().isThrownBy(() -> cq.requestNotify(false));
        assertThatIllegalStateException().isThrownBy(() -> cq.resize(32));
        assertThatIllegalStateException().isThrownBy(() -> cq.query());
        assertThatIllegalStateException()
                .isThrownBy(() -> a.pd.createQueuePair(new QueuePairAttributes().completionQueue(cq)));
    }
}

package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.QueuePair;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Completion queues: depth, overrun, notification, polling. */
final class CompletionQueueTest extends ConformanceTest {
    private QueuePair completingTo(CompletionQueue queue) {
        QueuePair qp = a.pd.createQueuePair(a.attributes().sendQueue(queue));
        p.connect(qp, b.newQueuePair(), attributes());
        return qp;
    }

    private void write(QueuePair qp, int count) {
        for (int i = 0; i < count; i++) {
            qp.post(a.request.write(b.key(), 0).wrId(i).local(a.key(), 0, 8));
        }
        qp.doorbell();
        p.settle();
    }

    private static List<Wc> take(CompletionQueue queue) {
        List<Wc> taken = new ArrayList<>();
        while (queue.poll(c -> taken.add(Wc.of(c)), 3) > 0) {
            // until nothing is left
        }
        return taken;
    }

    @Proves(Row.CQ_DEPTH)
    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, CompletionQueue.MAX_DEPTH + 1, Integer.MAX_VALUE})
    void aDepthThatIsRefused(int depth) {
        refused(() -> a.nic.createCompletionQueue(depth), depth, CompletionQueue.MAX_DEPTH);
    }

    @Proves(Row.CQ_DEPTH)
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 1000})
    void aDepthThatIsGiven(int depth) {
        CompletionQueue queue = a.nic.createCompletionQueue(depth);
        assertThat(queue.depth()).isGreaterThanOrEqualTo(depth);
        QueuePair qp = completingTo(queue);
        for (int round = 0; round < 5; round++) {
            write(qp, Math.min(depth, 200));
            assertThat(take(queue)).hasSize(Math.min(depth, 200)).allMatch(Wc::isSuccess);
        }
        assertThat(queue.hasOverrun()).isFalse();
    }

    @Proves(Row.CQ_RESIZE)
    @Test
    void resizeKeepsWhatIsThereAndIsNotBelowIt() {
        CompletionQueue queue = a.nic.createCompletionQueue(16);
        QueuePair qp = completingTo(queue);
        write(qp, 10);
        refused(() -> queue.resize(8), 8, 10);
        refused(() -> queue.resize(0), 0);
        refused(() -> queue.resize(CompletionQueue.MAX_DEPTH + 1), CompletionQueue.MAX_DEPTH + 1);
        queue.resize(128);
        assertThat(queue.depth()).isGreaterThanOrEqualTo(128);
        write(qp, 100);
        List<Wc> taken = take(queue);
        assertThat(taken).hasSize(110);
        for (int i = 0; i < 110; i++) {
            assertThat(taken.get(i).wrId()).isEqualTo(i < 10 ? i : i - 10);
        }
        queue.resize(4);
        write(qp, 4);
        assertThat(take(queue)).extracting(Wc::wrId).containsExactly(0L, 1L, 2L, 3L);
        assertThat(queue.hasOverrun()).isFalse();
    }

    @Proves({Row.CQ_OVERRUN, Row.EV_CQ_ERR, Row.EV_QP_FATAL})
    @Test
    void overrunIsAnErrorAndAnEvent() {
        CompletionQueue queue = a.nic.createCompletionQueue(4);
        QueuePair qp = completingTo(queue);
        write(qp, 4);
        assertThat(queue.hasOverrun()).isFalse();
        write(qp, 1);
        assertThat(queue.hasOverrun()).isTrue();
        assertThat(a.count(AsyncEventType.CQ_ERR)).isEqualTo(1);
        assertThat(a.events.stream()
                        .filter(e -> e.type() == AsyncEventType.CQ_ERR)
                        .map(AsyncEvent::element)
                        .toList())
                .containsExactly((long) queue.number());
        assertThat(take(queue)).as("what was written before").hasSize(4).allMatch(Wc::isSuccess);
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(a.count(AsyncEventType.QP_FATAL)).isEqualTo(1);
        assertThat(a.qp.state()).as("one that completes elsewhere").isEqualTo(QpState.RTS);
    }

    @Proves(Row.CQ_BUSY)
    @Test
    void destroyWithQueuePairsIsBusy() {
        CompletionQueue queue = a.nic.createCompletionQueue(4);
        QueuePair qp = a.pd.createQueuePair(a.attributes().sendQueue(queue));
        refused(queue::close, queue.number(), "EBUSY");
        write(completingTo(a.sendQueue), 1);
        qp.close();
        queue.close();
        queue.close();
        refused(() -> a.pd.createQueuePair(a.attributes().sendQueue(queue)), queue.number());
    }

    @Proves(Row.CQ_ONE_SHOT)
    @Test
    void notificationIsOneShotAndWhatIsThereDoesNotFire() {
        a.polls = false;
        write(a.qp, 2);
        long token = a.sendQueue.requestNotify(false);
        p.settle();
        assertThat(a.sendQueue.awaitEvent(token, 0))
                .as("entries were there already")
                .isFalse();
        write(a.qp, 1);
        assertThat(a.sendQueue.awaitEvent(token, 0)).isTrue();
        long later = a.sendQueue.requestNotify(false);
        assertThat(a.sendQueue.awaitEvent(later, 0)).isFalse();
        write(a.qp, 1);
        assertThat(a.sendQueue.awaitEvent(later, 0)).isTrue();
        // Not asked again: the token of a request that was used up stays as it is.
        write(a.qp, 3);
        long now = a.sendQueue.requestNotify(false);
        assertThat(a.sendQueue.awaitEvent(now, 0)).isFalse();
        a.sendQueue.acknowledgeEvents(2);
        assertThat(take(a.sendQueue)).hasSize(7);
    }

    @Proves(Row.CQ_ANY)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anyIsNotWeakened(boolean solicitedFirst) {
        long token = a.sendQueue.requestNotify(solicitedFirst);
        a.sendQueue.requestNotify(!solicitedFirst);
        write(a.qp, 1);
        assertThat(a.sendQueue.awaitEvent(token, 0)).isTrue();
        a.sendQueue.acknowledgeEvents(1);
    }

    @Proves(Row.CQ_ERRORS_SOLICITED)
    @Test
    void errorsCountAsSolicited() {
        long token = a.sendQueue.requestNotify(true);
        write(a.qp, 1);
        assertThat(a.sendQueue.awaitEvent(token, 0)).isFalse();
        long atPeer = b.receiveQueue.requestNotify(true);
        b.qp.postReceive(1, b.key(), 0, 10);
        a.qp.postSend(a.request.write(1, 0).local(a.key(), 0, 8));
        p.untilSent(2);
        p.settle();
        assertThat(a.sends.get(1).status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(a.sendQueue.awaitEvent(token, 0)).isTrue();
        assertThat(b.receiveQueue.awaitEvent(atPeer, 0))
                .as("the flushed receive")
                .isTrue();
        a.sendQueue.acknowledgeEvents(1);
        b.receiveQueue.acknowledgeEvents(1);
    }

    @Proves(Row.CQ_ACKNOWLEDGED)
    @Test
    void destroyWaitsForItsEvents() {
        CompletionQueue queue = a.nic.createCompletionQueue(16);
        QueuePair qp = completingTo(queue);
        long token = queue.requestNotify(false);
        write(qp, 1);
        assertThat(queue.awaitEvent(token, 0)).isTrue();
        assertThat(queue.query().unacknowledgedEvents()).isEqualTo(1);
        qp.close();
        refused(queue::close, queue.number(), "EBUSY");
        refused(() -> queue.acknowledgeEvents(2), 2, 1);
        queue.acknowledgeEvents(1);
        queue.close();
    }

    @Proves(Row.CQ_POLL)
    @Test
    void pollByCursorAndIntoAnArray() {
        a.polls = false;
        write(a.qp, 5);
        List<Long> byCursor = new ArrayList<>();
        assertThat(a.sendQueue.poll(c -> byCursor.add(c.wrId()), 2)).isEqualTo(2);
        assertThat(byCursor).containsExactly(0L, 1L);
        Completion[] array = Completion.array(8);
        assertThat(a.sendQueue.poll(array)).isEqualTo(3);
        assertThat(a.sendQueue.isEmpty()).isTrue();
        write(a.qp, 8); // an element is a copy: what comes later does not change it
        for (int i = 0; i < 3; i++) {
            assertThat(array[i].wrId()).isEqualTo(2 + i);
            assertThat(array[i].status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(array[i].opcode()).isEqualTo(WcOpcode.WRITE);
            assertThat(array[i].byteLength()).isEqualTo(8);
            assertThat(array[i].qpNumber()).isEqualTo(a.qp.number());
        }
        assertThat(a.sendQueue.poll(Completion.array(3))).isEqualTo(3);
        assertThat(a.sendQueue.poll(array)).isEqualTo(5);
    }

    @Proves(Row.ERROR_FIELDS)
    @Test
    void whatIsValidWithAnError() {
        a.polls = false;
        a.qp.postSend(a.request.write(1, 0).wrId(Long.MIN_VALUE).local(a.key(), 0, 8));
        a.qp.postSend(a.request.write(1, 0).wrId(-1).local(a.key(), 0, 8));
        p.settle();
        Completion[] array = Completion.array(2);
        assertThat(a.sendQueue.poll(array)).isEqualTo(2);
        assertThat(array[0].wrId()).isEqualTo(Long.MIN_VALUE);
        assertThat(array[0].status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(array[1].wrId()).isEqualTo(-1);
        assertThat(array[1].status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        for (Completion c : array) {
            assertThat(c.isSuccess()).isFalse();
            assertThat(c.qpNumber()).isEqualTo(a.qp.number());
            assertThat(c.vendorError()).isGreaterThanOrEqualTo(0);
        }
    }
}

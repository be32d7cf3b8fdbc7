package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.verification.conformance.Way.Fate;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is flushed, and in which order. */
final class FlushTest extends ConformanceTest {

    private static List<Long> ids(long first, long last) {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }

    @Proves({Row.WR_FLUSH_ERR, Row.UNSIGNALED})
    @Test
    void everythingBehindTheFirstErrorInOrder() {
        for (int i = 0; i < 10; i++) {
            a.qp.postReceive(100 + i, a.key(), 0, 10);
            b.qp.postReceive(200 + i, b.key(), 0, 10);
        }
        for (int i = 0; i < 40; i++) {
            // Unsignaled ones too: any error makes a completion.
            a.qp.post(a.request
                    .write(i == 10 ? 1 : b.key(), 0)
                    .wrId(i)
                    .signaled(i % 2 == 0)
                    .local(a.key(), 0, 3_000));
        }
        a.qp.doorbell();
        p.until(() -> a.sends.size() == 5 + 30 && a.receives.size() == 10 && b.receives.size() == 10);
        assertThat(a.sendIds().subList(0, 5)).containsExactly(0L, 2L, 4L, 6L, 8L);
        assertThat(a.sendIds().subList(5, 35)).isEqualTo(ids(10, 39));
        assertThat(a.sends.get(5).status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(a.sendStatuses().subList(6, 35)).containsOnly(WcStatus.WR_FLUSH_ERR);
        assertThat(a.receives).extracting(Wc::wrId).isEqualTo(ids(100, 109));
        assertThat(a.receives).extracting(Wc::status).containsOnly(WcStatus.WR_FLUSH_ERR);
        assertThat(b.receives).extracting(Wc::wrId).isEqualTo(ids(200, 209));
        assertThat(b.receives).extracting(Wc::status).containsOnly(WcStatus.WR_FLUSH_ERR);
        p.settle();
        assertThat(a.sends).hasSize(35);
        assertThat(a.receives).hasSize(10);
    }

    @Proves({Row.ERR_FLUSHES, Row.WR_FLUSH_ERR})
    @Test
    void aMoveToErrFlushesBothQueues() {
        needsPackets();
        p.cut();
        for (int i = 0; i < 20; i++) {
            a.qp.post(a.request.read(b.key(), 0).wrId(i).local(a.key(), 0, 3_000));
            a.qp.postReceive(100 + i, a.key(), 0, 10);
        }
        a.qp.doorbell();
        a.qp.modify(new QpAttributes().state(QpState.ERR));
        p.until(() -> a.sends.size() == 20 && a.receives.size() == 20);
        assertThat(a.sendIds()).isEqualTo(ids(0, 19));
        assertThat(a.sendStatuses()).containsOnly(WcStatus.WR_FLUSH_ERR);
        assertThat(a.receives).extracting(Wc::wrId).isEqualTo(ids(100, 119));
        p.heal();
        p.settle();
        assertThat(a.sends).hasSize(20);
        assertThat(b.qp.state()).as("the peer is not told").isEqualTo(QpState.RTS);
    }

    @Proves(Row.POST_IN_ERR)
    @Test
    void inErrAPostIsAcceptedAndFlushed() {
        a.qp.modify(new QpAttributes().state(QpState.ERR));
        a.qp.postSend(a.request.write(b.key(), 0).wrId(1).signaled(false).local(a.key(), 0, 10));
        a.qp.postSend(a.request.read(b.key(), 0).wrId(2).local(a.key(), 0, 10));
        a.qp.postReceive(3, a.key(), 0, 10);
        p.until(() -> a.sends.size() == 2 && a.receives.size() == 1);
        assertThat(a.sendIds()).containsExactly(1L, 2L);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.WR_FLUSH_ERR);
        assertThat(a.receives).extracting(Wc::status).containsExactly(WcStatus.WR_FLUSH_ERR);
        assertThat(b.isZero(0, 10)).isTrue();
    }

    @Proves(Row.ERR_FLUSHES)
    @Test
    void inErrNothingOfThePeerIsAnswered() {
        // Also where it could be written directly: the peer does not take it.
        b.qp.modify(new QpAttributes().state(QpState.ERR));
        a.fill(0, 10, 1);
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 10));
        sendsEnd(WcStatus.RETRY_EXC_ERR);
        assertThat(b.isZero(0, 10)).isTrue();
    }

    @Proves({Row.WR_FLUSH_ERR, Row.ERR_FLUSHES})
    @Test
    void aMessageThatIsHalfReceivedIsFlushedOnce() {
        int[] packets = new int[1];
        p.toB.filter((buffer, offset, length) -> ++packets[0] > 2 ? Fate.DROP : Fate.PASS);
        b.qp.postReceive(1, b.key(), 0, 10_000);
        b.qp.postReceive(2, b.key(), 0, 10_000);
        a.qp.postSend(a.request.send().local(a.key(), 0, 10_000));
        sendsEnd(WcStatus.RETRY_EXC_ERR);
        assertThat(b.receives).isEmpty();
        b.qp.modify(new QpAttributes().state(QpState.ERR));
        p.until(() -> b.receives.size() == 2);
        p.settle();
        assertThat(b.receives).extracting(Wc::wrId).containsExactly(1L, 2L);
        assertThat(b.receives).extracting(Wc::status).containsOnly(WcStatus.WR_FLUSH_ERR);
    }

    @Proves(Row.AQ_HALF)
    @Test
    void anAppendThatIsHalfReceivedIsUndone() {
        needsPackets();
        AppendQueue queue = b.newAppendQueue();
        int[] packets = new int[1];
        p.toB.filter((buffer, offset, length) -> ++packets[0] > 2 ? Fate.DROP : Fate.PASS);
        a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, 10_000));
        p.untilSent(1);
        b.qp.modify(new QpAttributes().state(QpState.ERR));
        p.toB.filter(null);
        QueuePair qpA = a.newQueuePair();
        QueuePair qpB = b.newQueuePair();
        p.connect(qpA, qpB, attributes());
        a.fill(0, 500, 4);
        qpA.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, 500));
        p.until(() -> !b.messages.isEmpty());
        p.settle();
        assertThat(b.messages).hasSize(1);
        assertThat(b.messages.get(0).bytes()).isEqualTo(a.bytes(0, 500));
        assertThat(queue.isEmpty()).isTrue();
    }

    @Proves({Row.AQ_HALF, Row.AQ_SENDERS})
    @Test
    void anAppendThatIsHalfReceivedHoldsUpNobodyElse() {
        needsPackets();
        AppendQueue queue = b.newAppendQueue();
        QueuePair qpA = a.newQueuePair();
        QueuePair qpB = b.newQueuePair();
        p.connect(qpA, qpB, attributes());
        int silent = b.qp.number();
        int[] packets = new int[1];
        p.toB.filter((buffer, offset, length) ->
                BthFlyweight.destinationQp(buffer, offset) == silent && ++packets[0] > 2 ? Fate.DROP : Fate.PASS);
        a.qp.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, 10_000));
        p.until(() -> packets[0] > 2);
        a.fill(0, 500, 4);
        qpA.postSend(a.request.append(queue.id(), queue.key()).local(a.key(), 0, 500));
        p.until(() -> !b.messages.isEmpty());
        assertThat(b.messages.get(0).bytes()).isEqualTo(a.bytes(0, 500));
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
    }

    @Proves(Row.RESET_FORGETS)
    @Test
    void resetForgetsWithoutCompletions() {
        needsPackets();
        p.cut();
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 10));
        a.qp.postReceive(1, a.key(), 0, 10);
        a.qp.modify(new QpAttributes().state(QpState.RESET));
        p.settle();
        assertThat(a.sends).isEmpty();
        assertThat(a.receives).isEmpty();

        p.heal();
        b.qp.modify(new QpAttributes().state(QpState.RESET));
        p.connect(a.qp, b.qp, attributes());
        a.fill(0, 5_000, 1);
        a.qp.postSend(a.request.write(b.key(), 0).local(a.key(), 0, 5_000));
        sendsEnd(WcStatus.SUCCESS);
        assertThat(b.holds(0, 5_000, 1)).isTrue();
    }

    @Proves(Row.RESET_FORGETS)
    @Test
    void aQueuePairThatFailedIsOfUseAgainAfterReset() {
        a.qp.postSend(a.request.write(1, 0).local(a.key(), 0, 10));
        p.untilSent(1);
        p.settle();
        for (int round = 1; round < 5; round++) {
            a.qp.modify(new QpAttributes().state(QpState.RESET));
            b.qp.modify(new QpAttributes().state(QpState.RESET));
            p.connect(a.qp, b.qp, attributes().sendPsn(round * 77).receivePsn(round * 77));
            b.qp.postReceive(round, b.key(), 0, 5_000);
            a.fill(0, 5_000, round);
            a.qp.postSend(a.request.send().wrId(round).local(a.key(), 0, 5_000));
            p.untilSent(round + 1);
            assertThat(a.sends.get(round).status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(b.holds(0, 5_000, round)).isTrue();
        }
    }

    @Proves({Row.SRQ_NOT_FLUSHED, Row.SRQ_SHARED, Row.SRQ_BUSY, Row.SRQ_QP_REFUSES, Row.EV_LAST_WQE_REACHED})
    @Test
    void aSharedReceiveQueueIsNotFlushed() {
        SharedReceiveQueue srq = b.pd.createSharedReceiveQueue(16, 1);
        QueuePair one = b.pd.createQueuePair(b.attributes().sharedReceiveQueue(srq));
        QueuePair two = b.pd.createQueuePair(b.attributes().sharedReceiveQueue(srq));
        QueuePair toOne = a.newQueuePair();
        QueuePair toTwo = a.newQueuePair();
        p.connect(toOne, one, attributes());
        p.connect(toTwo, two, attributes());
        assertThatThrownBy(() -> one.postReceive(1, b.key(), 0, 10)).isInstanceOf(IllegalStateException.class);
        for (int i = 0; i < 4; i++) {
            srq.postReceive(i, b.key(), i * 100L, 100);
        }
        toOne.postSend(a.request.send().local(a.key(), 0, 10));
        p.untilSent(1);
        one.modify(new QpAttributes().state(QpState.ERR));
        p.settle();
        assertThat(b.receives).hasSize(1);
        assertThat(b.eventTypes()).contains(AsyncEventType.LAST_WQE_REACHED);
        assertThat(srq.size()).isEqualTo(3);
        toTwo.postSend(a.request.send().local(a.key(), 0, 10));
        p.untilSent(2);
        assertThat(b.receives).hasSize(2);
        assertThat(b.receives.get(1).wrId()).isEqualTo(1);
        assertThat(b.receives.get(1).qp()).isEqualTo(two.number());
        assertThatThrownBy(srq::close).isInstanceOf(IllegalStateException.class);
    }

    @Proves({Row.SQD_DRAINS, Row.EV_SQ_DRAINED})
    @Test
    void drainingFinishesWhatWasStartedAndStartsNothing() {
        a.fill(0, 100_000, 1);
        a.qp.postSend(a.request.write(b.key(), 0).wrId(1).local(a.key(), 0, 100_000));
        a.qp.modify(new QpAttributes().state(QpState.SQD));
        a.qp.postSend(a.request.write(b.key(), 200_000).wrId(2).local(a.key(), 0, 100));
        p.settle();
        assertThat(a.sendIds()).containsExactly(1L);
        assertThat(b.holds(0, 100_000, 1)).isTrue();
        assertThat(b.isZero(200_000, 100)).isTrue();
        assertThat(a.eventTypes()).contains(AsyncEventType.SQ_DRAINED);
        a.qp.modify(new QpAttributes().state(QpState.RTS));
        p.untilSent(2);
        assertThat(a.sendStatuses()).containsOnly(WcStatus.SUCCESS);
        assertThat(b.holds(200_000, 100, 1)).isTrue();
    }

    @Proves(Row.SQD_DRAINS)
    @Test
    void aQueuePairInSqdStillAnswers() {
        b.fill(0, 100, 1);
        b.qp.modify(new QpAttributes().state(QpState.SQD));
        a.qp.postSend(a.request.read(b.key(), 0).local(a.key(), 0, 100));
        p.untilSent(1);
        assertThat(a.holds(0, 100, 1)).isTrue();
    }
}

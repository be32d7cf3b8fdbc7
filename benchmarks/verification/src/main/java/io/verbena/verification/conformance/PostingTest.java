package io.verbena.verification.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.BadRequestException;
import io.verbena.nic.PostResult;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.ReceiveRequest;
import io.verbena.nic.SendRequest;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Posting: lists, batches, receives of several entries, flags. */
final class PostingTest extends ConformanceTest {
    private SendRequest write(int id) {
        return new SendRequest().write(b.key(), 8L * id).wrId(id).local(a.key(), 0, 8);
    }

    private SendRequest bad() {
        SendRequest request = new SendRequest().write(b.key(), 0).wrId(99);
        for (int i = 0; i < 5; i++) {
            request.local(a.key(), 0, 1);
        }
        return request;
    }

    @Proves(Row.LIST_STOPS)
    @Test
    void aListStopsAtTheBadOne() {
        a.fill(0, 8, 1);
        List<SendRequest> list = List.of(write(0), write(1), bad(), write(3));
        assertThatThrownBy(() -> a.qp.postSend(list))
                .isInstanceOfSatisfying(
                        BadRequestException.class, e -> assertThat(e.index()).isEqualTo(2));
        p.settle();
        assertThat(a.sendIds()).containsExactly(0L, 1L);
        assertThat(b.holds(0, 8, 1) && b.holds(8, 8, 1) && b.isZero(16, 100)).isTrue();
    }

    @Proves({Row.LIST_STOPS, Row.QUEUE_FULL})
    @Test
    void aListStopsWhereTheQueueIsFull() {
        QueuePair small = a.pd.createQueuePair(a.attributes().maxSend(4));
        p.connect(small, b.newQueuePair(), attributes());
        assertThat(small.postSend(List.of(write(0), write(1), write(2), write(3), write(4), write(5))))
                .isEqualTo(4);
        p.settle();
        assertThat(a.sendIds()).containsExactly(0L, 1L, 2L, 3L);
    }

    @Proves(Row.LIST_STOPS)
    @Test
    void aListOfReceivesStopsAtTheBadOne() {
        ReceiveRequest bad = new ReceiveRequest().wrId(2);
        for (int i = 0; i < 5; i++) {
            bad.local(b.key(), 0, 1);
        }
        List<ReceiveRequest> list =
                List.of(new ReceiveRequest().wrId(1).local(b.key(), 0, 10), bad, new ReceiveRequest().wrId(3));
        assertThatThrownBy(() -> b.qp.postReceive(list)).isInstanceOf(BadRequestException.class);
        b.qp.modify(new QpAttributes().state(QpState.ERR));
        p.settle();
        assertThat(b.receiveIds()).containsExactly(1L);
    }

    @Proves(Row.EXTENDED_POSTING)
    @Test
    void aBatchIsSeenWhenItIsComplete() {
        a.fill(0, 8, 1);
        a.qp.start();
        a.qp.post(write(0));
        a.qp.post(write(1));
        p.settle();
        assertThat(a.sends).isEmpty();
        assertThat(b.isZero(0, 100)).isTrue();
        assertThat(a.qp.complete()).isEqualTo(PostResult.POSTED);
        p.untilSent(2);
        assertThat(a.sendIds()).containsExactly(0L, 1L);
        assertThat(b.holds(0, 8, 1) && b.holds(8, 8, 1)).isTrue();
    }

    @Proves(Row.EXTENDED_POSTING)
    @Test
    void aBatchThatIsAbortedNeverWas() {
        a.qp.postSend(write(5));
        a.qp.start();
        a.qp.post(write(0));
        a.qp.post(write(1));
        a.qp.abort();
        a.qp.postSend(write(6));
        p.settle();
        assertThat(a.sendIds()).containsExactly(5L, 6L);
        assertThat(b.isZero(0, 16)).isTrue();
        assertThatThrownBy(a.qp::abort).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(a.qp::complete).isInstanceOf(IllegalStateException.class);
    }

    @Proves(Row.EXTENDED_POSTING)
    @Test
    void aBatchWithABadRequestOrTooManyIsNothing() {
        a.qp.start();
        a.qp.post(write(0));
        a.qp.post(bad());
        a.qp.post(write(2));
        assertThatThrownBy(a.qp::complete)
                .isInstanceOfSatisfying(
                        BadRequestException.class, e -> assertThat(e.index()).isEqualTo(1));
        a.qp.start();
        for (int i = 0; i <= a.qp.maxSend(); i++) {
            a.qp.post(write(i));
        }
        assertThat(a.qp.complete()).isEqualTo(PostResult.QUEUE_FULL);
        a.qp.postSend(write(9));
        p.settle();
        assertThat(a.sendIds()).containsExactly(9L);
        assertThat(b.isZero(0, 72)).isTrue();
    }

    @Proves({Row.SCATTER_GATHER, Row.RC_SEND})
    @Test
    void aReceiveOfSeveralEntries() {
        a.fill(0, 5_000, 1);
        b.qp.postReceive(new ReceiveRequest()
                .wrId(4)
                .local(b.key(), 0, 1)
                .local(b.key(), 10_000, 0)
                .local(b.key(), 20_000, 2_999)
                .local(b.key(), 40_000, 3_000));
        a.qp.postSend(a.request.send().local(a.key(), 0, 5_000));
        p.untilSent(1);
        p.settle();
        assertThat(b.receives).extracting(Wc::wrId).containsExactly(4L);
        assertThat(b.bytes(0, 1)).isEqualTo(a.bytes(0, 1));
        assertThat(b.bytes(20_000, 2_999)).isEqualTo(a.bytes(1, 2_999));
        assertThat(b.bytes(40_000, 2_000)).isEqualTo(a.bytes(3_000, 2_000));
        assertThat(b.isZero(42_000, 1_000)).isTrue();
    }

    @Proves(Row.SRQ_QP_REFUSES)
    @Test
    void aQueuePairOnASharedQueueRefusesReceivesOfItsOwn() {
        SharedReceiveQueue srq = b.pd.createSharedReceiveQueue(16, 2);
        QueuePair qp = b.pd.createQueuePair(b.attributes().sharedReceiveQueue(srq));
        qp.modify(new QpAttributes().state(QpState.INIT).access(0));
        refused(() -> qp.postReceive(1, b.key(), 0, 10), qp.number());
        refused(() -> qp.postReceive(new ReceiveRequest()), qp.number());
    }

    // ---- flags -------------------------------------------------------------------------------------------------

    @Proves(Row.UNSIGNALED)
    @Test
    void anUnsignaledErrorMakesACompletion() {
        a.qp.postSend(a.request.write(b.key(), 0).wrId(1).signaled(false).local(a.key(), 0, 8));
        a.qp.postSend(a.request.write(1, 0).wrId(2).signaled(false).local(a.key(), 0, 8));
        a.qp.postSend(a.request.write(b.key(), 0).wrId(3).signaled(false).local(a.key(), 0, 8));
        p.untilSent(2);
        p.settle();
        assertThat(a.sendIds()).containsExactly(2L, 3L);
        assertThat(a.sendStatuses()).containsExactly(WcStatus.REM_ACCESS_ERR, WcStatus.WR_FLUSH_ERR);
    }

    @Proves(Row.FENCE)
    @Test
    void fenceWaitsForEarlierAtomics() {
        for (int i = 0; i < 5; i++) {
            a.qp.post(a.request.fetchAdd(b.key(), 0, 1).wrId(i).local(a.key(), 64, 8));
        }
        // Sends what the last of them has brought.
        a.qp.post(a.request.write(b.key(), 1024).wrId(5).fence().local(a.key(), 64, 8));
        a.qp.doorbell();
        p.untilSent(6);
        assertThat(b.word(1024)).isEqualTo(4);
    }

    @Proves({Row.FENCE, Row.RC_READ})
    @Test
    void fenceSendsWhatAReadHasBrought() {
        b.fill(0, 10_000, 3);
        a.qp.post(a.request.read(b.key(), 0).local(a.key(), 50_000, 10_000));
        a.qp.post(a.request.write(b.key(), 100_000).fence().local(a.key(), 50_000, 10_000));
        a.qp.doorbell();
        p.untilSent(2);
        assertThat(b.holds(100_000, 10_000, 3)).isTrue();
    }

    @Proves(Row.INLINE)
    @Test
    void inlineLooksAtNoKeyAndTheBufferMayBeReusedAtOnce() {
        QueuePair qp = a.pd.createQueuePair(a.attributes().maxInline(3 * MTU));
        p.connect(qp, b.newQueuePair(), attributes());
        UnsafeBuffer mine = new UnsafeBuffer(new byte[3 * MTU]);
        for (int i = 0; i < mine.capacity(); i++) {
            mine.putByte(i, TestNic.pattern(7, i));
        }
        qp.post(a.request.write(b.key(), 0).inline(mine, 0, 3 * MTU));
        mine.setMemory(0, mine.capacity(), (byte) 0);
        qp.doorbell();
        p.untilSent(1);
        assertThat(b.holds(0, 3 * MTU, 7)).isTrue();
        refused(() -> qp.post(a.request.write(b.key(), 0).inline(new UnsafeBuffer(new byte[8192]), 0, 8192)), 8192);
    }

    @Proves(Row.SOLICITED)
    @Test
    void solicitedCountsOnSendAndWriteWithImmediate() {
        for (int i = 0; i < 8; i++) {
            b.qp.postReceive(i, b.key(), 0, 10_000);
        }
        a.qp.postSend(a.request.send().local(a.key(), 0, 10));
        p.untilSent(1);
        p.settle();
        long token = b.receiveQueue.requestNotify(true);
        a.qp.postSend(a.request.send().local(a.key(), 0, 3 * MTU));
        a.qp.postSend(a.request.writeImmediate(b.key(), 0, 1).local(a.key(), 0, 3 * MTU));
        a.qp.postSend(a.request.write(b.key(), 0).solicited().local(a.key(), 0, 3 * MTU));
        p.untilSent(4);
        p.settle();
        assertThat(b.receiveQueue.awaitEvent(token, 0)).as("nothing solicited").isFalse();
        a.qp.postSend(a.request.send().solicited().local(a.key(), 0, 3 * MTU));
        p.untilSent(5);
        p.settle();
        assertThat(b.receiveQueue.awaitEvent(token, 0)).isTrue();
        token = b.receiveQueue.requestNotify(true);
        a.qp.postSend(a.request.writeImmediate(b.key(), 0, 1).solicited().local(a.key(), 0, 3 * MTU));
        p.untilSent(6);
        p.settle();
        assertThat(b.receiveQueue.awaitEvent(token, 0)).isTrue();
        b.receiveQueue.acknowledgeEvents(2);
    }

    @Proves(Row.SOLICITED)
    @Test
    void theFlagIsOnTheLastPacketAlone() {
        b.qp.postReceive(1, b.key(), 0, 10_000);
        p.toB.record();
        a.qp.postSend(a.request.send().solicited().local(a.key(), 0, 3 * MTU));
        p.untilSent(1);
        assertThat(p.toB.recorded).hasSize(3);
        for (int i = 0; i < 3; i++) {
            assertThat(io.verbena.nic.wire.BthFlyweight.solicited(new UnsafeBuffer(p.toB.recorded.get(i)), 0))
                    .isEqualTo(i == 2);
        }
    }
}

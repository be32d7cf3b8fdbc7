package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(180)
class PostingTest {
    private final VerbsPair p = new VerbsPair();
    private final VerbsPair.End a = p.a;
    private final VerbsPair.End b = p.b;

    @AfterEach
    void close() {
        p.close();
    }

    private SendRequest write(long wrId) {
        return new SendRequest().write(b.region.key(), 8 * wrId).wrId(wrId).local(a.region.key(), 8 * wrId, 8);
    }

    private SendRequest bad() {
        SendRequest request = new SendRequest().write(b.region.key(), 0);
        for (int i = 0; i < 5; i++) {
            request.local(a.region.key(), 0, 8);
        }
        return request;
    }

    private QueuePair shallow() {
        QueuePair qp = a.pd.createQueuePair(
                new QueuePairAttributes().completionQueue(a.cq).maxSend(4).maxReceive(4));
        p.connect(qp, b.newQueuePair());
        return qp;
    }

    private QueuePair in(QpState state) {
        QueuePair qp = a.newQueuePair();
        QueuePair peer = b.newQueuePair();
        if (state != QpState.RESET) {
            qp.modify(new QpAttributes().state(QpState.INIT).access(0));
        }
        if (state == QpState.RTR) {
            qp.modify(new QpAttributes()
                    .state(QpState.RTR)
                    .peerNic(b.nic.id())
                    .peerQp(peer.number())
                    .pathMtu(1024)
                    .receivePsn(0)
                    .maxDestRdAtomic(1)
                    .minRnrTimer(1));
        }
        assertThat(qp.state()).isEqualTo(state);
        return qp;
    }

    @Test
    void streamIsOfAnAppendAndInItsRange() {
        SendRequest request = new SendRequest();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request.append(0, 1).stream(-1))
                .withMessage("stream -1 outside 0..4095");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request.append(0, 1).stream(4096))
                .withMessage("stream 4096 outside 0..4095");
        assertThatIllegalStateException()
                .isThrownBy(() -> request.write(1, 0).stream(0))
                .withMessage("WRITE has no stream");
    }

    // ---- lists ---------------------------------------------------------------------------------------------------

    @Test
    void aListStopsAtTheFirstBadRequestAndTheEarlierOnesStand() {
        assertThatExceptionOfType(BadRequestException.class)
                .isThrownBy(() -> a.qp.postSend(List.of(write(0), write(1), bad(), write(3))))
                .withMessageContaining("request 2")
                .withMessageContaining("5 scatter/gather entries > maximum 4")
                .matches(e -> e.index() == 2);
        p.settle();
        assertThat(a.ids()).as("the doorbell was rung").containsExactly(0L, 1L);
        assertThat(a.qp.postSend(List.of(write(4), write(5)))).isEqualTo(2);
        p.settle();
        assertThat(a.ids()).containsExactly(0L, 1L, 4L, 5L);
        assertThat(a.qp.postSend(List.of())).isZero();
    }

    @Test
    void aListStopsWhereTheQueueIsFull() {
        QueuePair qp = shallow();
        List<SendRequest> list = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            list.add(write(i));
        }
        assertThat(qp.postSend(list)).isEqualTo(4);
        p.settle();
        assertThat(a.ids()).containsExactly(0L, 1L, 2L, 3L);
        assertThat(qp.postSend(list.subList(4, 7))).isEqualTo(3);
        p.settle();
        assertThat(a.wcs).hasSize(7);
    }

    @Test
    void aListOfReceivesStopsAlike() {
        QueuePair qp = shallow();
        ReceiveRequest good = new ReceiveRequest().local(a.region.key(), 0, 8);
        ReceiveRequest tooMany = new ReceiveRequest();
        for (int i = 0; i < 5; i++) {
            tooMany.local(a.region.key(), 0, 8);
        }
        assertThatExceptionOfType(BadRequestException.class)
                .isThrownBy(() -> qp.postReceive(List.of(good, good, tooMany)))
                .matches(e -> e.index() == 2);
        assertThat(qp.postReceive(List.of(good, good, good)))
                .as("room for four")
                .isEqualTo(2);
        qp.modify(new QpAttributes().state(QpState.ERR));
        p.settle();
        assertThat(a.statuses()).hasSize(4).containsOnly(WcStatus.WR_FLUSH_ERR);
        assertThat(qp.postReceive(List.of(good, good))).isEqualTo(2);
        p.settle();
        assertThat(a.statuses()).as("in ERR accepted and flushed").hasSize(6).containsOnly(WcStatus.WR_FLUSH_ERR);
    }

    // ---- receives ------------------------------------------------------------------------------------------------

    @Test
    void aReceiveRequestIsReusedAndHasSeveralEntries() {
        ReceiveRequest request = new ReceiveRequest();
        b.qp.postReceive(request.wrId(1)
                .local(b.region.key(), 100, 3)
                .local(b.region.key(), 200, 0)
                .local(b.region.key(), 300, 5));
        b.qp.postReceive(request.clear().wrId(2));
        b.qp.postReceive(request.clear().wrId(3).local(b.region.key(), 400, 4));
        a.region.buffer().putLong(0, 0x0807060504030201L);
        a.qp.postSend(a.request.send().local(a.region.key(), 0, 8));
        a.qp.postSend(a.request.send());
        a.qp.postSend(a.request.send().local(a.region.key(), 0, 5));
        p.settle();
        assertThat(b.wcs.subList(0, 2))
                .containsExactly(
                        new VerbsPair.Wc(1, WcStatus.SUCCESS, b.qp.number(), 8),
                        new VerbsPair.Wc(2, WcStatus.SUCCESS, b.qp.number(), 0));
        assertThat(b.region.buffer().getByte(102)).isEqualTo((byte) 3);
        assertThat(b.region.buffer().getByte(103)).as("behind the first entry").isZero();
        assertThat(b.region.buffer().getByte(300)).isEqualTo((byte) 4);
        assertThat(b.region.buffer().getByte(304)).isEqualTo((byte) 8);
        assertThat(b.wcs.get(2).status()).as("4 bytes for 5").isEqualTo(WcStatus.LOC_LEN_ERR);
    }

    @Test
    void aReceiveThatIsTooLongInAllIsRefused() {
        ReceiveRequest request =
                new ReceiveRequest().local(b.region.key(), 0, Integer.MAX_VALUE).local(b.region.key(), 0, 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> b.qp.postReceive(request))
                .withMessageContaining("2147483648");
        assertThatIllegalArgumentException().isThrownBy(() -> request.local(b.region.key(), 0, -1));
    }

    // ---- states --------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(
            value = QpState.class,
            names = {"RESET", "INIT", "RTR"})
    void sendsAreRefusedBeforeRts(QpState state) {
        QueuePair qp = in(state);
        assertThatIllegalStateException()
                .isThrownBy(() -> qp.postSend(write(1)))
                .withMessageContaining(state.name());
        assertThatIllegalStateException().isThrownBy(() -> qp.postSend(List.of(write(1))));
        qp.start();
        assertThat(qp.post(write(1))).isEqualTo(PostResult.REFUSED);
        assertThatIllegalStateException().isThrownBy(qp::complete).withMessageContaining(state.name());
        assertThat(qp.outstanding()).isZero();
    }

    @Test
    void receivesAreRefusedInResetOnly() {
        QueuePair reset = in(QpState.RESET);
        ReceiveRequest request = new ReceiveRequest().local(a.region.key(), 0, 8);
        assertThatIllegalStateException().isThrownBy(() -> reset.postReceive(1, a.region.key(), 0, 8));
        assertThatIllegalStateException().isThrownBy(() -> reset.postReceive(request));
        assertThatIllegalStateException().isThrownBy(() -> reset.postReceive(List.of(request)));
        assertThat(in(QpState.INIT).postReceive(request)).isEqualTo(PostResult.POSTED);
        assertThat(in(QpState.RTR).postReceive(request)).isEqualTo(PostResult.POSTED);
    }

    @Test
    void aQueuePairOnASharedQueueRefusesReceivesOfItsOwn() {
        SharedReceiveQueue srq = a.pd.createSharedReceiveQueue(4, 1);
        QueuePair qp = a.pd.createQueuePair(
                new QueuePairAttributes().completionQueue(a.cq).sharedReceiveQueue(srq));
        qp.modify(new QpAttributes().state(QpState.INIT).access(0));
        assertThatIllegalStateException().isThrownBy(() -> qp.postReceive(1, a.region.key(), 0, 8));
        assertThatIllegalStateException().isThrownBy(() -> qp.postReceive(new ReceiveRequest()));
        assertThatIllegalStateException().isThrownBy(() -> qp.postReceive(List.of(new ReceiveRequest())));
        assertThat(srq.size()).isZero();
    }

    // ---- batches -------------------------------------------------------------------------------------------------

    @Test
    void nothingOfABatchIsSeenUntilItIsComplete() {
        a.region.buffer().putLong(8, 42);
        a.qp.start();
        assertThat(a.qp.post(write(0))).isEqualTo(PostResult.POSTED);
        assertThat(a.qp.post(write(1))).isEqualTo(PostResult.POSTED);
        p.settle();
        assertThat(a.wcs).isEmpty();
        assertThat(a.qp.outstanding()).isZero();
        assertThat(b.region.buffer().getLong(8)).isZero();
        assertThat(a.qp.complete()).isEqualTo(PostResult.POSTED);
        p.settle();
        assertThat(a.ids()).containsExactly(0L, 1L);
        assertThat(b.region.buffer().getLong(8)).isEqualTo(42);
    }

    @Test
    void anAbortForgetsTheBatchAndNothingElse() {
        a.qp.post(write(0)); // before the batch: waits for the next doorbell
        a.qp.start();
        a.qp.post(write(1));
        a.qp.post(write(2));
        a.qp.abort();
        p.settle();
        assertThat(a.wcs).isEmpty();
        a.qp.postSend(write(3));
        p.settle();
        assertThat(a.ids()).containsExactly(0L, 3L);
    }

    @Test
    void aBadRequestRefusesTheBatch() {
        a.qp.start();
        assertThat(a.qp.post(write(0))).isEqualTo(PostResult.POSTED);
        assertThat(a.qp.post(bad())).isEqualTo(PostResult.REFUSED);
        assertThat(a.qp.post(write(2))).isEqualTo(PostResult.REFUSED);
        assertThatExceptionOfType(BadRequestException.class)
                .isThrownBy(a.qp::complete)
                .matches(e -> e.index() == 1)
                .withMessageContaining("5 scatter/gather entries");
        p.settle();
        assertThat(a.wcs).isEmpty();
        assertThatIllegalStateException().as("the batch is over").isThrownBy(a.qp::complete);
        a.qp.start();
        a.qp.post(write(4));
        assertThat(a.qp.complete()).as("the error is forgotten").isEqualTo(PostResult.POSTED);
        p.settle();
        assertThat(a.ids()).containsExactly(4L);
    }

    @Test
    void aBatchThatDoesNotFitIsNotPosted() {
        QueuePair qp = shallow();
        qp.start();
        for (int i = 0; i < 4; i++) {
            assertThat(qp.post(write(i))).isEqualTo(PostResult.POSTED);
        }
        assertThat(qp.post(write(4))).isEqualTo(PostResult.QUEUE_FULL);
        assertThat(qp.complete()).isEqualTo(PostResult.QUEUE_FULL);
        p.settle();
        assertThat(a.wcs).isEmpty();
        for (int round = 0; round < 5; round++) {
            qp.start();
            for (int i = 0; i < 4; i++) {
                assertThat(qp.post(write(i))).isEqualTo(PostResult.POSTED);
            }
            assertThat(qp.complete()).isEqualTo(PostResult.POSTED);
            p.settle();
            assertThat(a.wcs).hasSize(4 * round + 4);
        }
    }

    @Test
    void batchesAreNotNestedNorMixedWithOtherPosts() {
        assertThatIllegalStateException().isThrownBy(a.qp::complete).withMessageContaining("without start");
        assertThatIllegalStateException().isThrownBy(a.qp::abort).withMessageContaining("without start");
        a.qp.start();
        a.qp.post(write(0));
        assertThatIllegalStateException().isThrownBy(a.qp::start).withMessageContaining("1 requests");
        assertThatIllegalStateException().isThrownBy(a.qp::doorbell);
        assertThatIllegalStateException().isThrownBy(() -> a.qp.postSend(write(1)));
        assertThatIllegalStateException().isThrownBy(() -> a.qp.postSend(List.of(write(1))));
        assertThat(a.qp.complete()).as("the batch is as it was").isEqualTo(PostResult.POSTED);
        p.settle();
        assertThat(a.ids()).containsExactly(0L);
        a.qp.start();
        assertThat(a.qp.complete()).as("an empty one").isEqualTo(PostResult.POSTED);
    }

    @Test
    void aResetInTheMiddleForgetsTheBatch() {
        a.qp.start();
        a.qp.post(write(0));
        a.qp.modify(new QpAttributes().state(QpState.RESET));
        a.qp.complete();
        assertThat(a.qp.outstanding()).isZero();
        b.qp.modify(new QpAttributes().state(QpState.RESET));
        p.connect(a.qp, b.qp);
        a.qp.postSend(write(1));
        p.settle();
        assertThat(a.ids()).containsExactly(1L);
    }

    @Test
    void aBatchInErrIsFlushed() {
        a.qp.modify(new QpAttributes().state(QpState.ERR));
        a.qp.start();
        a.qp.post(write(0));
        a.qp.post(write(1));
        assertThat(a.qp.complete()).isEqualTo(PostResult.POSTED);
        p.settle();
        assertThat(a.ids()).containsExactly(0L, 1L);
        assertThat(a.statuses()).containsOnly(WcStatus.WR_FLUSH_ERR);
    }
}

package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_B;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.Opcode;
import org.junit.jupiter.api.Test;

/** A queue pair's errors, flushes, draining, and what it tells of itself. */
class QueuePairStatesTest {
    private static final long LAST_LOOK = 1_000_000;

    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final QpContext qp = pair.qpA;

    private Wr write(long id, int length) {
        return Wr.write(id, b.region, 1000).entry(a.region, 40, length);
    }

    // ---- errors and flushes
    // ----------------------------------------------------------------------------------------------

    @Test
    void errorFlushesSendsThenReceivesInOrder() {
        a.receive(qp, 11, 0, 1);
        a.receive(qp, 12, 0, 1);
        pair.ab.loses = packet -> true;
        pair.run(write(1, 300), write(2, 1).unsignaled());
        write(3, 1).post(qp.sendRing());
        qp.error();
        assertThat(a.done())
                .containsExactly(
                        "1 WR_FLUSH_ERR solicited",
                        "2 WR_FLUSH_ERR solicited",
                        "3 WR_FLUSH_ERR solicited",
                        "11 WR_FLUSH_ERR solicited",
                        "12 WR_FLUSH_ERR solicited");
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(qp.sendRing().isIdle()).isTrue();
        assertThat(qp.receiveRing().size()).isZero();
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE);
        assertThat(a.takeEvents()).isEmpty();
    }

    @Test
    void receiveThatWasHalfFilledIsFlushedFirst() {
        a.receive(qp, 11, 0, 1000);
        a.receive(qp, 12, 0, 1);
        a.arrive(NIC_B, Packet.of(Opcode.SEND_FIRST, 0, QP_A, 200, QP_B, MTU));
        qp.error();
        assertThat(a.done()).containsExactly("11 WR_FLUSH_ERR solicited", "12 WR_FLUSH_ERR solicited");
        assertThat(a.completions).isEmpty();
    }

    @Test
    void flushedReceivesNameTheirOpcodeAndPeer() {
        a.receive(qp, 11, 0, 1);
        qp.error();
        assertThat(a.completions.get(0).opcode()).hasToString("RECEIVE");
        assertThat(a.completions.get(0).peerQp()).isEqualTo(QP_B);
        assertThat(a.completions.get(0).bytes()).isZero();
    }

    @Test
    void whatIsPostedInErrIsFlushedWhenItIsRung() {
        qp.error();
        a.receive(qp, 11, 0, 1);
        pair.run(write(1, 1));
        assertThat(a.done()).containsExactly("1 WR_FLUSH_ERR solicited", "11 WR_FLUSH_ERR solicited");
        assertThat(qp.outcome()).isEqualTo(QpContext.IDLE);
        assertThat(pair.ab.log).isEmpty();
    }

    @Test
    void receivePostedAsTheQueuePairFailsIsFoundByALastLook() {
        qp.error();
        assertThat(a.nextTimer()).isEqualTo(pair.now + LAST_LOOK);
        a.receive(qp, 11, 0, 1);
        pair.advance(LAST_LOOK);
        assertThat(a.done()).containsExactly("11 WR_FLUSH_ERR solicited");
        qp.error();
        a.receive(qp, 12, 0, 1);
        qp.error(); // as often as one likes
        assertThat(a.done()).containsExactly("12 WR_FLUSH_ERR solicited");
    }

    @Test
    void requestThatFailsIsReportedBeforeWhatIsBehindIt() {
        MemoryRegion other = a.region(64, Access.ALL, 2);
        a.receive(qp, 11, 0, 1);
        pair.run(write(1, 1), Wr.send(2).entry(other, 0, 8).unsignaled(), write(3, 1));
        assertThat(a.done())
                .containsExactly(
                        "1 SUCCESS WRITE 1",
                        "2 LOC_PROT_ERR solicited",
                        "3 WR_FLUSH_ERR solicited",
                        "11 WR_FLUSH_ERR solicited");
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS); // a local error leaves the peer alone
    }

    @Test
    void sharedReceivesAreNotFlushedAndTheLastOneIsTold() {
        ReceiveRing shared = new ReceiveRing(16, 4, FakeNic.PD);
        QpContext sharing = a.newQueuePair(QpType.RC, 7, shared, true);
        TransportPair.connect(a, sharing, NIC_B, 9, MTU, 0, 0);
        a.receive(sharing, 11, 0, 1000);
        a.receive(sharing, 12, 0, 1000);
        assertThat(sharing.sharesReceive()).isTrue();
        a.arrive(NIC_B, Packet.of(Opcode.SEND_FIRST, 0, 7, 0, 9, MTU));
        sharing.error();
        assertThat(a.done()).containsExactly("11 WR_FLUSH_ERR solicited"); // the one that it had taken
        assertThat(a.takeEvents()).containsExactly("LAST_WQE_REACHED 7");
        assertThat(shared.size()).isOne();
        sharing.state(QpState.RESET);
        assertThat(shared.size()).isOne();
    }

    @Test
    void completionsThatAreLostEndTheQueuePair() {
        qp.completionsLost();
        assertThat(a.takeEvents()).containsExactly("QP_FATAL 3");
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        qp.completionsLost();
        assertThat(a.takeEvents()).isEmpty();
        qp.state(QpState.RESET);
        qp.completionsLost();
        assertThat(a.takeEvents()).isEmpty();
        assertThat(qp.state()).isEqualTo(QpState.RESET);
    }

    @Test
    void failureEndsTheOldestRequestInFatalError() {
        write(1, 1).post(qp.sendRing());
        write(2, 1).post(qp.sendRing());
        qp.failed("because");
        assertThat(qp.failure()).isEqualTo("because");
        assertThat(a.takeEvents()).containsExactly("QP_FATAL 3");
        assertThat(a.done()).containsExactly("1 FATAL_ERR solicited", "2 WR_FLUSH_ERR solicited");
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        qp.failed("again");
        assertThat(a.takeEvents()).isEmpty();
        assertThat(qp.failure()).isEqualTo("again");
    }

    @Test
    void failureWithoutRequestsEndsTheQueuePairAlone() {
        qp.failed("because");
        assertThat(a.done()).isEmpty();
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void queuePairInResetDoesNotFail() {
        qp.state(QpState.RESET);
        qp.failed("because");
        assertThat(qp.failure()).isNull();
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        assertThat(a.takeEvents()).isEmpty();
    }

    @Test
    void queuePairThatIsGivenUpIsNotTouchedUntilReset() {
        write(1, 1).post(qp.sendRing());
        qp.giveUp();
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(qp.hasWork()).isFalse();
        assertThat(a.visit(qp, 1000)).isZero();
        assertThat(qp.outcome()).isEqualTo(QpContext.IDLE);
        qp.flushPosted();
        assertThat(a.done()).isEmpty();
        assertThat(QueuePairWord.state(a.control.qpWord(QP_A))).isEqualTo(QpState.ERR.ordinal());
        qp.state(QpState.RESET);
        assertThat(qp.hasWork()).isFalse();
        write(2, 1).post(qp.sendRing());
        assertThat(qp.hasWork()).isTrue();
    }

    @Test
    void resetForgetsEverything() {
        a.receive(qp, 11, 0, 1);
        pair.ab.loses = packet -> true;
        pair.run(write(1, 1));
        qp.error();
        a.done();
        qp.failed("because");
        qp.state(QpState.RESET);
        assertThat(qp.failure()).isNull();
        assertThat(qp.path()).isNull();
        assertThat(qp.sendPath()).isNull();
        assertThat(qp.receiveRing().size()).isZero();
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE);
        pair.join(false);
        qp.state(QpState.INIT);
        TransportPair.connect(a, qp, NIC_B, QP_B, MTU, 200, 100);
        pair.run(write(2, 1));
        assertThat(pair.ab.sent()).containsExactly("WRITE_ONLY 100 ask at=1000 length=1 1B");
        assertThat(a.done()).containsExactly("2 SUCCESS WRITE 1");
    }

    @Test
    void resetWithReceivesPostedForgetsThem() {
        a.receive(qp, 11, 0, 1);
        qp.state(QpState.RESET);
        assertThat(qp.receiveRing().size()).isZero();
        assertThat(a.done()).isEmpty();
    }

    @Test
    void requestsBeforeRtrHaveNoPath() {
        QpContext fresh = a.newQueuePair(QpType.RC, 8);
        fresh.state(QpState.RTS);
        Wr.write(1, b.region, 0).entry(a.region, 0, 1).post(fresh.sendRing());
        assertThatThrownBy(() -> fresh.transmit(100))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a queue pair in RTS has no path");
    }

    // ---- draining
    // --------------------------------------------------------------------------------------------------------

    @Test
    void drainingWithNothingUnderWayIsToldAtOnce() {
        qp.state(QpState.SQD);
        assertThat(a.takeEvents()).containsExactly("SQ_DRAINED 3");
        qp.state(QpState.SQD);
        assertThat(a.takeEvents()).isEmpty();
    }

    @Test
    void drainingFinishesWhatWasSentInPartAndHoldsTheRest() {
        a.post(qp, write(1, 300), write(2, 1));
        a.visit(qp, 1);
        qp.state(QpState.SQD);
        assertThat(a.takeEvents()).isEmpty();
        pair.settle();
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 300");
        assertThat(a.takeEvents()).containsExactly("SQ_DRAINED 3");
        assertThat(qp.outcome()).isEqualTo(QpContext.WAITING);
        qp.state(QpState.RTS);
        a.schedule(qp);
        pair.settle();
        assertThat(a.done()).containsExactly("2 SUCCESS WRITE 1");
        assertThat(a.takeEvents()).isEmpty();
    }

    @Test
    void drainingSendsAgainWhatWasLost() {
        pair.ab.lose(100, 1);
        pair.run(write(1, 1));
        qp.state(QpState.SQD);
        assertThat(a.takeEvents()).isEmpty();
        pair.advance(TransportPair.TIMEOUT);
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1");
        assertThat(a.takeEvents()).containsExactly("SQ_DRAINED 3");
    }

    @Test
    void drainingEndsWithAReadsLastAnswerOrAnAtomics() {
        a.post(qp, Wr.read(1, b.region, 0).entry(a.region, 0, 300));
        a.turn();
        qp.state(QpState.SQD);
        pair.settle();
        assertThat(a.takeEvents()).containsExactly("SQ_DRAINED 3");
        qp.state(QpState.RTS);
        a.post(qp, Wr.fetchAdd(2, b.region, 8000, 1).entry(a.region, 0, 8));
        a.turn();
        qp.state(QpState.SQD);
        assertThat(a.takeEvents()).isEmpty();
        pair.settle();
        assertThat(a.takeEvents()).containsExactly("SQ_DRAINED 3");
    }

    @Test
    void drainedWithoutRequestsIsIdle() {
        qp.state(QpState.SQD);
        a.visit(qp, 100);
        assertThat(qp.outcome()).isEqualTo(QpContext.IDLE);
    }

    // ---- what it tells
    // ---------------------------------------------------------------------------------------------------

    @Test
    void knowsWhatItWasMadeAndConnectedWith() {
        assertThat(qp.type()).isEqualTo(QpType.RC);
        assertThat(qp.number()).isEqualTo(QP_A);
        assertThat(qp.pd()).isEqualTo(FakeNic.PD);
        assertThat(qp.peerQp()).isEqualTo(QP_B);
        assertThat(qp.pathMtu()).isEqualTo(MTU);
        assertThat(qp.connection().access()).isEqualTo(Access.ALL);
        assertThat(qp.sharesReceive()).isFalse();
        assertThat(qp.path()).isSameAs(a.path(NIC_B));
        assertThat(qp.sendPath()).isSameAs(a.path(NIC_B));
        assertThat(qp.connection().takesFrom()).isEqualTo(QueuePairWord.connection(NIC_B, QP_B, 200));
        assertThat(a.attached).containsExactly(qp);
        assertThat(qp.senderQuota()).isSameAs(SenderQuota.NONE);
        try (SenderQuota quota = a.queues.openQuota(100)) {
            qp.senderQuota(quota);
            assertThat(qp.senderQuota()).isSameAs(quota);
        }
    }

    @Test
    void knowsWhereItCompletes() {
        a.receive(qp, 11, 0, 1);
        write(1, 1).post(qp.sendRing());
        qp.error();
        CompletionRing sends = a.completions.get(0).ring();
        CompletionRing receives = a.completions.get(1).ring();
        assertThat(sends).isNotSameAs(receives);
        assertThat(qp.completesTo(sends)).isTrue();
        assertThat(qp.completesTo(receives)).isTrue();
        assertThat(qp.completesTo(new CompletionRing(1, 1))).isFalse();
    }

    @Test
    void stateAndAccessAreShownToDirectPeers() {
        long word = a.control.qpWord(QP_A);
        assertThat(QueuePairWord.state(word)).isEqualTo(QpState.RTS.ordinal());
        assertThat(QueuePairWord.access(word)).isEqualTo(Access.ALL);
        qp.access(Access.LOCAL_WRITE | Access.REMOTE_READ);
        assertThat(QueuePairWord.access(a.control.qpWord(QP_A))).isEqualTo(Access.LOCAL_WRITE | Access.REMOTE_READ);
        qp.error();
        assertThat(QueuePairWord.state(a.control.qpWord(QP_A))).isEqualTo(QpState.ERR.ordinal());
        qp.state(QpState.RESET);
        assertThat(QueuePairWord.state(a.control.qpWord(QP_A))).isZero();
    }

    @Test
    void withoutResourcesReadsAndAtomicsAreNotOfferedDirectly() {
        assertThat(qp.connection().directAccess()).isEqualTo(Access.ALL);
        qp.connect(a.path(NIC_B), QP_B, MTU, 200, 0);
        assertThat(qp.connection().directAccess()).isEqualTo(Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    }

    @Test
    void doorbellIsRungOnceUntilItIsHeard() {
        assertThat(qp.ring()).isTrue();
        assertThat(qp.ring()).isFalse();
        assertThat(qp.limit()).isEqualTo(Limit.LINK);
        qp.heard();
        assertThat(qp.limit()).isEqualTo(Limit.WINDOW);
        assertThat(qp.ring()).isTrue();
    }

    @Test
    void isStarvedWhereOthersSendAndItDoesNot() {
        assertThat(qp.isStarved()).isFalse();
        qp.contended = true;
        assertThat(qp.isStarved()).isTrue();
    }

    @Test
    void waitingForTheLinkIsItsLimit() {
        a.path(NIC_B).block(qp);
        assertThat(qp.limit()).isEqualTo(Limit.LINK);
    }

    @Test
    void flushIsAsCostlyAsTheLinkSays() {
        assertThat(qp.isFlushCostly()).isFalse();
        pair.ab.flushCostly = true;
        a.path(NIC_B).attach(pair.ab);
        assertThat(qp.isFlushCostly()).isTrue();
        qp.state(QpState.RESET);
        assertThat(qp.isFlushCostly()).isFalse();
    }

    @Test
    void packetsAloneWhereNoMemoryIsMapped() {
        write(1, 1).post(qp.sendRing());
        qp.sendRing().hasNext();
        assertThat(qp.hasDirectPath()).isFalse();
        assertThat(qp.isNextDirect()).isFalse();
        assertThat(qp.nextQueue()).isNull();
        assertThat(qp.mayExecuteNow(1, 0)).isFalse();
        int slot = write(2, 1).fill(qp.sendRing());
        assertThat(qp.executeNow(slot, new InlineData(), 1000)).isNegative();
    }

    @Test
    void answersInSqdGoOn() {
        pair.qpB.state(QpState.SQD);
        b.takeEvents();
        pair.run(write(1, 1), Wr.read(2, b.region, 0).entry(a.region, 0, 8));
        assertThat(a.done()).containsExactly("1 SUCCESS WRITE 1", "2 SUCCESS READ 8");
    }

    @Test
    void unsolicitedNakInResetChangesNothing() {
        qp.state(QpState.RESET);
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.INVALID_REQUEST));
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        assertThat(a.done()).isEmpty();
    }
}

package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_B;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static io.verbena.nic.transport.TransportPair.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.baseline.Arbiters;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.Opcode;
import org.junit.jupiter.api.Test;

/**
 * When a reliable requester's timer runs, where a visit ends, how many PSNs may be outstanding, where it goes back to.
 */
class SendingTest {
    private final TransportPair pair = new TransportPair();
    private final FakeNic a = pair.a;
    private final FakeNic b = pair.b;
    private final QpContext qp = pair.qpA;

    private Wr write(long id, int length) {
        return Wr.write(id, b.region, 1000).entry(a.region, 40, length);
    }

    // ---- timers --------------------------------------------------------------------------------------------------

    @Test
    void timerRunsFromTheFirstPacketThatAsksForAnAnswer() {
        a.post(qp, write(1, 700));
        a.visit(qp, 1);
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE);
        pair.now += 5;
        a.visit(qp, 1);
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE);
        pair.now += 5;
        a.visit(qp, 1);
        assertThat(qp.deadline()).isEqualTo(pair.now + TIMEOUT);
        assertThat(a.nextTimer()).isEqualTo(pair.now + TIMEOUT);
    }

    @Test
    void laterPacketsDoNotMoveTheTimer() {
        a.post(qp, write(1, 1));
        a.turn();
        long deadline = qp.deadline();
        pair.now += 5;
        a.post(qp, write(2, 1));
        a.turn();
        assertThat(qp.deadline()).isEqualTo(deadline);
    }

    @Test
    void timerOfAReadRunsFromItsNewestPacket() {
        a.post(qp, Wr.read(1, b.region, 0).entry(a.region, 0, 600));
        a.turn();
        pair.now += 5;
        a.arrive(NIC_B, Packet.of(Opcode.READ_RESPONSE_FIRST, 0, QP_A, 100, QP_B, MTU));
        assertThat(qp.deadline()).isEqualTo(pair.now + TIMEOUT);
        pair.now += 5;
        a.arrive(NIC_B, Packet.of(Opcode.READ_RESPONSE_MIDDLE, 0, QP_A, 101, QP_B, MTU));
        assertThat(qp.deadline()).isEqualTo(pair.now + TIMEOUT);
        a.settled.clear();
        a.arrive(NIC_B, Packet.of(Opcode.READ_RESPONSE_LAST, 0, QP_A, 102, QP_B, 88));
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE);
        assertThat(a.settled).isNotEmpty();
    }

    @Test
    void timerOfAnAtomicEndsWithItsAnswer() {
        a.post(qp, Wr.fetchAdd(1, b.region, 0, 1).entry(a.region, 0, 8));
        a.turn();
        a.settled.clear();
        a.arrive(
                NIC_B,
                Packet.of(Opcode.ATOMIC_ACKNOWLEDGE, 0, QP_A, 100, QP_B, 0).original(1));
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE);
        assertThat(a.settled).isNotEmpty();
    }

    @Test
    void timerRunsAnewFromWhatIsSentAgain() {
        a.post(qp, write(1, 1));
        a.turn();
        pair.now += 5;
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.PSN_SEQUENCE_ERROR));
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE); // not while it waits its turn
        a.turn();
        assertThat(qp.deadline()).isEqualTo(pair.now + TIMEOUT);
    }

    @Test
    void nothingIsUnderWayWhileItIsToBeSentAgain() {
        a.post(qp, write(1, 1));
        a.turn();
        a.settled.clear();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 100, QP_B, AethSyndrome.PSN_SEQUENCE_ERROR));
        assertThat(a.settled).containsExactly(qp);
    }

    @Test
    void flushSaysThatNothingIsUnderWay() {
        a.settled.clear();
        qp.error();
        assertThat(a.settled).containsExactly(qp);
    }

    @Test
    void whoWaitsForRoomLongTimesOut() {
        qp.requester().awaitsRoom();
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE); // it has nothing to send
        a.path(NIC_B).noRoom(pair.now);
        write(1, 1).post(qp.sendRing());
        qp.requester().awaitsRoom();
        assertThat(qp.outcome()).isNotEqualTo(QpContext.MORE);
        assertThat(qp.deadline()).isEqualTo(pair.now + TIMEOUT);
    }

    @Test
    void whoDoesNotSendWaitsForNoRoom() {
        a.path(NIC_B).noRoom(pair.now);
        qp.state(QpState.SQD);
        write(1, 1).post(qp.sendRing());
        qp.requester().awaitsRoom();
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void timerOfWhoWaitedForRoomRunsAnewFromItsPacket() {
        AppendQueue queue = b.appendQueue(1000);
        Wr[][] posts = {
            {write(1, 1)},
            {
                Wr.append(1, queue.id(), queue.key()).entry(a.region, 0, 1),
                Wr.append(2, queue.id(), queue.key()).entry(a.region, 0, 1)
            }
        };
        for (Wr[] post : posts) {
            TransportPair one = new TransportPair();
            one.a.path(NIC_B).noRoom(one.now);
            one.ab.room = 0;
            one.a.post(one.qpA, post);
            one.a.turn();
            assertThat(one.qpA.deadline()).isEqualTo(one.now + TIMEOUT);
            one.now += 5;
            one.ab.room = 1;
            one.a.turn();
            assertThat(one.ab.log).hasSize(1);
            assertThat(one.qpA.deadline()).isEqualTo(one.now + TIMEOUT);
        }
    }

    @Test
    void whoWaitsItsTurnOnALinkThatFlowsWaitsOn() {
        a.path(NIC_B).noRoom(pair.now);
        pair.ab.room = 0;
        pair.run(write(1, 1));
        pair.advance(TIMEOUT);
        assertThat(qp.deadline()).isEqualTo(pair.now + TIMEOUT);
        pair.advance(10 * TIMEOUT);
        assertThat(a.done()).isEmpty();
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isZero();
    }

    @Test
    void resetStartsTheTimersAndCountsAnew() {
        qp.retries().retryCount(1);
        pair.ab.loses = packet -> true;
        pair.run(write(1, 1));
        pair.advance(TIMEOUT);
        qp.state(QpState.RESET);
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE);
        qp.state(QpState.INIT);
        TransportPair.connect(a, qp, NIC_B, QP_B, MTU, TransportPair.PSN_B, TransportPair.PSN_A);
        pair.run(write(2, 1));
        pair.advance(TIMEOUT);
        assertThat(a.done()).isEmpty();
        pair.ab.loses = packet -> false;
        pair.advance(TIMEOUT - 1);
        assertThat(a.done()).isEmpty();
    }

    // ---- visits --------------------------------------------------------------------------------------------------

    @Test
    void visitOfOnePacketEndsWithIt() {
        Arbiter packets = Arbiters.create(
                ArbiterSettings.defaults().withDiscipline(Discipline.PACKET_ROUND_ROBIN), 0, 1, () -> pair.now);
        packets.attach(qp, a.path(NIC_B).output());
        a.post(qp, write(1, 300), write(2, 1));
        packets.active(qp);
        assertThat(packets.next()).isSameAs(qp);
        assertThat(a.visit(qp, 100_000)).isEqualTo(32 + MTU);
        assertThat(qp.outcome()).isEqualTo(QpContext.MORE);
        a.visit(qp, 100_000);
        assertThat(qp.outcome()).isEqualTo(QpContext.MORE);
        a.visit(qp, 100_000);
        assertThat(qp.outcome()).isEqualTo(QpContext.IDLE);
        assertThat(pair.ab.log).hasSize(3);
        b.arrive(TransportPair.NIC_A, pair.ab.log.get(0));
        a.arrive(NIC_B, Packet.of(Opcode.READ_REQUEST, 0, QP_A, 200, QP_B, 0).reth(0, a.region.key(), 600));
        pair.ab.log.clear();
        a.visit(qp, 100_000); // so do answers
        assertThat(pair.ab.log).hasSize(1);
        assertThat(qp.outcome()).isEqualTo(QpContext.MORE);
    }

    @Test
    void visitOfOnePacketEndsSoOnUnreliableConnectionsToo() {
        TransportPair uc = new TransportPair(QpType.UC);
        Arbiter packets = Arbiters.create(
                ArbiterSettings.defaults().withDiscipline(Discipline.PACKET_ROUND_ROBIN), 0, 1, () -> uc.now);
        packets.attach(uc.qpA, uc.a.path(NIC_B).output());
        uc.a.post(uc.qpA, Wr.send(1).entry(uc.a.region, 0, 300), Wr.send(2).entry(uc.a.region, 0, 1));
        packets.active(uc.qpA);
        packets.next();
        for (int i = 1; i <= 3; i++) {
            uc.a.visit(uc.qpA, 100_000);
            assertThat(uc.ab.log).hasSize(i);
            assertThat(uc.qpA.outcome()).isEqualTo(i < 3 ? QpContext.MORE : QpContext.IDLE);
        }
    }

    @Test
    void whatIsSentTouchesItsPath() {
        write(1, 1).post(qp.sendRing());
        qp.transmit(1000);
        assertThat(a.touched).containsExactly(a.path(NIC_B));
        a.touched.clear();
        AppendQueue queue = b.appendQueue(1000);
        for (int i = 2; i < 4; i++) {
            Wr.append(i, queue.id(), queue.key()).entry(a.region, 0, 1).post(qp.sendRing());
        }
        qp.transmit(1000);
        assertThat(pair.ab.log).hasSize(2);
        assertThat(a.touched).containsExactly(a.path(NIC_B));
    }

    @Test
    void runIsChargedWithTheLinksOverhead() {
        AppendQueue queue = b.appendQueue(1000);
        pair.ab.overhead = 30;
        a.path(NIC_B).attach(pair.ab);
        a.post(
                qp,
                Wr.append(1, queue.id(), queue.key()).entry(a.region, 0, 8),
                Wr.append(2, queue.id(), queue.key()).entry(a.region, 0, 8));
        assertThat(a.visit(qp, 1000)).isEqualTo(32 + 2 * 16 + 30);
    }

    @Test
    void nothingIsNextOnAnEmptyQueue() {
        TransportPair direct = TransportPair.direct();
        assertThat(direct.qpA.isNextDirect()).isFalse();
        assertThat(direct.qpA.nextQueue()).isNull();
    }

    @Test
    void readOfAnyLengthMayBeExecutedAsItIsPosted() {
        TransportPair direct = TransportPair.direct();
        int slot = Wr.read(1, direct.b.region, 0).entry(direct.a.region, 0, 16).fill(direct.qpA.sendRing());
        assertThat(direct.qpA.executeNow(slot, new InlineData(), 100)).isEqualTo(16 + DirectPath.OVERHEAD);
        assertThat(direct.a.done()).containsExactly("1 SUCCESS READ 16");
    }

    // ---- PSNs ----------------------------------------------------------------------------------------------------

    @Test
    void fewerThanHalfOfThePsnsAreOutstanding() {
        TransportPair narrow = new TransportPair(QpType.RC, 100, 1);
        FakeNic nic = narrow.a;
        MemoryRegion big = nic.region(1 << 21, Access.ALL);
        int quarter = 1 << 21;
        narrow.ab.loses = packet -> true;
        nic.post(
                narrow.qpA,
                Wr.read(1, narrow.b.region, 0)
                        .entry(big, 0, quarter)
                        .entry(big, 0, quarter)
                        .entry(big, 0, quarter)
                        .entry(big, 0, quarter - 2),
                Wr.write(2, narrow.b.region, 0).entry(nic.region, 0, 1),
                Wr.write(3, narrow.b.region, 0).entry(nic.region, 0, 1));
        nic.turn();
        assertThat(narrow.ab.sent())
                .containsExactly("READ_REQUEST 100 ask at=0 length=8388606", "WRITE_ONLY 8388706 ask at=0 length=1 1B");
        assertThat(narrow.qpA.outcome()).isEqualTo(QpContext.WAITING);
    }

    @Test
    void requestThatNeedsHalfOfThePsnsIsALengthError() {
        TransportPair narrow = new TransportPair(QpType.RC, 100, 1);
        FakeNic nic = narrow.a;
        MemoryRegion big = nic.region(1 << 21, Access.ALL);
        int quarter = 1 << 21;
        nic.post(
                narrow.qpA,
                Wr.read(1, narrow.b.region, 0)
                        .entry(big, 0, quarter)
                        .entry(big, 0, quarter)
                        .entry(big, 0, quarter)
                        .entry(big, 0, quarter));
        nic.turn();
        assertThat(nic.done()).containsExactly("1 LOC_LEN_ERR solicited");
        assertThat(narrow.ab.log).isEmpty();
    }

    @Test
    void goesBackToTheRequestThatHasThePsn() {
        qp.connection().maxRdAtomic(2);
        a.post(
                qp,
                Wr.read(1, b.region, 0).entry(a.region, 0, 600),
                Wr.fetchAdd(2, b.region, 0, 1).entry(a.region, 0, 8),
                write(3, 600),
                Wr.read(4, b.region, 0).entry(a.region, 0, 8));
        a.turn();
        assertThat(pair.ab.sent()).hasSize(5);
        pair.requester().rewind(105); // the second packet of the WRITE
        a.schedule(qp);
        a.turn();
        assertThat(pair.ab.sent()).containsExactly("WRITE_MIDDLE 105 256B", "WRITE_LAST 106 ask 88B");
        assertThat(qp.outcome()).isEqualTo(QpContext.WAITING); // two READs are outstanding
        pair.requester().rewind(103);
        a.schedule(qp);
        a.turn();
        assertThat(pair.ab.sent().get(0)).isEqualTo("FETCH_ADD 103 ask at=0 value=1 compare=0");
    }

    @Test
    void acknowledgementBehindALostReadAsksForTheReadOnce() {
        a.post(qp, Wr.read(1, b.region, 0).entry(a.region, 0, 8), write(2, 1));
        a.turn();
        pair.ab.sent();
        a.scheduled.clear();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 101, QP_B, AethSyndrome.ACK));
        assertThat(a.scheduled).containsExactly(qp);
        assertThat(a.done()).isEmpty();
        a.turn();
        assertThat(pair.ab.sent())
                .containsExactly("READ_REQUEST 100 ask at=0 length=8", "WRITE_ONLY 101 ask at=1000 length=1 1B");
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 101, QP_B, AethSyndrome.PSN_SEQUENCE_ERROR));
        a.arrive(NIC_B, Packet.of(Opcode.ATOMIC_ACKNOWLEDGE, 0, QP_A, 101, QP_B, 0));
        assertThat(a.counted(NicCounter.RETRANSMISSIONS)).isOne();
        assertThat(qp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void refusalBehindALostReadAsksForTheRead() {
        a.post(qp, Wr.read(1, b.region, 0).entry(a.region, 0, 8), Wr.send(2).entry(a.region, 0, 1));
        a.turn();
        pair.ab.sent();
        a.arrive(NIC_B, Packet.acknowledge(QP_A, 101, QP_B, AethSyndrome.rnrNak(12)));
        a.turn();
        assertThat(pair.ab.log.get(0)).hasToString("READ_REQUEST 100 ask at=0 length=8");
        assertThat(a.counted(NicCounter.RECEIVER_NOT_READY)).isZero();
    }

    @Test
    void answerOfALaterReadBehindALostOneAsksForThatOne() {
        a.post(
                qp,
                Wr.read(1, b.region, 0).entry(a.region, 0, 8),
                Wr.read(2, b.region, 0).entry(a.region, 8, 8));
        a.turn();
        pair.ab.sent();
        a.arrive(NIC_B, Packet.of(Opcode.READ_RESPONSE_ONLY, 0, QP_A, 101, QP_B, 8));
        assertThat(a.done()).isEmpty();
        a.turn();
        assertThat(pair.ab.sent())
                .containsExactly("READ_REQUEST 100 ask at=0 length=8", "READ_REQUEST 101 ask at=0 length=8");
    }

    @Test
    void ownRegionThatGoesAsAnAnswerIsPlacedIsALocalError() {
        Wr[] requests = {
            Wr.read(1, b.region, 0).entry(a.region, 0, 8),
            Wr.fetchAdd(1, b.region, 0, 1).entry(a.region, 0, 8)
        };
        for (Wr request : requests) {
            TransportPair one = new TransportPair();
            one.a.post(one.qpA, request);
            one.a.turn();
            one.a.looks = 1; // the check
            one.settle();
            assertThat(one.a.done()).containsExactly("1 LOC_PROT_ERR solicited");
        }
    }

    // ---- states --------------------------------------------------------------------------------------------------

    @Test
    void movingToErrFlushes() {
        write(1, 1).post(qp.sendRing());
        qp.state(QpState.ERR);
        assertThat(a.done()).containsExactly("1 WR_FLUSH_ERR solicited");
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void whatIsPostedAfterThePeersDeathIsFlushed() {
        qp.requester().peerDied();
        write(1, 1).post(qp.sendRing());
        qp.requester().peerDied();
        assertThat(a.done()).containsExactly("1 WR_FLUSH_ERR solicited");
    }

    @Test
    void sendQueueInErrorFlushesAllThatIsPosted() {
        TransportPair uc = new TransportPair(QpType.UC);
        Wr.send(1).at(0, 0).entry(0x7777, 0, 8).post(uc.qpA.sendRing());
        Wr.send(2).entry(uc.a.region, 0, 8).post(uc.qpA.sendRing());
        uc.qpA.transmit(1000);
        assertThat(uc.a.done()).containsExactly("1 LOC_PROT_ERR solicited", "2 WR_FLUSH_ERR solicited");
        assertThat(uc.qpA.sendRing().isIdle()).isTrue();
    }
}

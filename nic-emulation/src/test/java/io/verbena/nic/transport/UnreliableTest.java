package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_A;
import static io.verbena.nic.transport.TransportPair.NIC_B;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.Opcode;
import org.junit.jupiter.api.Test;

/** Unreliable connections: a message arrives whole or not at all, nothing is answered, nothing is sent again. */
class UnreliableTest {
    private static final long LIFETIME = 1_000_000_000;

    private final TransportPair uc = new TransportPair(QpType.UC);
    private final FakeNic a = uc.a;
    private final FakeNic b = uc.b;
    private final QpContext qp = uc.qpA;

    private Wr send(long id, int length) {
        return Wr.send(id).entry(a.region, 40, length);
    }

    // ---- connections, sending
    // --------------------------------------------------------------------------------------------

    @Test
    void sendIsCompleteWhenItsLastPacketIsOnTheLink() {
        a.post(
                qp,
                send(1, 600).solicited(),
                Wr.write(2, b.region, 8).entry(a.region, 0, 5).immediate(9));
        a.turn();
        assertThat(uc.ab.sent())
                .containsExactly(
                        "SEND_FIRST 100 256B",
                        "SEND_MIDDLE 101 256B",
                        "SEND_LAST 102 solicited 88B",
                        "WRITE_ONLY_IMMEDIATE 103 at=8 length=5 immediate=9 5B");
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 600", "2 SUCCESS WRITE 5");
        b.receive(uc.qpB, 11, 0, 600);
        b.receive(uc.qpB, 12, 0, 0);
        uc.settle();
        assertThat(b.done())
                .containsExactly(
                        "11 SUCCESS RECEIVE 600 solicited", "12 SUCCESS RECEIVE_WRITE_IMMEDIATE 5 immediate=9");
        assertThat(b.bytes(0, 8)).isEqualTo(a.bytes(40, 8));
        assertThat(uc.ba.log).isEmpty();
        assertThat(a.timers).isEmpty();
    }

    @Test
    void psnsWrapAround() {
        TransportPair wraps = new TransportPair(QpType.UC, 0xFFFFFF, MTU);
        wraps.b.receive(wraps.qpB, 11, 0, 600);
        wraps.run(Wr.send(1).entry(wraps.a.region, 0, 300));
        assertThat(wraps.ab.sent()).containsExactly("SEND_FIRST 16777215 256B", "SEND_LAST 0 44B");
        assertThat(wraps.b.done()).containsExactly("11 SUCCESS RECEIVE 300");
    }

    @Test
    void visitEndsWhereItsBudgetDoes() {
        a.post(qp, send(1, 600), send(2, 1));
        assertThat(a.visit(qp, 1)).isEqualTo(16 + MTU);
        assertThat(qp.outcome()).isEqualTo(QpContext.MORE);
        assertThat(a.visit(qp, 16 + MTU + 1)).isEqualTo(16 + MTU + 16 + 88);
        assertThat(a.visit(qp, 100)).isEqualTo(17);
        assertThat(qp.outcome()).isEqualTo(QpContext.IDLE);
    }

    @Test
    void badLocalKeyStopsTheSendQueueAlone() {
        MemoryRegion other = a.region(64, Access.ALL, 2);
        a.receive(qp, 11, 0, 1);
        uc.run(send(1, 1), Wr.send(2).entry(other, 0, 8), send(3, 1));
        assertThat(a.done())
                .containsExactly("1 SUCCESS SEND 1", "2 LOC_PROT_ERR solicited", "3 WR_FLUSH_ERR solicited");
        assertThat(qp.state()).isEqualTo(QpState.SQE);
        uc.run(send(4, 1));
        assertThat(a.done()).containsExactly("4 WR_FLUSH_ERR solicited");
        a.arrive(NIC_B, Packet.of(Opcode.SEND_ONLY, 0, QP_A, 200, QP_B, 1)); // receiving goes on
        assertThat(a.done()).containsExactly("11 SUCCESS RECEIVE 1");
        qp.state(QpState.RTS);
        uc.run(send(5, 1));
        assertThat(a.done()).containsExactly("5 SUCCESS SEND 1");
    }

    @Test
    void appendLongerThanThePathMtuIsALengthError() {
        uc.run(Wr.append(1, 0, 1).entry(a.region, 0, MTU), Wr.append(2, 0, 1).entry(a.region, 0, MTU + 1));
        assertThat(a.done()).containsExactly("1 SUCCESS APPEND 256", "2 LOC_LEN_ERR solicited");
    }

    @Test
    void linkThatCarriesLessThanThePathMtuIsALengthError() {
        uc.ab.maxPacket = 16 + MTU - 1;
        uc.run(send(1, MTU - 1), send(2, MTU));
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 255", "2 LOC_LEN_ERR solicited");
        assertThat(qp.state()).isEqualTo(QpState.SQE);
    }

    @Test
    void withoutALinkPacketsAreDroppedAndCounted() {
        uc.cut();
        uc.run(send(1, 300));
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 300");
        assertThat(a.counted(NicCounter.PACKETS_DROPPED)).isEqualTo(2);
        uc.join(false);
        uc.ab.state = Link.State.DOWN;
        uc.run(send(2, 1));
        assertThat(a.counted(NicCounter.PACKETS_DROPPED)).isEqualTo(3);
        uc.ab.state = Link.State.UP;
        uc.run(send(3, 1));
        assertThat(uc.ab.sent()).containsExactly("SEND_ONLY 103 1B");
    }

    @Test
    void linkWithoutRoomIsWaitedFor() {
        uc.ab.room = 1;
        uc.run(send(1, 300));
        assertThat(qp.outcome()).isEqualTo(QpContext.BLOCKED);
        assertThat(qp.deadline()).isEqualTo(uc.now + LIFETIME);
        uc.advance(LIFETIME - 1);
        assertThat(a.done()).isEmpty();
        uc.ab.room = 1;
        uc.settle();
        assertThat(uc.ab.sent()).containsExactly("SEND_FIRST 100 256B", "SEND_LAST 101 44B");
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 300");
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void linkWithoutRoomIsGivenUpAfterASecond() {
        uc.ab.room = 0;
        uc.run(send(1, 300), send(2, 1));
        uc.advance(LIFETIME - 1);
        assertThat(a.done()).isEmpty();
        uc.advance(1);
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 300", "2 SUCCESS SEND 1");
        assertThat(a.counted(NicCounter.PACKETS_DROPPED)).isEqualTo(3);
        uc.run(send(3, 1)); // was not there then
        assertThat(a.done()).isEmpty();
        assertThat(qp.deadline()).isEqualTo(uc.now + LIFETIME);
    }

    @Test
    void whoWaitsForRoomGivesUpAsTheOthersDo() {
        qp.requester().awaitsRoom();
        assertThat(qp.deadline()).isEqualTo(Long.MAX_VALUE); // it has nothing to send
        send(1, 1).post(qp.sendRing());
        qp.requester().awaitsRoom();
        assertThat(qp.deadline()).isEqualTo(uc.now + LIFETIME);
        uc.now += 5;
        qp.requester().awaitsRoom();
        assertThat(qp.deadline()).isEqualTo(uc.now - 5 + LIFETIME);
    }

    @Test
    void regionThatGoesWithinAMessageIsALocalError() {
        MemoryRegion gone = a.region(1024, Access.ALL);
        a.post(qp, Wr.send(1).entry(gone, 0, 600));
        a.visit(qp, 1);
        a.regions.deregister(gone);
        a.visit(qp, 1000);
        assertThat(a.done()).containsExactly("1 LOC_PROT_ERR solicited");
    }

    @Test
    void drainingFinishesTheMessageUnderWay() {
        a.post(qp, send(1, 600), send(2, 1));
        a.visit(qp, 1);
        qp.state(QpState.SQD);
        assertThat(a.takeEvents()).isEmpty();
        uc.settle();
        assertThat(a.done()).containsExactly("1 SUCCESS SEND 600");
        assertThat(a.takeEvents()).containsExactly("SQ_DRAINED 3");
        assertThat(qp.outcome()).isEqualTo(QpContext.WAITING);
    }

    @Test
    void answersAreUnexpected() {
        qp.requester()
                .onResponse(Opcode.ACKNOWLEDGE, Packet.acknowledge(QP_A, 1, QP_B, AethSyndrome.ACK).buffer, 0, 24, 24);
        assertThat(a.counted(NicCounter.UNEXPECTED_RESPONSES)).isOne();
        qp.requester().peerDied();
        assertThat(qp.state()).isEqualTo(QpState.RTS);
        assertThat(qp.responder().acknowledge(uc.ab)).isTrue();
        assertThat(qp.responder().hasResponses()).isFalse();
        assertThat(qp.isNextDirect()).isFalse();
        assertThat(qp.executeNow(0, new InlineData(), 10)).isNegative();
        assertThat(uc.ab.log).isEmpty();
    }

    @Test
    void localRequestsAreDoneInTheirTurn() {
        uc.run(Wr.invalidate(1, 0x7777), send(2, 1));
        assertThat(a.done()).containsExactly("1 LOC_QP_OP_ERR solicited", "2 WR_FLUSH_ERR solicited");
        assertThat(qp.outcome()).isEqualTo(QpContext.IDLE);
    }

    // ---- connections, receiving
    // ------------------------------------------------------------------------------------------

    private static Packet packet(Opcode opcode, int psn, int payload) {
        return Packet.of(opcode, 0, QP_B, psn, QP_A, payload);
    }

    private void arrive(Packet... packets) {
        for (Packet packet : packets) {
            b.arrive(NIC_A, packet);
        }
    }

    @Test
    void messageWithAGapIsDroppedWholeAndItsReceiveKept() {
        b.receive(uc.qpB, 11, 0, 1000);
        arrive(
                packet(Opcode.SEND_FIRST, 100, MTU),
                packet(Opcode.SEND_MIDDLE, 102, MTU),
                packet(Opcode.SEND_LAST, 103, 5));
        assertThat(b.done()).isEmpty();
        assertThat(b.counted(NicCounter.PACKETS_DROPPED)).isEqualTo(3); // what was begun, and two that follow nothing
        arrive(packet(Opcode.SEND_ONLY, 104, 7));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 7");
        assertThat(uc.qpB.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void newMessageInterruptsTheOneUnderWay() {
        b.receive(uc.qpB, 11, 0, 1000);
        arrive(packet(Opcode.SEND_FIRST, 100, MTU), packet(Opcode.SEND_ONLY, 101, 7));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 7");
        assertThat(b.counted(NicCounter.PACKETS_DROPPED)).isOne();
    }

    @Test
    void messageAfterAGapBetweenMessagesIsTaken() {
        b.receive(uc.qpB, 11, 0, 1000);
        arrive(packet(Opcode.SEND_ONLY, 150, 7));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 7");
        assertThat(b.counted(NicCounter.PACKETS_DROPPED)).isZero();
    }

    @Test
    void copiesAndWhatWasOvertakenAreDropped() {
        b.receive(uc.qpB, 11, 0, 1000);
        b.receive(uc.qpB, 12, 0, 1000);
        arrive(packet(Opcode.SEND_ONLY, 100, 7), packet(Opcode.SEND_ONLY, 100, 7));
        arrive(packet(Opcode.SEND_ONLY, 101 - (1 << 16), 7));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 7");
        assertThat(b.counted(NicCounter.PACKETS_DROPPED)).isEqualTo(2);
        arrive(packet(Opcode.SEND_ONLY, 100 - (1 << 16), 7)); // so far behind: the sender has gone round
        assertThat(b.done()).containsExactly("12 SUCCESS RECEIVE 7");
    }

    @Test
    void messageWithoutAReceiveIsDropped() {
        arrive(packet(Opcode.SEND_FIRST, 100, MTU), packet(Opcode.SEND_LAST, 101, 7));
        assertThat(b.counted(NicCounter.PACKETS_DROPPED)).isEqualTo(2);
        b.receive(uc.qpB, 11, 0, 1000);
        arrive(packet(Opcode.SEND_ONLY, 102, 7));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 7");
    }

    @Test
    void messageTooLongForItsReceiveIsDroppedAndTheReceiveKept() {
        b.receive(uc.qpB, 11, 0, 10);
        arrive(packet(Opcode.SEND_ONLY, 100, 11));
        assertThat(b.counted(NicCounter.PACKETS_DROPPED)).isOne();
        arrive(packet(Opcode.SEND_ONLY, 101, 10));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 10");
        assertThat(b.takeEvents()).isEmpty();
    }

    @Test
    void packetsOfTheWrongSizeAreDropped() {
        b.receive(uc.qpB, 11, 0, 1000);
        arrive(packet(Opcode.SEND_ONLY, 100, MTU + 1), packet(Opcode.SEND_FIRST, 101, MTU - 1));
        assertThat(b.counted(NicCounter.PACKETS_DROPPED)).isEqualTo(2);
        arrive(packet(Opcode.SEND_ONLY, 102, MTU));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 256");
    }

    @Test
    void badReceiveEndsInItsErrorAndTheQueuePairToo() {
        b.receive(uc.qpB, 11, 0x7777, 0, 100);
        b.receive(uc.qpB, 12, 0, 100);
        arrive(packet(Opcode.SEND_ONLY, 100, 5));
        assertThat(b.done()).containsExactly("11 LOC_PROT_ERR solicited", "12 WR_FLUSH_ERR solicited");
        assertThat(uc.qpB.state()).isEqualTo(QpState.ERR);
        arrive(packet(Opcode.SEND_ONLY, 101, 5));
        assertThat(b.done()).isEmpty();
    }

    @Test
    void writeUnderABadKeyIsDroppedAndItsReceiveKept() {
        b.receive(uc.qpB, 11, 0, 100);
        arrive(packet(Opcode.WRITE_ONLY_IMMEDIATE, 100, 5).reth(0, 0x7777, 5));
        assertThat(b.done()).isEmpty();
        assertThat(b.counted(NicCounter.PACKETS_DROPPED)).isOne();
        arrive(packet(Opcode.WRITE_ONLY_IMMEDIATE, 101, 5)
                .reth(0, b.region.key(), 5)
                .immediate(3));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE_WRITE_IMMEDIATE 5 immediate=3");
    }

    @Test
    void sendThatCannotInvalidateIsDroppedAndItsReceiveKept() {
        b.receive(uc.qpB, 11, 0, 100);
        arrive(packet(Opcode.SEND_ONLY_INVALIDATE, 100, 5).invalidates(0x7777));
        assertThat(b.done()).isEmpty();
        arrive(packet(Opcode.SEND_ONLY, 101, 6));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 6");
    }

    @Test
    void appendArrivesOrIsDropped() {
        AppendQueue queue = b.appendQueue(1000);
        uc.run(
                Wr.append(1, queue.id(), queue.key()).entry(a.region, 40, 100),
                Wr.append(2, queue.id(), queue.key() + 1).entry(a.region, 40, 100),
                Wr.append(3, queue.id(), queue.key()).entry(a.region, 40, 1).immediate(6));
        assertThat(b.messages(queue)).hasSize(2).last().asString().startsWith("1B immediate=6 of 5");
        assertThat(b.counted(NicCounter.PACKETS_DROPPED)).isOne();
        assertThat(uc.ab.sent())
                .containsExactly(
                        "APPEND_ONLY 100 queue=0 length=100 100B",
                        "APPEND_ONLY 101 queue=0 length=100 100B",
                        "APPEND_ONLY_IMMEDIATE 102 queue=0 length=1 immediate=6 1B");
    }
}

package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_A;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.port.Link;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.junit.jupiter.api.Test;

/** Requests that come twice are answered twice and done once; READs and atomics from saved responder resources. */
class DuplicateRequestsTest {
    private final TransportPair pair = new TransportPair();
    private final FakeNic b = pair.b;
    private final int key = b.region.key();

    private static Packet packet(Opcode opcode, int psn, int payload) {
        return Packet.of(opcode, BthFlyweight.ACK_REQUEST, QP_B, psn, QP_A, payload);
    }

    private Packet read(int psn, int offset, int length) {
        return packet(Opcode.READ_REQUEST, psn, 0).reth(offset, key, length);
    }

    private Packet fetchAdd(int psn, int offset) {
        return packet(Opcode.FETCH_ADD, psn, 0).atomic(offset, key, 1, 0);
    }

    private void arrive(Packet... packets) {
        for (Packet packet : packets) {
            b.arrive(NIC_A, packet);
        }
        b.turn();
        b.turn();
    }

    @Test
    void duplicateSendConsumesNothing() {
        b.receive(pair.qpB, 11, 0, 8);
        b.receive(pair.qpB, 12, 0, 8);
        arrive(packet(Opcode.SEND_ONLY, 100, 1));
        arrive(packet(Opcode.SEND_ONLY, 100, 1));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 1");
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 ACK msn=1", "ACKNOWLEDGE 100 ACK msn=1");
        assertThat(b.counted(NicCounter.DUPLICATE_REQUESTS)).isOne();
    }

    @Test
    void duplicateWriteWritesNothing() {
        arrive(packet(Opcode.WRITE_ONLY, 100, 1).reth(0, key, 1));
        b.region.buffer().putByte(0, (byte) 99);
        arrive(packet(Opcode.WRITE_ONLY, 100, 1).reth(0, key, 1));
        assertThat(b.bytes(0, 1)).containsExactly(99);
    }

    @Test
    void duplicateIsAcknowledgedUpToTheNewest() {
        for (int psn = 100; psn < 105; psn++) {
            arrive(packet(Opcode.WRITE_ONLY, psn, 1).reth(0, key, 1));
        }
        pair.ba.sent();
        arrive(packet(Opcode.WRITE_ONLY, 101, 1).reth(0, key, 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 104 ACK msn=5");
    }

    @Test
    void duplicateOfAnOlderMessageIsNoPartOfTheOneUnderWay() {
        b.receive(pair.qpB, 11, 0, 1000);
        b.receive(pair.qpB, 12, 2000, 1000);
        arrive(packet(Opcode.SEND_ONLY, 100, 5), packet(Opcode.SEND_FIRST, 101, MTU));
        arrive(packet(Opcode.SEND_ONLY, 100, 5), read(99, 0, 8), packet(Opcode.SEND_LAST, 102, 7));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 5", "12 SUCCESS RECEIVE 263");
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void duplicateAtomicIsAnsweredFromTheSavedValue() {
        b.region.buffer().putLong(8, 41);
        arrive(fetchAdd(100, 8));
        b.region.buffer().putLong(8, 50);
        arrive(fetchAdd(100, 8));
        assertThat(pair.ba.sent())
                .containsExactly(
                        "ATOMIC_ACKNOWLEDGE 100 ACK msn=1 original=41", "ATOMIC_ACKNOWLEDGE 100 ACK msn=1 original=41");
        assertThat(b.region.buffer().getLong(8)).isEqualTo(50);
    }

    @Test
    void duplicateReadIsReadAgain() {
        arrive(read(100, 0, 300));
        pair.ba.sent();
        b.region.buffer().putByte(0, (byte) 99);
        arrive(read(100, 0, 300));
        assertThat(pair.ba.log.get(0).payload()[0]).isEqualTo((byte) 99);
        assertThat(pair.ba.sent())
                .containsExactly("READ_RESPONSE_FIRST 100 ACK msn=1 256B", "READ_RESPONSE_LAST 101 ACK msn=1 44B");
    }

    @Test
    void duplicateReadGoesOnWhereItIsAskedFor() {
        arrive(read(100, 1000, 600));
        pair.ba.sent();
        arrive(read(101, 1000 + MTU, 600 - MTU));
        assertThat(pair.ba.log.get(0).payload()).isEqualTo(b.bytes(1000 + MTU, MTU));
        assertThat(pair.ba.sent())
                .containsExactly("READ_RESPONSE_MIDDLE 101 256B", "READ_RESPONSE_LAST 102 ACK msn=1 88B");
    }

    @Test
    void allAnswersBehindADuplicateAreGivenAgain() {
        b.region.buffer().putLong(8, 41);
        arrive(read(100, 0, 300), fetchAdd(102, 8), read(103, 0, 300));
        pair.ba.sent();
        arrive(fetchAdd(102, 8));
        assertThat(pair.ba.sent())
                .containsExactly(
                        "ATOMIC_ACKNOWLEDGE 102 ACK msn=3 original=41",
                        "READ_RESPONSE_FIRST 103 ACK msn=3 256B",
                        "READ_RESPONSE_LAST 104 ACK msn=3 44B");
        arrive(read(100, 0, 300));
        assertThat(pair.ba.log).hasSize(5);
    }

    @Test
    void duplicateOfAnotherReadIsNotAnswered() {
        arrive(read(100, 1000, 600));
        pair.ba.sent();
        arrive(packet(Opcode.READ_REQUEST, 100, 0).reth(1000, key + 1, 600));
        arrive(read(100, 1001, 600));
        arrive(read(100, 1000, 599));
        arrive(read(101, 1000 + MTU - 1, 600 - MTU));
        for (Packet packet : new Packet[] {read(100, 1001, 600), fetchAdd(100, 8), read(90, 0, 8)}) {
            b.arrive(NIC_A, packet);
            assertThat(b.scheduled).isEmpty();
        }
        arrive();
        assertThat(pair.ba.log).isEmpty();
        assertThat(b.counted(NicCounter.DUPLICATE_REQUESTS)).isEqualTo(7);
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void atomicIsNotAnsweredAsARead() {
        arrive(fetchAdd(100, 8));
        pair.ba.sent();
        arrive(read(100, 8, 8));
        assertThat(pair.ba.log).isEmpty();
    }

    @Test
    void asManyAreKeptAsTheResponderHasResources() {
        for (int psn = 100; psn < 105; psn++) {
            arrive(fetchAdd(psn, 8));
        }
        pair.ba.sent();
        arrive(fetchAdd(100, 8));
        assertThat(pair.ba.log).isEmpty();
        arrive(fetchAdd(101, 8));
        assertThat(pair.ba.log).hasSize(4);
    }

    @Test
    void duplicateWhileItsAnswerIsUnderWayGoesBackInIt() {
        pair.ba.room = 3;
        arrive(read(100, 0, 4 * MTU));
        assertThat(pair.ba.sent()).hasSize(3);
        pair.ba.room = 10;
        arrive(read(101, MTU, 3 * MTU));
        assertThat(pair.ba.sent())
                .containsExactly(
                        "READ_RESPONSE_MIDDLE 101 256B",
                        "READ_RESPONSE_MIDDLE 102 256B",
                        "READ_RESPONSE_LAST 103 ACK msn=1 256B");
    }

    @Test
    void duplicateAheadOfWhatIsUnderWayDoesNotSkip() {
        pair.ba.room = 1;
        arrive(read(100, 0, 4 * MTU));
        pair.ba.sent();
        pair.ba.room = 10;
        arrive(read(103, 3 * MTU, MTU));
        assertThat(pair.ba.sent())
                .containsExactly(
                        "READ_RESPONSE_MIDDLE 101 256B",
                        "READ_RESPONSE_MIDDLE 102 256B",
                        "READ_RESPONSE_LAST 103 ACK msn=1 256B");
    }

    @Test
    void duplicatesDoNotTakeResourcesFromNewRequests() {
        arrive(read(100, 0, 8), read(101, 0, 8), read(102, 0, 8), read(103, 0, 8));
        pair.ba.sent();
        pair.ba.room = 0;
        arrive(read(100, 0, 8)); // all four are to be answered again
        arrive(read(104, 0, 8)); // who asks for more has got the first
        pair.ba.room = 10;
        arrive();
        assertThat(pair.ba.sent())
                .containsExactly(
                        "READ_RESPONSE_ONLY 101 ACK msn=5 8B",
                        "READ_RESPONSE_ONLY 102 ACK msn=5 8B",
                        "READ_RESPONSE_ONLY 103 ACK msn=5 8B",
                        "READ_RESPONSE_ONLY 104 ACK msn=5 8B");
        assertThat(b.takeEvents()).isEmpty();
    }

    @Test
    void answersEndWhereTheBudgetDoes() {
        b.arrive(NIC_A, read(100, 0, 3 * MTU));
        assertThat(b.visit(pair.qpB, MTU)).isEqualTo(24 + MTU); // BTH, AETH
        assertThat(pair.qpB.outcome()).isEqualTo(QpContext.MORE);
        assertThat(pair.qpB.operations()).isZero();
        assertThat(b.visit(pair.qpB, 16 + MTU)).isEqualTo(16 + MTU);
        assertThat(pair.qpB.outcome()).isEqualTo(QpContext.MORE);
        assertThat(b.visit(pair.qpB, 1)).isEqualTo(24 + MTU);
        assertThat(pair.qpB.operations()).isOne();
        assertThat(pair.qpB.outcome()).isEqualTo(QpContext.MORE); // no budget is left to look for requests
        assertThat(pair.ba.log).hasSize(3);
        assertThat(b.visit(pair.qpB, 1)).isZero();
        assertThat(pair.qpB.outcome()).isEqualTo(QpContext.IDLE);
    }

    @Test
    void answersAreChargedWithTheLinksOverhead() {
        pair.ba.overhead = 30;
        b.path(NIC_A).attach(pair.ba);
        b.arrive(NIC_A, fetchAdd(100, 8));
        assertThat(b.visit(pair.qpB, 1000)).isEqualTo(32 + 30); // BTH, AETH, AtomicAckETH
        assertThat(pair.qpB.operations()).isOne();
    }

    @Test
    void answersComeBeforeRequestsOfThisSide() {
        b.arrive(NIC_A, fetchAdd(100, 8));
        b.post(pair.qpB, Wr.write(1, pair.a.region, 0).entry(b.region, 0, 1));
        b.turn();
        assertThat(pair.ba.log.get(0).opcode).isEqualTo(Opcode.ATOMIC_ACKNOWLEDGE);
        assertThat(pair.ba.log.get(1)).hasToString("WRITE_ONLY 200 ask at=0 length=1 1B");
        assertThat(pair.qpB.operations()).isEqualTo(2);
    }

    @Test
    void answersWaitForALinkThatIsUp() {
        pair.ba.state = Link.State.DOWN;
        b.arrive(NIC_A, fetchAdd(100, 8));
        assertThat(b.visit(pair.qpB, 1000)).isZero();
        assertThat(pair.qpB.outcome()).isEqualTo(QpContext.BLOCKED);
        b.path(NIC_A).detach();
        assertThat(b.visit(pair.qpB, 1000)).isZero();
        assertThat(pair.qpB.outcome()).isEqualTo(QpContext.BLOCKED);
        pair.join(false);
        assertThat(b.visit(pair.qpB, 1000)).isEqualTo(32);
        assertThat(pair.qpB.outcome()).isEqualTo(QpContext.IDLE);
    }

    @Test
    void atomicWithoutRoomIsAnsweredLater() {
        pair.ba.room = 0;
        arrive(fetchAdd(100, 8));
        assertThat(pair.qpB.outcome()).isEqualTo(QpContext.BLOCKED);
        assertThat(pair.qpB.hasWork()).isTrue();
        pair.ba.room = 1;
        arrive();
        assertThat(pair.ba.log).hasSize(1);
        assertThat(pair.qpB.hasWork()).isFalse();
    }

    @Test
    void regionThatGoesBeforeItsAnswerIsNakkedAndEndsTheQueuePair() {
        MemoryRegion gone = b.region(1024, Access.ALL);
        b.arrive(NIC_A, packet(Opcode.READ_REQUEST, 100, 0).reth(0, gone.key(), 600));
        b.arrive(NIC_A, read(103, 0, 8));
        b.visit(pair.qpB, 1);
        b.regions.deregister(gone);
        assertThat(b.visit(pair.qpB, 1)).isEqualTo(24);
        assertThat(pair.ba.sent())
                .containsExactly("READ_RESPONSE_FIRST 100 ACK msn=2 256B", "ACKNOWLEDGE 101 ACCESS msn=2");
        assertThat(pair.qpB.state()).isEqualTo(QpState.ERR);
        assertThat(pair.qpB.hasWork()).isFalse();
    }

    @Test
    void regionThatGoesBeforeADuplicateIsNakkedAndNoMore() {
        MemoryRegion gone = b.region(1024, Access.ALL);
        arrive(packet(Opcode.READ_REQUEST, 100, 0).reth(0, gone.key(), 8), read(101, 0, 8));
        b.regions.deregister(gone);
        pair.ba.sent();
        arrive(packet(Opcode.READ_REQUEST, 100, 0).reth(0, gone.key(), 8));
        assertThat(pair.ba.sent())
                .containsExactly("ACKNOWLEDGE 100 ACCESS msn=2", "READ_RESPONSE_ONLY 101 ACK msn=2 8B");
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void answerLongerThanTheLinkCarriesIsAnOperationalError() {
        pair.ba.maxPacket = 200;
        arrive(read(100, 0, 300));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 OPERATIONAL msn=1");
        assertThat(pair.qpB.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void answerAsLongAsTheLinkCarriesIsSent() {
        pair.ba.maxPacket = 24 + MTU;
        arrive(read(100, 0, 300));
        assertThat(pair.ba.log).hasSize(2);
    }

    @Test
    void emptyReadIsAnsweredAgain() {
        arrive(read(100, 0, 0));
        arrive(read(100, 0, 0));
        assertThat(pair.ba.sent())
                .containsExactly("READ_RESPONSE_ONLY 100 ACK msn=1 0B", "READ_RESPONSE_ONLY 100 ACK msn=1 0B");
    }

    @Test
    void duplicatesAreFoundAcrossTheWrap() {
        TransportPair wraps = new TransportPair(QpType.RC, 0xFFFFFF, MTU);
        FakeNic nic = wraps.b;
        Packet read = packet(Opcode.READ_REQUEST, 0xFFFFFF, 0).reth(1000, nic.region.key(), 600);
        nic.arrive(NIC_A, read);
        nic.turn();
        wraps.ba.sent();
        nic.arrive(NIC_A, packet(Opcode.READ_REQUEST, 0, 0).reth(1000 + MTU, nic.region.key(), 600 - MTU));
        nic.turn();
        assertThat(wraps.ba.sent())
                .containsExactly("READ_RESPONSE_MIDDLE 0 256B", "READ_RESPONSE_LAST 1 ACK msn=1 88B");
    }

    @Test
    void noResourcesRefuseReadsAndAtomics() {
        FakeNic nic = new FakeNic(0xC0, () -> pair.now);
        QpContext qp = nic.newQueuePair(QpType.RC, QP_B);
        qp.connect(nic.path(NIC_A), QP_A, MTU, 100, 0);
        qp.state(QpState.RTR);
        nic.arrive(NIC_A, packet(Opcode.READ_REQUEST, 100, 0).reth(0, nic.region.key(), 8));
        assertThat(nic.takeEvents()).containsExactly("COMM_EST 5", "QP_REQ_ERR 5");
        assertThat(qp.state()).isEqualTo(QpState.ERR);
    }

    @Test
    void errorForgetsAnswersThatAreDue() {
        pair.ba.room = 0;
        arrive(read(100, 0, 8));
        assertThat(pair.qpB.hasWork()).isTrue();
        pair.qpB.error();
        assertThat(pair.qpB.hasWork()).isFalse();
        pair.ba.room = 10;
        arrive();
        assertThat(pair.ba.log).isEmpty();
    }

    @Test
    void answersThatTheLinkTookAreChargedThoughItHasNoMoreRoom() {
        pair.ba.room = 1;
        b.arrive(NIC_A, read(100, 0, 300));
        assertThat(b.visit(pair.qpB, 10_000)).isEqualTo(24 + MTU);
        assertThat(pair.qpB.outcome()).isEqualTo(QpContext.BLOCKED);
        pair.ba.room = 10;
        b.arrive(NIC_A, fetchAdd(102, 8));
        pair.qpB.transmit(10_000);
        assertThat(b.touched).containsOnly(b.path(NIC_A)).hasSize(2); // for each answer
    }

    @Test
    void acknowledgementIsNotSentWhileAnswersAreDue() {
        b.arrive(NIC_A, read(100, 0, 8));
        b.arrive(NIC_A, packet(Opcode.WRITE_ONLY, 101, 1).reth(0, key, 1));
        assertThat(pair.qpB.responder().acknowledge(pair.ba)).isTrue(); // it is asked again behind them
        assertThat(pair.ba.log).isEmpty();
        b.acknowledging.clear();
        b.visit(pair.qpB, 1000);
        assertThat(b.acknowledging).containsExactly(pair.qpB);
        assertThat(pair.qpB.responder().acknowledge(pair.ba)).isTrue();
        assertThat(pair.qpB.responder().acknowledge(pair.ba)).isTrue();
        assertThat(pair.ba.sent()).containsExactly("READ_RESPONSE_ONLY 100 ACK msn=2 8B", "ACKNOWLEDGE 101 ACK msn=2");
    }

    @Test
    void answersWithoutAnAcknowledgementDueAskForNone() {
        b.arrive(NIC_A, read(100, 0, 8));
        b.visit(pair.qpB, 1000);
        assertThat(b.acknowledging).isEmpty();
    }

    @Test
    void requestBehindAFailingOneHasItsNakSentAgain() {
        pair.ba.room = 0;
        b.arrive(NIC_A, read(100, 0, 8));
        b.arrive(NIC_A, packet(Opcode.WRITE_ONLY, 101, 1).reth(0, 0x7777, 1));
        b.acknowledging.clear(); // went with its link
        b.arrive(NIC_A, packet(Opcode.WRITE_ONLY, 101, 1).reth(0, key, 1));
        assertThat(b.acknowledging).containsExactly(pair.qpB);
        b.arrive(NIC_A, packet(Opcode.WRITE_ONLY, 99, 1).reth(0, key, 1)); // older ones are duplicates all the same
        assertThat(b.counted(NicCounter.DUPLICATE_REQUESTS)).isOne();
    }

    @Test
    void readAnswerInAWindowThatIsTakenBackIsAnAccessError() {
        MemoryRegion readable = b.region(1024, Access.LOCAL_WRITE | Access.REMOTE_READ | Access.MW_BIND);
        MemoryWindow window = b.regions.allocateWindow(MemoryWindow.Type.TYPE_1, FakeNic.PD);
        int windowKey = window.nextKey();
        b.regions.bind(windowKey, readable.key(), 0, 1024, Access.REMOTE_READ, FakeNic.PD, QP_B);
        b.arrive(NIC_A, packet(Opcode.READ_REQUEST, 100, 0).reth(0, windowKey, 600));
        b.visit(pair.qpB, 1);
        b.regions.bind(windowKey, readable.key(), 0, 100, Access.REMOTE_READ, FakeNic.PD, QP_B); // shorter
        b.visit(pair.qpB, 1);
        assertThat(pair.ba.sent())
                .containsExactly("READ_RESPONSE_FIRST 100 ACK msn=1 256B", "ACKNOWLEDGE 101 ACCESS msn=1");
    }
}

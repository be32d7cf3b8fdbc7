package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_A;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * In which order a reliable responder judges a request: PSN, opcode sequence, access, receive request or resource,
 * length, key. Each packet here is wrong in all that comes behind what it is refused for.
 */
class ResponderChecksTest {
    private static final int ASK = BthFlyweight.ACK_REQUEST;
    private static final int BAD_KEY = 0x7777;

    private final TransportPair pair = new TransportPair();
    private final FakeNic b = pair.b;

    private static Packet packet(Opcode opcode, int psn, int payload) {
        return Packet.of(opcode, ASK, QP_B, psn, QP_A, payload);
    }

    private void arrive(Packet... packets) {
        for (Packet packet : packets) {
            b.arrive(NIC_A, packet);
        }
        b.turn();
        b.turn();
    }

    private void refused(String answer, String event) {
        assertThat(pair.ba.sent()).containsExactly(answer);
        assertThat(b.takeEvents()).containsExactly(event);
        assertThat(pair.qpB.state()).isEqualTo(QpState.ERR);
    }

    // ---- PSN -----------------------------------------------------------------------------------------------------

    @Test
    void psnIsLookedAtBeforeAllElse() {
        arrive(packet(Opcode.WRITE_MIDDLE, 101, MTU + 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 SEQUENCE msn=0");
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
        assertThat(b.takeEvents()).isEmpty();
    }

    @Test
    void gapIsToldOfOnceUntilTheMissingPacketComes() {
        arrive(packet(Opcode.SEND_ONLY, 101, 1));
        arrive(packet(Opcode.SEND_ONLY, 102, 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 SEQUENCE msn=0");
        b.receive(pair.qpB, 11, 0, 8);
        arrive(packet(Opcode.SEND_ONLY, 100, 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 ACK msn=1");
        arrive(packet(Opcode.SEND_ONLY, 105, 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 101 SEQUENCE msn=1");
        assertThat(b.counted(NicCounter.OUT_OF_SEQUENCE)).isEqualTo(3);
    }

    @Test
    void missingPacketThatComesBeforeTheNakLeavesTakesItBack() {
        b.receive(pair.qpB, 11, 0, 8);
        arrive(packet(Opcode.SEND_ONLY, 101, 1), packet(Opcode.SEND_ONLY, 100, 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 ACK msn=1");
    }

    @Test
    void halfTheNumbersAheadIsBehind() {
        arrive(packet(Opcode.SEND_ONLY, 100 + (1 << 23) - 1, 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 SEQUENCE msn=0");
        arrive(packet(Opcode.SEND_ONLY, 100 + (1 << 23), 1));
        assertThat(b.counted(NicCounter.DUPLICATE_REQUESTS)).isOne();
    }

    // ---- opcode sequence -----------------------------------------------------------------------------------------

    @Test
    void middleWithoutAFirstIsInvalidBeforeItsLength() {
        arrive(packet(Opcode.SEND_MIDDLE, 100, MTU + 1));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
    }

    @Test
    void newMessageWithinAnotherIsInvalid() {
        b.receive(pair.qpB, 11, 0, 1000);
        arrive(packet(Opcode.SEND_FIRST, 100, MTU), packet(Opcode.SEND_ONLY, 101, 1));
        refused("ACKNOWLEDGE 101 INVALID msn=0", "QP_REQ_ERR 5");
        assertThat(b.done()).containsExactly("11 WR_FLUSH_ERR solicited");
    }

    @Test
    void otherFamilyWithinAMessageIsInvalid() {
        b.receive(pair.qpB, 11, 0, 1000);
        arrive(packet(Opcode.SEND_FIRST, 100, MTU), packet(Opcode.WRITE_LAST, 101, 1));
        refused("ACKNOWLEDGE 101 INVALID msn=0", "QP_REQ_ERR 5");
    }

    @Test
    void packetLongerThanThePathMtuIsInvalid() {
        b.receive(pair.qpB, 11, 0, 1000);
        arrive(packet(Opcode.SEND_ONLY, 100, MTU + 1));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
        assertThat(b.done()).containsExactly("11 WR_FLUSH_ERR solicited"); // it was not taken
    }

    @Test
    void packetThatIsNotTheLastMustBeFull() {
        b.receive(pair.qpB, 11, 0, 1000);
        arrive(packet(Opcode.SEND_FIRST, 100, MTU - 1));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
    }

    // ---- SEND ----------------------------------------------------------------------------------------------------

    @Test
    void sendLongerThanItsReceiveIsInvalidAndEndsIt() {
        b.receive(pair.qpB, 11, 0, 9);
        b.receive(pair.qpB, 12, 0, 9);
        arrive(packet(Opcode.SEND_ONLY, 100, 10));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
        assertThat(b.done()).containsExactly("11 LOC_LEN_ERR solicited", "12 WR_FLUSH_ERR solicited");
    }

    @Test
    void sendThatJustFitsItsReceiveIsTaken() {
        b.receive(pair.qpB, 11, 0, 10);
        arrive(packet(Opcode.SEND_ONLY, 100, 10));
        assertThat(b.done()).containsExactly("11 SUCCESS RECEIVE 10");
    }

    @Test
    void sendThatOutgrowsItsReceiveInALaterPacket() {
        b.receive(pair.qpB, 11, 0, MTU + 9);
        arrive(packet(Opcode.SEND_FIRST, 100, MTU), packet(Opcode.SEND_LAST, 101, 10));
        refused("ACKNOWLEDGE 101 INVALID msn=0", "QP_REQ_ERR 5");
        assertThat(b.done()).containsExactly("11 LOC_LEN_ERR solicited");
    }

    @Test
    void receiveWhoseKeyIsBadIsARemoteOperationalError() {
        b.receive(pair.qpB, 11, BAD_KEY, 0, 5);
        arrive(packet(Opcode.SEND_ONLY, 100, 10)); // too long as well
        refused("ACKNOWLEDGE 100 OPERATIONAL msn=0", "QP_REQ_ERR 5");
        assertThat(b.done()).containsExactly("11 LOC_PROT_ERR solicited");
    }

    @Test
    void receiveIntoWhatMayNotBeWrittenIsALocalError() {
        MemoryRegion readOnly = b.region(64, Access.REMOTE_READ);
        b.receive(pair.qpB, 11, readOnly.key(), 0, 50);
        arrive(packet(Opcode.SEND_ONLY, 100, 10));
        refused("ACKNOWLEDGE 100 OPERATIONAL msn=0", "QP_REQ_ERR 5");
        assertThat(b.done()).containsExactly("11 LOC_PROT_ERR solicited");
    }

    @Test
    void receiveWhoseRegionGoesWithinTheMessageIsALocalError() {
        MemoryRegion gone = b.region(1024, Access.ALL);
        b.receive(pair.qpB, 11, gone.key(), 0, 1000);
        arrive(packet(Opcode.SEND_FIRST, 100, MTU));
        b.regions.deregister(gone);
        pair.ba.sent();
        arrive(packet(Opcode.SEND_LAST, 101, 1));
        refused("ACKNOWLEDGE 101 OPERATIONAL msn=0", "QP_REQ_ERR 5");
        assertThat(b.done()).containsExactly("11 LOC_PROT_ERR solicited");
    }

    // ---- WRITE ---------------------------------------------------------------------------------------------------

    @Test
    void writeNeedsTheQueuePairsAccessFirst() {
        pair.qpB.access(Access.REMOTE_READ | Access.REMOTE_ATOMIC);
        arrive(packet(Opcode.WRITE_ONLY_IMMEDIATE, 100, 10).reth(0, BAD_KEY, 11));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
    }

    @Test
    void writeWithImmediateNeedsAReceiveBeforeItsLength() {
        arrive(packet(Opcode.WRITE_ONLY_IMMEDIATE, 100, 10).reth(0, BAD_KEY, 11));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 RNR12 msn=0");
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void writeOfAnotherLengthIsInvalidBeforeItsKey() {
        b.receive(pair.qpB, 11, 0, 8);
        arrive(packet(Opcode.WRITE_ONLY_IMMEDIATE, 100, 10).reth(0, BAD_KEY, 11));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
        assertThat(b.done()).containsExactly("11 LOC_ACCESS_ERR solicited");
    }

    @Test
    void writeUnderABadKeyIsAnAccessError() {
        b.receive(pair.qpB, 11, 0, 8);
        arrive(packet(Opcode.WRITE_ONLY_IMMEDIATE, 100, 10).reth(0, BAD_KEY, 10));
        refused("ACKNOWLEDGE 100 ACCESS msn=0", "QP_ACCESS_ERR 5");
        assertThat(b.done()).containsExactly("11 LOC_ACCESS_ERR solicited");
    }

    @Test
    void writeWithoutImmediateTakesNoReceiveWithItWhenItFails() {
        b.receive(pair.qpB, 11, 0, 8);
        arrive(packet(Opcode.WRITE_ONLY, 100, 10).reth(0, BAD_KEY, 10));
        assertThat(b.done()).containsExactly("11 WR_FLUSH_ERR solicited");
    }

    @Test
    void writeBehindTheEndOfItsRegionIsAnAccessError() {
        arrive(packet(Opcode.WRITE_ONLY, 100, 10).reth(FakeNic.REGION - 9, b.region.key(), 10));
        refused("ACKNOWLEDGE 100 ACCESS msn=0", "QP_ACCESS_ERR 5");
        assertThat(b.bytes(FakeNic.REGION - 1, 1)[0]).isEqualTo(FakeNic.pattern(b.id, FakeNic.REGION - 1));
    }

    @Test
    void writeIntoWhatPeersMayNotWriteIsAnAccessError() {
        MemoryRegion local = b.region(64, Access.LOCAL_WRITE | Access.REMOTE_READ);
        arrive(packet(Opcode.WRITE_ONLY, 100, 10).reth(0, local.key(), 10));
        refused("ACKNOWLEDGE 100 ACCESS msn=0", "QP_ACCESS_ERR 5");
    }

    @Test
    void writeIntoAnotherDomainsRegionIsAnAccessError() {
        MemoryRegion other = b.region(64, Access.ALL, FakeNic.PD + 1);
        arrive(packet(Opcode.WRITE_ONLY, 100, 10).reth(0, other.key(), 10));
        refused("ACKNOWLEDGE 100 ACCESS msn=0", "QP_ACCESS_ERR 5");
    }

    @Test
    void writeOfNegativeLengthIsInvalid() {
        arrive(packet(Opcode.WRITE_FIRST, 100, MTU).reth(0, b.region.key(), -1));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
    }

    @Test
    void firstPacketThatIsAllOfItsWriteIsInvalid() {
        arrive(packet(Opcode.WRITE_FIRST, 100, MTU).reth(0, b.region.key(), MTU));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
    }

    @Test
    void lastPacketThatEndsItsWriteEarlyIsInvalid() {
        arrive(
                packet(Opcode.WRITE_FIRST, 100, MTU).reth(0, b.region.key(), MTU + 10),
                packet(Opcode.WRITE_LAST, 101, 9));
        refused("ACKNOWLEDGE 101 INVALID msn=0", "QP_REQ_ERR 5");
    }

    @Test
    void regionThatGoesWithinAWriteIsAnAccessError() {
        MemoryRegion gone = b.region(1024, Access.ALL);
        arrive(packet(Opcode.WRITE_FIRST, 100, MTU).reth(0, gone.key(), MTU + 10));
        b.regions.deregister(gone);
        pair.ba.sent();
        arrive(packet(Opcode.WRITE_LAST, 101, 10));
        refused("ACKNOWLEDGE 101 ACCESS msn=0", "QP_ACCESS_ERR 5");
    }

    @Test
    void windowThatIsBoundAnewWithinAWriteIsAnAccessError() {
        MemoryWindow window = b.regions.allocateWindow(MemoryWindow.Type.TYPE_1, FakeNic.PD);
        int key = window.nextKey();
        assertThat(b.regions.bind(key, b.region.key(), 0, 1024, Access.REMOTE_WRITE, FakeNic.PD, QP_B))
                .isTrue();
        arrive(packet(Opcode.WRITE_FIRST, 100, MTU).reth(0, key, MTU + 10));
        pair.ba.sent();
        assertThat(b.regions.bind(key, b.region.key(), 2048, 1024, Access.REMOTE_WRITE, FakeNic.PD, QP_B))
                .isTrue();
        arrive(packet(Opcode.WRITE_LAST, 101, 10));
        refused("ACKNOWLEDGE 101 ACCESS msn=0", "QP_ACCESS_ERR 5");
        assertThat(b.bytes(2048 + MTU, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 2048 + MTU));
    }

    @Test
    void writeAfterAnotherMayBeToAnotherRegion() {
        MemoryRegion second = b.region(1024, Access.ALL);
        arrive(
                packet(Opcode.WRITE_FIRST, 100, MTU).reth(0, b.region.key(), MTU + 1),
                packet(Opcode.WRITE_LAST, 101, 1));
        arrive(packet(Opcode.WRITE_FIRST, 102, MTU).reth(0, second.key(), MTU + 1), packet(Opcode.WRITE_LAST, 103, 1));
        assertThat(pair.ba.sent()).last().isEqualTo("ACKNOWLEDGE 103 ACK msn=2");
        assertThat(second.buffer().getByte(MTU)).isEqualTo((byte) 7);
    }

    // ---- READ and atomics ----------------------------------------------------------------------------------------

    @Test
    void readNeedsTheQueuePairsAccessFirst() {
        pair.qpB.access(Access.REMOTE_WRITE | Access.REMOTE_ATOMIC);
        arrive(packet(Opcode.READ_REQUEST, 100, 0).reth(0, BAD_KEY, 10));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
    }

    @Test
    void readWithoutAResourceIsInvalidBeforeItsKey() {
        pair.ba.room = 0; // nothing is answered
        for (int i = 0; i < 4; i++) {
            b.arrive(NIC_A, packet(Opcode.READ_REQUEST, 100 + i, 0).reth(0, b.region.key(), 1));
        }
        assertThat(b.takeEvents()).isEmpty();
        b.arrive(NIC_A, packet(Opcode.READ_REQUEST, 104, 0).reth(0, BAD_KEY, 1));
        assertThat(b.takeEvents()).containsExactly("QP_REQ_ERR 5");
    }

    @Test
    void readOfNegativeLengthIsInvalid() {
        arrive(packet(Opcode.READ_REQUEST, 100, 0).reth(0, BAD_KEY, -1));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
    }

    @Test
    void readUnderABadKeyIsAnAccessError() {
        arrive(packet(Opcode.READ_REQUEST, 100, 0).reth(0, BAD_KEY, 1));
        refused("ACKNOWLEDGE 100 ACCESS msn=0", "QP_ACCESS_ERR 5");
    }

    @Test
    void readOfWhatPeersMayNotReadIsAnAccessError() {
        MemoryRegion local = b.region(64, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        arrive(packet(Opcode.READ_REQUEST, 100, 0).reth(0, local.key(), 1));
        refused("ACKNOWLEDGE 100 ACCESS msn=0", "QP_ACCESS_ERR 5");
    }

    @Test
    void readBehindTheEndOfItsRegionIsAnAccessError() {
        arrive(packet(Opcode.READ_REQUEST, 100, 0).reth(FakeNic.REGION - 9, b.region.key(), 10));
        refused("ACKNOWLEDGE 100 ACCESS msn=0", "QP_ACCESS_ERR 5");
    }

    @Test
    void atomicNeedsTheQueuePairsAccessFirst() {
        pair.qpB.access(Access.REMOTE_WRITE | Access.REMOTE_READ);
        arrive(packet(Opcode.FETCH_ADD, 100, 0).atomic(0, b.region.key(), 1, 0));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
        assertThat(b.bytes(0, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 0));
    }

    @Test
    void misalignedAtomicIsInvalidBeforeItsKey() {
        for (int offset = 1; offset < 8; offset++) {
            TransportPair fresh = new TransportPair();
            fresh.b.arrive(NIC_A, packet(Opcode.COMPARE_SWAP, 100, 0).atomic(offset, BAD_KEY, 1, 0));
            fresh.b.turn();
            assertThat(fresh.ba.sent()).containsExactly("ACKNOWLEDGE 100 INVALID msn=0");
            assertThat(fresh.b.takeEvents()).containsExactly("QP_REQ_ERR 5");
        }
    }

    @Test
    void atomicUnderABadKeyIsAnAccessError() {
        arrive(packet(Opcode.FETCH_ADD, 100, 0).atomic(8, BAD_KEY, 1, 0));
        refused("ACKNOWLEDGE 100 ACCESS msn=0", "QP_ACCESS_ERR 5");
    }

    @Test
    void atomicOnWhatPeersMayNotChangeIsAnAccessError() {
        MemoryRegion local = b.region(64, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        arrive(packet(Opcode.FETCH_ADD, 100, 0).atomic(8, local.key(), 1, 0));
        refused("ACKNOWLEDGE 100 ACCESS msn=0", "QP_ACCESS_ERR 5");
    }

    @Test
    void atomicBehindTheEndOfItsRegionIsAnAccessError() {
        arrive(packet(Opcode.FETCH_ADD, 100, 0).atomic(FakeNic.REGION, b.region.key(), 1, 0));
        refused("ACKNOWLEDGE 100 ACCESS msn=0", "QP_ACCESS_ERR 5");
    }

    @Test
    void atomicAtAnOddAddressIsInvalidThoughItsOffsetIsAligned() {
        MemoryRegion odd =
                b.regions.register(new UnsafeBuffer(b.region.buffer(), 4, 64), -1, 0, 64, Access.ALL, FakeNic.PD);
        arrive(packet(Opcode.FETCH_ADD, 100, 0).atomic(8, odd.key(), 1, 0));
        refused("ACKNOWLEDGE 100 INVALID msn=0", "QP_REQ_ERR 5");
        assertThat(b.bytes(12, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 12));
    }

    @Test
    void atomicWithoutAResourceIsInvalid() {
        pair.ba.room = 0;
        for (int i = 0; i < 4; i++) {
            b.arrive(NIC_A, packet(Opcode.FETCH_ADD, 100 + i, 0).atomic(8, b.region.key(), 1, 0));
        }
        long value = b.region.buffer().getLong(8);
        b.arrive(NIC_A, packet(Opcode.FETCH_ADD, 104, 0).atomic(8, b.region.key(), 1, 0));
        assertThat(b.takeEvents()).containsExactly("QP_REQ_ERR 5");
        assertThat(b.region.buffer().getLong(8)).isEqualTo(value);
    }

    // ---- states --------------------------------------------------------------------------------------------------

    @Test
    void nothingIsTakenBeforeRtrNorInErr() {
        FakeNic nic = new FakeNic(0xC0, () -> pair.now);
        QpContext qp = nic.newQueuePair(QpType.RC, QP_B);
        nic.arrive(NIC_A, packet(Opcode.SEND_ONLY, 0, 1));
        assertThat(nic.acknowledging).isEmpty();
        pair.qpB.error();
        arrive(packet(Opcode.SEND_ONLY, 100, 1));
        assertThat(pair.ba.log).isEmpty();
        assertThat(b.acknowledging).isEmpty();
        assertThat(qp.state()).isEqualTo(QpState.INIT);
    }
}

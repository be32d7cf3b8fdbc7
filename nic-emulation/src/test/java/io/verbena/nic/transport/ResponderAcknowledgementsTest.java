package io.verbena.nic.transport;

import static io.verbena.nic.transport.TransportPair.MTU;
import static io.verbena.nic.transport.TransportPair.NIC_A;
import static io.verbena.nic.transport.TransportPair.QP_A;
import static io.verbena.nic.transport.TransportPair.QP_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.verbs.QpState;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import org.junit.jupiter.api.Test;

/** When a reliable responder acknowledges, what its answers stand behind, and what they count. */
class ResponderAcknowledgementsTest {
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

    @Test
    void requestThatAsksForNothingIsNotAcknowledged() {
        b.arrive(NIC_A, Packet.of(Opcode.WRITE_FIRST, 0, QP_B, 100, QP_A, MTU).reth(0, b.region.key(), MTU + 1));
        assertThat(b.acknowledging).isEmpty();
        arrive(packet(Opcode.WRITE_LAST, 101, 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 101 ACK msn=1");
    }

    @Test
    void acknowledgementWithinAMessageNamesItsPacket() {
        arrive(packet(Opcode.WRITE_FIRST, 100, MTU).reth(0, b.region.key(), MTU + 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 ACK msn=0");
    }

    @Test
    void acknowledgementWaitsTwiceForWhatHasArrivedAlready() {
        pair.ba.inbound = true;
        b.arrive(NIC_A, packet(Opcode.WRITE_ONLY, 100, 1).reth(0, b.region.key(), 1));
        b.turn();
        b.turn();
        assertThat(pair.ba.log).isEmpty();
        b.turn();
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 ACK msn=1");
        b.arrive(NIC_A, packet(Opcode.WRITE_ONLY, 101, 1).reth(0, b.region.key(), 1));
        b.turn();
        b.turn();
        assertThat(pair.ba.log).isEmpty(); // counted anew
    }

    @Test
    void nakDoesNotWait() {
        pair.ba.inbound = true;
        b.arrive(NIC_A, packet(Opcode.WRITE_ONLY, 101, 1));
        b.turn();
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 SEQUENCE msn=0");
    }

    @Test
    void acknowledgementWithoutRoomIsKept() {
        pair.ba.room = 0;
        arrive(packet(Opcode.WRITE_ONLY, 100, 1).reth(0, b.region.key(), 1));
        assertThat(b.acknowledging).containsExactly(pair.qpB);
        pair.ba.room = 1;
        b.turn();
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 100 ACK msn=1");
        assertThat(b.acknowledging).isEmpty();
        b.acknowledge(pair.qpB);
        b.turn();
        assertThat(pair.ba.log).isEmpty(); // it was sent, once
        assertThat(b.acknowledging).isEmpty();
    }

    @Test
    void nakComesBehindAnswersThatAreDueBefore() {
        b.arrive(NIC_A, packet(Opcode.READ_REQUEST, 100, 0).reth(0, b.region.key(), 300));
        b.arrive(NIC_A, packet(Opcode.WRITE_ONLY, 102, 1).reth(0, BAD_KEY, 1));
        assertThat(pair.qpB.state()).isEqualTo(QpState.RTS);
        b.arrive(NIC_A, packet(Opcode.WRITE_ONLY, 102, 1).reth(0, b.region.key(), 1)); // is not judged any more
        b.turn();
        b.turn();
        assertThat(pair.ba.sent())
                .containsExactly(
                        "READ_RESPONSE_FIRST 100 ACK msn=1 256B",
                        "READ_RESPONSE_LAST 101 ACK msn=1 44B",
                        "ACKNOWLEDGE 102 ACCESS msn=1");
        assertThat(pair.qpB.state()).isEqualTo(QpState.ERR);
        assertThat(b.takeEvents()).containsExactly("QP_ACCESS_ERR 5");
        assertThat(b.bytes(0, 1)[0]).isEqualTo(FakeNic.pattern(b.id, 0));
    }

    @Test
    void acknowledgementComesBehindAnswersThatAreDueBefore() {
        pair.ba.room = 0;
        b.arrive(NIC_A, packet(Opcode.READ_REQUEST, 100, 0).reth(0, b.region.key(), 10));
        b.arrive(NIC_A, packet(Opcode.WRITE_ONLY, 101, 1).reth(0, b.region.key(), 1));
        b.turn();
        pair.ba.room = 10;
        b.turn();
        b.turn();
        assertThat(pair.ba.sent()).containsExactly("READ_RESPONSE_ONLY 100 ACK msn=2 10B", "ACKNOWLEDGE 101 ACK msn=2");
    }

    @Test
    void messagesAreCountedModuloTwoToTheTwentyFour() {
        b.receive(pair.qpB, 11, 0, 1000);
        arrive(packet(Opcode.SEND_FIRST, 100, MTU), packet(Opcode.SEND_LAST, 101, 1));
        arrive(packet(Opcode.WRITE_ONLY, 102, 1).reth(0, b.region.key(), 1));
        assertThat(pair.ba.sent()).containsExactly("ACKNOWLEDGE 101 ACK msn=1", "ACKNOWLEDGE 102 ACK msn=2");
    }
}

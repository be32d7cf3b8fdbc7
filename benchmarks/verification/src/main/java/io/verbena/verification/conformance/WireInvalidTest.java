package io.verbena.verification.conformance;

import static io.verbena.verification.conformance.WirePeer.psn;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.Opcode;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a responder does with packets that no correct requester sends. */
final class WireInvalidTest extends WireTest {
    private void expectInvalid() {
        p.settle();
        assertThat(peer.all(Opcode.ACKNOWLEDGE))
                .last()
                .matches(x -> x.syndrome() == AethSyndrome.INVALID_REQUEST, "NAK: invalid request");
        assertThat(b.qp.state()).isEqualTo(QpState.ERR);
        assertThat(b.count(AsyncEventType.QP_REQ_ERR)).isEqualTo(1);
        assertThat(b.isZero(100_000, TestNic.REGION - 100_000)).isTrue();
    }

    @Proves({Row.REM_INV_REQ_ERR_WIRE, Row.EV_QP_REQ_ERR})
    @ParameterizedTest
    @CsvSource({
        "SEND_FIRST, SEND_FIRST",
        "SEND_FIRST, SEND_ONLY",
        "SEND_FIRST, WRITE_MIDDLE",
        "SEND_FIRST, WRITE_LAST",
        "SEND_FIRST, READ_REQUEST",
        "SEND_ONLY, SEND_MIDDLE",
        "SEND_ONLY, SEND_LAST",
        "SEND_ONLY, WRITE_MIDDLE",
        "SEND_ONLY, APPEND_LAST",
        "WRITE_FIRST, SEND_MIDDLE",
        "WRITE_FIRST, SEND_LAST",
        "WRITE_FIRST, WRITE_FIRST",
        "WRITE_FIRST, WRITE_ONLY",
        "WRITE_FIRST, FETCH_ADD",
        "WRITE_FIRST, APPEND_MIDDLE"
    })
    void anOpcodeThatMayNotFollow(Opcode first, Opcode second) {
        b.qp.postReceive(1, b.key(), 0, 10_000);
        b.qp.postReceive(2, b.key(), 0, 10_000);
        packet(first, psn(0));
        p.settle();
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        packet(second, psn(1));
        expectInvalid();
    }

    private void packet(Opcode opcode, int psn) {
        byte[] payload = bytes(opcode.endsMessage() ? 10 : MTU, 1);
        switch (opcode) {
            case WRITE_FIRST:
                peer.reth(opcode, psn, b.key(), 20_000, 2 * MTU, payload);
                break;
            case WRITE_ONLY:
                peer.reth(opcode, psn, b.key(), 20_000, 10, payload);
                break;
            case READ_REQUEST:
                peer.reth(opcode, psn, b.key(), 0, 10, new byte[0]);
                break;
            case FETCH_ADD:
                peer.atomic(opcode, psn, b.key(), 200_000, 1, 0);
                break;
            default:
                peer.plain(opcode, psn, payload);
        }
    }

    @Proves(Row.REM_INV_REQ_ERR_WIRE)
    @ParameterizedTest
    @CsvSource({
        "WRITE_ONLY, 10, 9",
        "WRITE_ONLY, 10, 11",
        "WRITE_ONLY, 0, 1",
        "WRITE_ONLY, 1, 0",
        "WRITE_ONLY, 2000, 2000",
        "WRITE_ONLY, -1, 10",
        "WRITE_FIRST, 3000, 1023",
        "WRITE_FIRST, 3000, 1025",
        "WRITE_FIRST, 1024, 1024",
        "WRITE_FIRST, 1000, 1024",
        "WRITE_FIRST, -2147483648, 1024",
        "READ_REQUEST, -1, 0",
        "SEND_FIRST, 0, 1000",
        "SEND_ONLY, 0, 1025"
    })
    void aLengthThatDoesNotFit(Opcode opcode, int announced, int payload) {
        b.qp.postReceive(1, b.key(), 0, 10_000);
        if (opcode.rethOffset() == Opcode.ABSENT) {
            peer.plain(opcode, psn(0), bytes(payload, 1));
        } else {
            peer.reth(opcode, psn(0), b.key(), 100_000, announced, bytes(payload, 1));
        }
        expectInvalid();
    }

    @Proves(Row.REM_INV_REQ_ERR_WIRE)
    @ParameterizedTest
    @ValueSource(ints = {MTU - 1, MTU + 1, 1})
    void aWriteThatEndsElsewhereThanItSaid(int last) {
        peer.reth(Opcode.WRITE_FIRST, psn(0), b.key(), 0, 3 * MTU, bytes(MTU, 1));
        peer.plain(Opcode.WRITE_MIDDLE, psn(1), bytes(MTU, 1));
        p.settle();
        peer.plain(Opcode.WRITE_LAST, psn(2), bytes(last, 1));
        expectInvalid();
        assertThat(b.isZero(2 * MTU, 2 * MTU)).as("nothing of the bad packet").isTrue();
    }

    @Proves(Row.REM_INV_REQ_ERR_WIRE)
    @Test
    void anAppendThatIsLongerThanItSaid() {
        AppendQueue queue = b.newAppendQueue();
        appendFirst(queue, psn(0), bytes(MTU, 1));
        peer.plain(Opcode.APPEND_LAST, psn(1), bytes(6, 1));
        expectInvalid();
        assertThat(b.messages).isEmpty();
    }

    @Proves(Row.DEST_RD_ATOMIC_ZERO)
    @ParameterizedTest
    @EnumSource(names = {"READ_REQUEST", "FETCH_ADD"})
    void noResponderResourcesAtAll(Opcode opcode) {
        p.close();
        use(byHand(attributes().maxRdAtomic(0)));
        packet(opcode, psn(0));
        expectInvalid();
    }

    @Proves(Row.PEERS_MATCH)
    @Test
    void packetsForNobodyAndFromNobody() {
        peer.sourceQp = 78;
        peer.reth(Opcode.WRITE_ONLY, psn(0), b.key(), 0, 10, bytes(10, 1));
        peer.sourceQp = WirePeer.QP;
        int right = peer.destinationQp;
        peer.destinationQp = right + 64;
        peer.reth(Opcode.WRITE_ONLY, psn(0), b.key(), 0, 10, bytes(10, 1));
        peer.destinationQp = right;
        peer.raw(new UnsafeBuffer(new byte[64]), 0, 64);
        byte[] noise = bytes(64, 3);
        noise[0] = (byte) 0xFF;
        peer.raw(new UnsafeBuffer(noise), 0, 64);
        peer.plain(Opcode.UD_SEND_ONLY, psn(0), bytes(10, 1));
        p.settle();
        assertThat(b.isZero(0, TestNic.REGION)).isTrue();
        assertThat(b.qp.state()).isEqualTo(QpState.RTS);
        assertThat(peer.packets).isEmpty();
        assertThat(b.nic.counter(NicCounter.PACKETS_REJECTED)).isEqualTo(5);
        peer.reth(Opcode.WRITE_ONLY, psn(0), b.key(), 0, 10, bytes(10, 1));
        awaitOnly(Opcode.ACKNOWLEDGE);
        assertThat(b.holds(0, 10, 1)).isTrue();
    }
}

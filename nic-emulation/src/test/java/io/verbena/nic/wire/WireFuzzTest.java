package io.verbena.nic.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.agrona.concurrent.UnsafeBuffer;

/** Any bytes as a packet: what is judged sound has all its headers inside, and reading them changes nothing. */
class WireFuzzTest {
    private static final int GUARD = 64;

    @FuzzTest(maxDuration = "2m")
    void check(byte[] packet) {
        // An exact buffer: Agrona's bounds checks make a read outside it an exception.
        UnsafeBuffer exact = new UnsafeBuffer(packet.clone());
        int headers = Opcode.check(exact, 0, packet.length);
        assertThat(Opcode.describe(headers)).isNotEmpty();
        byte[] guarded = new byte[packet.length + 2 * GUARD];
        java.util.Arrays.fill(guarded, (byte) 0x5A);
        System.arraycopy(packet, 0, guarded, GUARD, packet.length);
        assertThat(Opcode.check(new UnsafeBuffer(guarded), GUARD, packet.length))
                .as("the bytes around a packet do not count")
                .isEqualTo(headers);
        if (headers < 0) {
            return;
        }
        Opcode opcode = Opcode.of(BthFlyweight.opcode(exact, 0));
        assertThat(opcode).isNotNull();
        assertThat(headers).isEqualTo(opcode.headerLength()).isBetween(BthFlyweight.LENGTH, packet.length);
        assertThat(opcode.hasPayload() || headers == packet.length).isTrue();
        readAll(opcode, exact);
        assertThat(exact.byteArray()).isEqualTo(packet);
        assertThat(rewritten(opcode, exact)).as("what was read, written again").isEqualTo(packet);
    }

    private static void readAll(Opcode opcode, UnsafeBuffer b) {
        assertThat(BthFlyweight.psn(b, 0)).isBetween(0, Psn.MASK);
        assertThat(BthFlyweight.flags(b, 0) & ~BthFlyweight.FLAGS).isZero();
        if (opcode.aethOffset() != Opcode.ABSENT) {
            int syndrome = AethFlyweight.syndrome(b, opcode.aethOffset());
            assertThat(AethSyndrome.isKnown(syndrome)).isTrue();
            assertThat(AethSyndrome.describe(syndrome)).doesNotContain("unknown");
            assertThat(RnrTimer.nanos(AethSyndrome.timerCode(syndrome))).isPositive();
        }
    }

    /** The packet with its headers written anew from their values; what no reader looks at is kept. */
    private static byte[] rewritten(Opcode opcode, UnsafeBuffer b) {
        UnsafeBuffer copy = new UnsafeBuffer(b.byteArray().clone());
        byte reserved = copy.getByte(3);
        BthFlyweight.encode(
                copy,
                0,
                opcode.code(),
                BthFlyweight.flags(b, 0),
                BthFlyweight.destinationQp(b, 0),
                BthFlyweight.psn(b, 0),
                BthFlyweight.sourceQp(b, 0));
        copy.putByte(3, reserved);
        int at = opcode.dethOffset();
        if (at != Opcode.ABSENT) {
            DethFlyweight.encode(copy, at, DethFlyweight.qkey(b, at), DethFlyweight.sourceQp(b, at));
        }
        at = opcode.rethOffset();
        if (at != Opcode.ABSENT) {
            RethFlyweight.encode(
                    copy,
                    at,
                    RethFlyweight.remoteOffset(b, at),
                    RethFlyweight.rkey(b, at),
                    RethFlyweight.length(b, at));
        }
        at = opcode.atomicEthOffset();
        if (at != Opcode.ABSENT) {
            int pad = copy.getInt(at + 12);
            AtomicEthFlyweight.encode(
                    copy,
                    at,
                    AtomicEthFlyweight.remoteOffset(b, at),
                    AtomicEthFlyweight.rkey(b, at),
                    AtomicEthFlyweight.swapOrAdd(b, at),
                    AtomicEthFlyweight.compare(b, at));
            copy.putInt(at + 12, pad);
        }
        at = opcode.aethOffset();
        if (at != Opcode.ABSENT) {
            int pad = copy.getInt(at + 4);
            AethFlyweight.encode(copy, at, AethFlyweight.syndrome(b, at), AethFlyweight.msn(b, at));
            copy.putInt(at + 4, pad);
        }
        return copy.byteArray();
    }
}

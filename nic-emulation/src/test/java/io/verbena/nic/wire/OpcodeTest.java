package io.verbena.nic.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.wire.Opcode.Family;
import io.verbena.nic.wire.Opcode.Position;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class OpcodeTest {
    private final UnsafeBuffer b = new UnsafeBuffer(new byte[256]);

    @Test
    void codesAreInfiniBandsWhereItHasThem() {
        assertThat(Opcode.SEND_ONLY.code()).isEqualTo(4);
        assertThat(Opcode.WRITE_ONLY.code()).isEqualTo(10);
        assertThat(Opcode.READ_REQUEST.code()).isEqualTo(12);
        assertThat(Opcode.READ_RESPONSE_ONLY.code()).isEqualTo(16);
        assertThat(Opcode.ACKNOWLEDGE.code()).isEqualTo(17);
        assertThat(Opcode.ATOMIC_ACKNOWLEDGE.code()).isEqualTo(18);
        assertThat(Opcode.COMPARE_SWAP.code()).isEqualTo(19);
        assertThat(Opcode.FETCH_ADD.code()).isEqualTo(20);
        assertThat(Opcode.UD_SEND_ONLY.code()).isEqualTo(100);
    }

    @Test
    void eachCodeNamesOneOpcode() {
        Set<Integer> codes = new HashSet<>();
        for (Opcode o : Opcode.values()) {
            assertThat(codes.add(o.code())).as("%s", o).isTrue();
            assertThat(Opcode.of(o.code())).isSameAs(o);
        }
        for (int code = -2; code < 300; code++) {
            assertThat(Opcode.of(code) != null).as("code %d", code).isEqualTo(codes.contains(code));
        }
        assertThat(Opcode.of(Integer.MIN_VALUE)).isNull();
        assertThat(Opcode.of(Integer.MAX_VALUE)).isNull();
    }

    @ParameterizedTest
    @EnumSource(Opcode.class)
    void headersFollowEachOtherWithoutGapAndAligned(Opcode o) {
        int[] offsets = {
            o.dethOffset(),
            o.rethOffset(),
            o.atomicEthOffset(),
            o.appendEthOffset(),
            o.skipEthOffset(),
            o.aethOffset(),
            o.atomicAckEthOffset(),
            o.immOffset(),
            o.iethOffset()
        };
        int[] lengths = {
            DethFlyweight.LENGTH,
            RethFlyweight.LENGTH,
            AtomicEthFlyweight.LENGTH,
            AppendEthFlyweight.LENGTH,
            SkipEthFlyweight.LENGTH,
            AethFlyweight.LENGTH,
            AtomicAckEthFlyweight.LENGTH,
            ImmDtFlyweight.LENGTH,
            IethFlyweight.LENGTH
        };
        int at = BthFlyweight.LENGTH;
        for (int i = 0; i < offsets.length; i++) {
            if (offsets[i] != Opcode.ABSENT) {
                assertThat(offsets[i]).isEqualTo(at);
                at += lengths[i];
            }
        }
        assertThat(o.headerLength()).isEqualTo(at);
        assertThat(at % 8).isZero();
        assertThat(at).isLessThanOrEqualTo(Opcode.MAX_HEADER_LENGTH);
    }

    @ParameterizedTest
    @EnumSource(Opcode.class)
    void headersAgreeWithTheName(Opcode o) {
        String name = o.name();
        boolean start = o.startsMessage();
        boolean ud = name.startsWith("UD_");
        assertThat(o.dethOffset() != Opcode.ABSENT).isEqualTo(ud);
        assertThat(o.onUd()).isEqualTo(ud);
        assertThat(o.onRc()).isEqualTo(!ud);
        assertThat(o.rethOffset() != Opcode.ABSENT)
                .isEqualTo((o.family() == Family.WRITE && start) || o == Opcode.READ_REQUEST);
        assertThat(o.appendEthOffset() != Opcode.ABSENT)
                .isEqualTo(o.family() == Family.APPEND && start && !name.contains("_AGAIN"));
        assertThat(o.atomicEthOffset() != Opcode.ABSENT).isEqualTo(o.family() == Family.ATOMIC);
        assertThat(o.aethOffset() != Opcode.ABSENT)
                .isEqualTo(o.family() == Family.RESPONSE && o.position() != Position.MIDDLE);
        assertThat(o.atomicAckEthOffset() != Opcode.ABSENT).isEqualTo(o == Opcode.ATOMIC_ACKNOWLEDGE);
        assertThat(o.hasImmediate()).isEqualTo(name.endsWith("_IMMEDIATE"));
        assertThat(o.immOffset() != Opcode.ABSENT).isEqualTo(o.hasImmediate());
        assertThat(o.hasInvalidate()).isEqualTo(name.endsWith("_INVALIDATE"));
        assertThat(o.iethOffset() != Opcode.ABSENT).isEqualTo(o.hasInvalidate());
        assertThat(o.isRequest()).isNotEqualTo(o.isResponse());
        assertThat(o.isResponse()).isEqualTo(name.contains("RESPONSE") || name.contains("ACKNOWLEDGE"));
        for (Position position : Position.values()) {
            if (name.contains("_" + position)) {
                assertThat(o.position()).isEqualTo(position);
            }
        }
        assertThat(o.consumesReceive())
                .isEqualTo(o.endsMessage()
                        && (o.family() == Family.SEND || (o.family() == Family.WRITE && o.hasImmediate())));
        assertThat(o.onUc() && (o.family() == Family.READ || o.family() == Family.ATOMIC || o.isResponse()))
                .isFalse();
    }

    @Test
    void whichMayFollowWhich() {
        for (Opcode next : Opcode.values()) {
            assertThat(next.mayFollow(null)).isEqualTo(next.startsMessage());
            for (Opcode previous : Opcode.values()) {
                boolean inside = previous.position() == Position.FIRST || previous.position() == Position.MIDDLE;
                boolean goesOn = next.position() == Position.MIDDLE || next.position() == Position.LAST;
                assertThat(next.mayFollow(previous))
                        .as("%s after %s", next, previous)
                        .isEqualTo(inside ? goesOn && next.family() == previous.family() : !goesOn);
            }
        }
        assertThat(Opcode.SEND_LAST.mayFollow(Opcode.WRITE_FIRST)).isFalse();
        assertThat(Opcode.WRITE_LAST_IMMEDIATE.mayFollow(Opcode.WRITE_MIDDLE)).isTrue();
        assertThat(Opcode.READ_REQUEST.mayFollow(Opcode.WRITE_FIRST)).isFalse();
    }

    @Test
    void whichMayComeBetweenThePacketsOfAnother() {
        for (Opcode next : Opcode.values()) {
            assertThat(next.mayInterrupt(null)).isFalse();
            for (Opcode previous : Opcode.values()) {
                boolean expected = next.family() == Family.APPEND
                        && next.position() == Position.ONLY
                        && (previous == Opcode.APPEND_FIRST || previous == Opcode.APPEND_MIDDLE);
                assertThat(next.mayInterrupt(previous))
                        .as("%s after %s", next, previous)
                        .isEqualTo(expected);
            }
        }
        assertThat(Opcode.APPEND_RUN.mayInterrupt(Opcode.APPEND_MIDDLE)).isTrue();
        assertThat(Opcode.SEND_ONLY.mayInterrupt(Opcode.SEND_FIRST)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Opcode.class)
    void checkComparesLengthWithHeaders(Opcode o) {
        packet(o);
        for (int length = -3; length < 100; length++) {
            int expected;
            if (length < BthFlyweight.LENGTH) {
                expected = Opcode.TOO_SHORT;
            } else if (length < o.headerLength()) {
                expected = Opcode.HEADERS_CUT;
            } else if (length == o.headerLength()) {
                expected = o.hasPayload() && o.position() != Position.ONLY ? Opcode.PAYLOAD_MISSING : o.headerLength();
            } else {
                expected = o.hasPayload() ? o.headerLength() : Opcode.PAYLOAD_UNEXPECTED;
            }
            assertThat(Opcode.check(b, 8, length)).as("%s of %d", o, length).isEqualTo(expected);
        }
    }

    @Test
    void checkRefusesWhatItDoesNotKnow() {
        packet(Opcode.SEND_ONLY);
        BthFlyweight.version(b, 8, 1);
        assertThat(Opcode.check(b, 8, 16)).isEqualTo(Opcode.WRONG_VERSION);
        packet(Opcode.SEND_ONLY);
        BthFlyweight.opcode(b, 8, 0x15);
        assertThat(Opcode.check(b, 8, 16)).isEqualTo(Opcode.UNKNOWN_OPCODE);
        packet(Opcode.SEND_ONLY);
        BthFlyweight.flags(b, 8, 4);
        assertThat(Opcode.check(b, 8, 16)).isEqualTo(Opcode.RESERVED_BITS);
        packet(Opcode.SEND_ONLY);
        b.putByte(8 + 11, (byte) 1);
        assertThat(Opcode.check(b, 8, 16)).isEqualTo(Opcode.RESERVED_BITS);
        packet(Opcode.ACKNOWLEDGE);
        AethFlyweight.encode(b, 24, 0x64, 0);
        assertThat(Opcode.check(b, 8, 24)).isEqualTo(Opcode.UNKNOWN_SYNDROME);
        for (int fault = -1; fault >= -8; fault--) {
            assertThat(Opcode.describe(fault)).doesNotContain("no fault");
        }
        assertThat(Opcode.describe(16)).contains("no fault");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void checkNeverReadsOutsideThePacket(long seed) {
        Random random = new Random(seed);
        int accepted = 0;
        for (int i = 0; i < 100_000; i++) {
            int length = random.nextInt(90);
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            if (length >= 4 && random.nextInt(4) != 0) {
                bytes[1] &= 3;
                bytes[2] = BthFlyweight.VERSION;
                bytes[3] = 0;
                if (length >= 12) {
                    bytes[11] = 0;
                }
            }
            int headers = Opcode.check(new UnsafeBuffer(bytes), 0, length);
            if (headers > 0) {
                accepted++;
                assertThat(headers).isBetween(BthFlyweight.LENGTH, length);
            } else {
                assertThat(headers).isBetween(Opcode.UNKNOWN_SYNDROME, Opcode.TOO_SHORT);
            }
        }
        assertThat(accepted).isPositive();
    }

    private void packet(Opcode o) {
        b.setMemory(0, b.capacity(), (byte) 0);
        BthFlyweight.encode(b, 8, o.code(), BthFlyweight.SOLICITED, 1, Psn.MASK, 2);
    }
}

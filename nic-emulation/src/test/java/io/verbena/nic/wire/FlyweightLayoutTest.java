package io.verbena.nic.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bytes of each header, written out by hand: another implementation must be able to rely on them. */
class FlyweightLayoutTest {
    private static final int AT = 24;

    private final UnsafeBuffer b = new UnsafeBuffer(new byte[80]);

    @BeforeEach
    void dirty() {
        b.setMemory(0, b.capacity(), (byte) 0xEE);
    }

    @Test
    void bth() {
        BthFlyweight.encode(b, AT, 0x1C, BthFlyweight.ACK_REQUEST, 0x0403_0201, 0xFF01_0203, 0x1413_1211);
        assertBytes(BthFlyweight.LENGTH, "1c 02 03 00  01 02 03 04  03 02 01 00  11 12 13 14");

        assertThat(BthFlyweight.opcode(b, AT)).isEqualTo(0x1C);
        assertThat(BthFlyweight.flags(b, AT)).isEqualTo(2);
        assertThat(BthFlyweight.ackRequest(b, AT)).isTrue();
        assertThat(BthFlyweight.solicited(b, AT)).isFalse();
        assertThat(BthFlyweight.version(b, AT)).isEqualTo(BthFlyweight.VERSION);
        assertThat(BthFlyweight.destinationQp(b, AT)).isEqualTo(0x0403_0201);
        assertThat(BthFlyweight.psn(b, AT)).isEqualTo(0x01_0203);
        assertThat(BthFlyweight.sourceQp(b, AT)).isEqualTo(0x1413_1211);
    }

    @Test
    void bthFieldByField() {
        BthFlyweight.opcode(b, AT, 0xFF);
        BthFlyweight.flags(b, AT, 0x81);
        BthFlyweight.version(b, AT, 0xFFFE);
        BthFlyweight.destinationQp(b, AT, -2);
        BthFlyweight.psn(b, AT, -1);
        BthFlyweight.sourceQp(b, AT, -3);
        assertBytes(BthFlyweight.LENGTH, "ff 81 fe ff  fe ff ff ff  ff ff ff 00  fd ff ff ff");

        assertThat(BthFlyweight.opcode(b, AT)).isEqualTo(0xFF);
        assertThat(BthFlyweight.flags(b, AT)).isEqualTo(0x81);
        assertThat(BthFlyweight.version(b, AT)).isEqualTo(0xFFFE);
        assertThat(BthFlyweight.psn(b, AT)).isEqualTo(0xFF_FFFF);
    }

    @Test
    void reth() {
        RethFlyweight.encode(b, AT, 0x0807_0605_0403_0201L, 0x1413_1211, 0x2423_2221);
        assertBytes(RethFlyweight.LENGTH, "01 02 03 04 05 06 07 08  11 12 13 14  21 22 23 24");
        assertThat(RethFlyweight.remoteOffset(b, AT)).isEqualTo(0x0807_0605_0403_0201L);
        assertThat(RethFlyweight.rkey(b, AT)).isEqualTo(0x1413_1211);
        assertThat(RethFlyweight.length(b, AT)).isEqualTo(0x2423_2221);
    }

    @Test
    void aeth() {
        AethFlyweight.encode(b, AT, AethSyndrome.REMOTE_ACCESS_ERROR, 0xFF03_0201);
        assertBytes(AethFlyweight.LENGTH, "01 02 03 62  00 00 00 00");
        assertThat(AethFlyweight.syndrome(b, AT)).isEqualTo(AethSyndrome.REMOTE_ACCESS_ERROR);
        assertThat(AethFlyweight.msn(b, AT)).isEqualTo(0x03_0201);
        AethFlyweight.encode(b, AT, 0xFF, 0);
        assertThat(AethFlyweight.syndrome(b, AT)).isEqualTo(0xFF);
    }

    @Test
    void atomicEth() {
        AtomicEthFlyweight.encode(
                b, AT, 0x0807_0605_0403_0201L, 0x1413_1211, 0x2827_2625_2423_2221L, 0x3837_3635_3433_3231L);
        assertBytes(
                AtomicEthFlyweight.LENGTH,
                "01 02 03 04 05 06 07 08  11 12 13 14  00 00 00 00  21 22 23 24 25 26 27 28  31 32 33 34 35 36 37 38");
        assertThat(AtomicEthFlyweight.remoteOffset(b, AT)).isEqualTo(0x0807_0605_0403_0201L);
        assertThat(AtomicEthFlyweight.rkey(b, AT)).isEqualTo(0x1413_1211);
        assertThat(AtomicEthFlyweight.swapOrAdd(b, AT)).isEqualTo(0x2827_2625_2423_2221L);
        assertThat(AtomicEthFlyweight.compare(b, AT)).isEqualTo(0x3837_3635_3433_3231L);
    }

    @Test
    void atomicAckEth() {
        AtomicAckEthFlyweight.original(b, AT, 0x0807_0605_0403_0201L);
        assertBytes(AtomicAckEthFlyweight.LENGTH, "01 02 03 04 05 06 07 08");
        assertThat(AtomicAckEthFlyweight.original(b, AT)).isEqualTo(0x0807_0605_0403_0201L);
    }

    @Test
    void immDt() {
        ImmDtFlyweight.encode(b, AT, 0x0403_0201);
        assertBytes(ImmDtFlyweight.LENGTH, "01 02 03 04  00 00 00 00");
        assertThat(ImmDtFlyweight.immediate(b, AT)).isEqualTo(0x0403_0201);
    }

    @Test
    void ieth() {
        IethFlyweight.encode(b, AT, 0x0403_0201);
        assertBytes(IethFlyweight.LENGTH, "01 02 03 04  00 00 00 00");
        assertThat(IethFlyweight.rkey(b, AT)).isEqualTo(0x0403_0201);
    }

    @Test
    void appendEth() {
        AppendEthFlyweight.encode(b, AT, 0x0403_0201, 0x1413_1211, 0x2423_2221, 0, 0x3231);
        assertBytes(AppendEthFlyweight.LENGTH, "01 02 03 04  11 12 13 14  21 22 23 24  00 00  31 32");
        assertThat(AppendEthFlyweight.queueId(b, AT)).isEqualTo(0x0403_0201);
        assertThat(AppendEthFlyweight.queueKey(b, AT)).isEqualTo(0x1413_1211);
        assertThat(AppendEthFlyweight.messageLength(b, AT)).isEqualTo(0x2423_2221);
        assertThat(AppendEthFlyweight.stream(b, AT)).isZero();
        assertThat(AppendEthFlyweight.weight(b, AT)).isEqualTo(0x3231);

        AppendEthFlyweight.encode(b, AT, -1, -1, -1, AppendEthFlyweight.MAX_STREAM, 0xFFFF);
        assertBytes(AppendEthFlyweight.LENGTH, "FF FF FF FF  FF FF FF FF  FF FF FF FF  FF 0F  FF FF");
        assertThat(AppendEthFlyweight.weight(b, AT)).isEqualTo(0xFFFF);
        assertThat(AppendEthFlyweight.stream(b, AT)).isEqualTo(AppendEthFlyweight.MAX_STREAM);

        AppendEthFlyweight.encodeRun(b, AT, 0x0403_0201, 0x1413_1211, 0x2423_2221, 0xF231, 1);
        assertBytes(AppendEthFlyweight.LENGTH, "01 02 03 04  11 12 13 14  21 22 23 24  31 F2  01 00");
        assertThat(AppendEthFlyweight.messages(b, AT)).isEqualTo(0xF231);
        assertThat(AppendEthFlyweight.weight(b, AT)).isEqualTo(1);
    }

    @Test
    void appendRun() {
        AppendRunFlyweight.encode(b, AT, 0x0201, 0);
        assertBytes(AppendRunFlyweight.HEADER_LENGTH, "01 02  00 00  00 00 00 00");
        assertThat(AppendRunFlyweight.messageLength(b, AT)).isEqualTo(0x0201);
        assertThat(AppendRunFlyweight.stream(b, AT)).isZero();
        assertThat(AppendRunFlyweight.hasImmediate(b, AT)).isFalse();

        AppendRunFlyweight.encode(b, AT, 0xFFFF, AppendEthFlyweight.MAX_STREAM, 0x1413_1211);
        assertBytes(AppendRunFlyweight.HEADER_LENGTH, "FF FF  FF 8F  11 12 13 14");
        assertThat(AppendRunFlyweight.messageLength(b, AT)).isEqualTo(AppendRunFlyweight.MAX_LENGTH);
        assertThat(AppendRunFlyweight.stream(b, AT)).isEqualTo(AppendEthFlyweight.MAX_STREAM);
        assertThat(AppendRunFlyweight.hasImmediate(b, AT)).isTrue();
        assertThat(AppendRunFlyweight.immediate(b, AT)).isEqualTo(0x1413_1211);

        AppendRunFlyweight.encode(b, AT, 0, AppendEthFlyweight.MAX_STREAM);
        assertBytes(AppendRunFlyweight.HEADER_LENGTH, "00 00  FF 0F  00 00 00 00");
        assertThat(AppendRunFlyweight.stream(b, AT)).isEqualTo(AppendEthFlyweight.MAX_STREAM);
        assertThat(AppendRunFlyweight.hasImmediate(b, AT)).isFalse();
    }

    @Test
    void aRunIsExactlyTheMessagesThatItAnnounces() {
        assertThat(AppendRunFlyweight.alignedLength(0)).isEqualTo(8);
        assertThat(AppendRunFlyweight.alignedLength(1)).isEqualTo(16);
        assertThat(AppendRunFlyweight.alignedLength(8)).isEqualTo(16);
        AppendRunFlyweight.encode(b, AT, 5, 0);
        AppendRunFlyweight.encode(b, AT + 16, 0, AppendEthFlyweight.MAX_STREAM, 7);
        assertThat(AppendRunFlyweight.check(b, AT, 24, 2)).isEqualTo(5);
        assertThat(AppendRunFlyweight.check(b, AT, 16, 1)).isEqualTo(5);
        assertThat(AppendRunFlyweight.check(b, AT, 24, 1)).as("bytes left over").isNegative();
        assertThat(AppendRunFlyweight.check(b, AT, 24, 3))
                .as("a message missing")
                .isNegative();
        assertThat(AppendRunFlyweight.check(b, AT, 20, 2)).as("a header cut").isNegative();
        assertThat(AppendRunFlyweight.check(b, AT, 12, 1)).as("a message cut").isNegative();
        assertThat(AppendRunFlyweight.check(b, AT, 13, 1)).as("its end missing").isNegative();
        assertThat(AppendRunFlyweight.check(b, AT, 24, 0)).isNegative();
        assertThat(AppendRunFlyweight.check(b, AT, 0, 0)).isNegative();
        AppendRunFlyweight.encode(b, AT + 16, 0, AppendEthFlyweight.MAX_STREAM + 1, 7);
        assertThat(AppendRunFlyweight.check(b, AT, 24, 2)).as("no stream").isNegative();
        AppendRunFlyweight.encode(b, AT, AppendRunFlyweight.MAX_LENGTH, 0);
        assertThat(AppendRunFlyweight.check(b, AT, 24, 1)).isNegative();
        assertThat(AppendRunFlyweight.check(b, AT, 24, 2)).isNegative();
    }

    @Test
    void deth() {
        DethFlyweight.encode(b, AT, 0x0403_0201, 0x1413_1211);
        assertBytes(DethFlyweight.LENGTH, "01 02 03 04  11 12 13 14");
        assertThat(DethFlyweight.qkey(b, AT)).isEqualTo(0x0403_0201);
        assertThat(DethFlyweight.sourceQp(b, AT)).isEqualTo(0x1413_1211);
    }

    /** Compares the header, and sees that its neighbours are untouched. */
    private void assertBytes(int length, String hex) {
        byte[] expected = HexFormat.of().parseHex(hex.replace(" ", ""));
        assertThat(expected).hasSize(length);
        byte[] found = new byte[length];
        b.getBytes(AT, found);
        assertThat(found).containsExactly(expected);
        assertThat(b.getByte(AT - 1)).isEqualTo((byte) 0xEE);
        assertThat(b.getByte(AT + length)).isEqualTo((byte) 0xEE);
    }
}

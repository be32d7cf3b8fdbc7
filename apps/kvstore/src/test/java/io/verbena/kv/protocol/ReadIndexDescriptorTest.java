package io.verbena.kv.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Slots that verify themselves: what was published is accepted, and a mixture of states is not. */
@Timeout(180)
class ReadIndexDescriptorTest {
    private static final int SLOT = 256;
    private static final int DATABASE = 3;

    private final UnsafeBuffer slot = new UnsafeBuffer(new byte[SLOT]);
    private final UnsafeBuffer key = text("the key");

    private static UnsafeBuffer text(String text) {
        return new UnsafeBuffer(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void put(UnsafeBuffer into, long version, UnsafeBuffer key, UnsafeBuffer value) {
        ReadIndexDescriptor.putEntry(into, 0, version, DATABASE, key, 0, key.capacity(), value, 0, value.capacity());
        into.putLong(0, version);
    }

    private boolean accepts(UnsafeBuffer copy) {
        return ReadIndexDescriptor.isOf(copy, 0, DATABASE, key, 0, key.capacity())
                && ReadIndexDescriptor.isWhole(copy, 0, SLOT);
    }

    @ParameterizedTest
    @CsvSource({
        "'', EF46DB3751D8E999",
        "a, D24EC4F1A98C6E5B",
        "abc, 44BC2CF5AD770999",
        "xxhash, 32DD38952C4BC720",
        "Nobody inspects the spammish repetition, FBCEA83C8A378BF1"
    })
    void hashesAsXxh64(String text, String hash) {
        assertThat(XxHash64.hash(text(text), 0, text.length(), 0)).isEqualTo(Long.parseUnsignedLong(hash, 16));
    }

    @Test
    void acceptsWhatWasPublished() {
        for (int length = 0; length <= SLOT - ReadIndexDescriptor.KEY_OFFSET - key.capacity(); length++) {
            put(slot, 2L * length + 2, key, text("v".repeat(length)));
            assertThat(accepts(slot)).isTrue();
            assertThat(ReadIndexDescriptor.valueLength(slot, 0)).isEqualTo(length);
        }
    }

    @Test
    void refusesOtherKeysAndDatabases() {
        put(slot, 2, key, text("value"));
        assertThat(ReadIndexDescriptor.isOf(slot, 0, DATABASE + 1, key, 0, key.capacity()))
                .isFalse();
        assertThat(ReadIndexDescriptor.isOf(slot, 0, DATABASE, text("the kez"), 0, 7))
                .isFalse();
        assertThat(ReadIndexDescriptor.isOf(slot, 0, DATABASE, text("xhe key"), 0, 7))
                .isFalse();
        assertThat(ReadIndexDescriptor.isOf(slot, 0, DATABASE, text("the"), 0, 3))
                .isFalse();
        assertThat(ReadIndexDescriptor.isOf(slot, 0, DATABASE, text("the key of others"), 0, 17))
                .isFalse();
    }

    /** Every bit of what an entry uses; what lies behind the value is not part of it. */
    @Test
    void refusesAnyChangedBit() {
        UnsafeBuffer value = text("a value of some length, longer than a stripe of the checksum: 0123456789");
        put(slot, 6, key, value);
        int used = ReadIndexDescriptor.KEY_OFFSET + key.capacity() + value.capacity();
        for (int bit = 0; bit < SLOT * Byte.SIZE; bit++) {
            int at = bit / Byte.SIZE;
            slot.putByte(at, (byte) (slot.getByte(at) ^ 1 << bit % Byte.SIZE));
            assertThat(accepts(slot))
                    .as("bit %s of byte %s", bit % Byte.SIZE, at)
                    .isEqualTo(at >= used);
            slot.putByte(at, (byte) (slot.getByte(at) ^ 1 << bit % Byte.SIZE));
        }
        assertThat(accepts(slot)).isTrue();
    }

    @Test
    void refusesAVersionThatIsFreeOrOdd() {
        put(slot, 8, key, text("value"));
        slot.putLong(0, ReadIndexDescriptor.FREE);
        assertThat(accepts(slot)).isFalse();
        put(slot, 9, key, text("value"));
        assertThat(accepts(slot)).isFalse();
        put(slot, ReadIndexDescriptor.FREE, key, text("value"));
        assertThat(accepts(slot)).isFalse();
    }

    /** A READ that copies parts of two states, in pieces of any length: refused, unless it is one of them. */
    @Test
    void refusesMixturesOfTwoStates() {
        Random random = new Random(7);
        UnsafeBuffer before = new UnsafeBuffer(new byte[SLOT]);
        UnsafeBuffer after = new UnsafeBuffer(new byte[SLOT]);
        int refused = 0;
        for (int i = 0; i < 50_000; i++) {
            long version = 2 + 2L * random.nextInt(1000);
            put(before, version, key, text(Integer.toString(random.nextInt(3)).repeat(random.nextInt(200))));
            put(
                    after,
                    version + 2,
                    key,
                    text(Integer.toString(random.nextInt(3)).repeat(random.nextInt(200))));
            slot.putBytes(0, before, 0, SLOT);
            int from = random.nextInt(SLOT);
            int length = 1 + random.nextInt(SLOT - from);
            slot.putBytes(from, after, from, length);
            if (accepts(slot)) {
                assertThat(valueOf(slot)).isEqualTo(valueOf(slot.getLong(0) == version ? before : after));
            } else {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10_000);
    }

    private String valueOf(UnsafeBuffer copy) {
        byte[] bytes = new byte[ReadIndexDescriptor.valueLength(copy, 0)];
        copy.getBytes(ReadIndexDescriptor.KEY_OFFSET + key.capacity(), bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    @Test
    void acceptsNoLengthThatLeavesTheSlot() {
        Random random = new Random(8);
        byte[] noise = new byte[SLOT];
        for (int i = 0; i < 100_000; i++) {
            random.nextBytes(noise);
            assertThat(ReadIndexDescriptor.isWhole(new UnsafeBuffer(noise), 0, SLOT))
                    .isFalse();
        }
    }

    @Test
    void dividesMemoryIntoSets() {
        assertThat(ReadIndexDescriptor.setsBits(ReadIndexDescriptor.regionLength(0, 64) - 1, 64))
                .isNegative();
        for (int bits = 0; bits < 20; bits++) {
            assertThat(ReadIndexDescriptor.setsBits(ReadIndexDescriptor.regionLength(bits, 256), 256))
                    .isEqualTo(bits);
        }
        assertThat(ReadIndexDescriptor.addressOf("tcp://host:7/requests")).isEqualTo("tcp://host:7/read-index");
    }

    @Test
    void refusesForeignHeadersByName() {
        UnsafeBuffer header = new UnsafeBuffer(new byte[ReadIndexDescriptor.HEADER_LENGTH]);
        assertThatThrownBy(() -> ReadIndexDescriptor.checkHeader(header, 1 << 20))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("magic");
        ReadIndexDescriptor.putHeader(header, 4, 256);
        ReadIndexDescriptor.checkHeader(header, ReadIndexDescriptor.regionLength(4, 256));
        assertThatThrownBy(() -> ReadIndexDescriptor.checkHeader(header, ReadIndexDescriptor.regionLength(4, 256) - 1))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("2^4 sets");
        ReadIndexDescriptor.putHeader(header, 4, 100);
        assertThatThrownBy(() -> ReadIndexDescriptor.checkHeader(header, 1 << 20))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("100 bytes");
    }
}

package io.verbena.bench.check.messages;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What a message carries: who sent it, on which stream, as which number, how long it is, and bytes that follow from all
 * of that. A message is the first {@code length} bytes of
 *
 * <pre>
 *    0             7 8      11 12     15 16
 *   +---------------+---------+---------+------------------------------
 *   |   identity    | length  |  check  |  words of a generator ...
 *   +---------------+---------+---------+------------------------------
 *     place 12 | stream 20 | number 32
 * </pre>
 *
 * <p>A message shorter than the identity is named by the 32 bits beside it: {@link #immediate}. Thread-safe: without
 * state but the seed.
 */
final class MessageContent {
    /** Bytes from which on a message names itself. */
    static final int IDENTITY_LENGTH = 8;
    /** Bytes from which on a message carries its whole header. */
    static final int HEADER_LENGTH = 16;
    /** Streams that a run may have. */
    static final int MAX_STREAM = (1 << 20) - 1;
    /** Places that there may be. */
    static final int MAX_PLACE = (1 << 12) - 1;

    private static final int STREAM_SHIFT = 32;
    private static final int PLACE_SHIFT = 52;
    private static final int LOW_BITS = 12;
    private static final int LOW_MASK = (1 << LOW_BITS) - 1;
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private final long seed;

    MessageContent(long seed) {
        this.seed = mix(seed);
    }

    /** Names a message. */
    static long identity(int place, int stream, long number) {
        return (long) place << PLACE_SHIFT | (long) stream << STREAM_SHIFT | (number & 0xFFFF_FFFFL);
    }

    static int place(long identity) {
        return (int) (identity >>> PLACE_SHIFT);
    }

    static int stream(long identity) {
        return (int) (identity >>> STREAM_SHIFT) & MAX_STREAM;
    }

    static long number(long identity) {
        return identity & 0xFFFF_FFFFL;
    }

    /** The identity that a message of at least {@link #IDENTITY_LENGTH} bytes says it has. */
    static long identity(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset, ORDER);
    }

    /** What goes beside a message that is too short to name itself; never 0, since streams begin at 1. */
    static int immediate(long identity) {
        return stream(identity) << LOW_BITS | (int) (identity & LOW_MASK);
    }

    /** The stream that {@link #immediate} names. */
    static int streamOfImmediate(int immediate) {
        return immediate >>> LOW_BITS;
    }

    /** The number that {@link #immediate} names: of those that fit, the one nearest to what is expected. */
    static long numberOfImmediate(int immediate, long expected) {
        long number = (expected & ~(long) LOW_MASK) | (immediate & LOW_MASK);
        if (number - expected > LOW_MASK / 2) {
            number -= LOW_MASK + 1;
        } else if (expected - number > LOW_MASK / 2) {
            number += LOW_MASK + 1;
        }
        return Math.max(0, number);
    }

    /** Writes a message. */
    void fill(MutableDirectBuffer buffer, int offset, long identity, int length) {
        buffer.boundsCheck(offset, length);
        int words = length >> 3;
        long base = base(identity, length);
        for (int i = 0; i < words; i++) {
            buffer.putLong(offset + (i << 3), word(identity, length, base, i), ORDER);
        }
        long rest = word(identity, length, base, words);
        for (int i = words << 3; i < length; i++) {
            buffer.putByte(offset + i, (byte) (rest >>> ((i & 7) << 3)));
        }
    }

    /** The first byte that is not as it should be, or -1 if the message is right. */
    int firstDifference(DirectBuffer buffer, int offset, long identity, int length) {
        buffer.boundsCheck(offset, length);
        int words = length >> 3;
        long base = base(identity, length);
        for (int i = 0; i < words; i++) {
            long difference = buffer.getLong(offset + (i << 3), ORDER) ^ word(identity, length, base, i);
            if (difference != 0) {
                return (i << 3) + (Long.numberOfTrailingZeros(difference) >> 3);
            }
        }
        long rest = word(identity, length, base, words);
        for (int i = words << 3; i < length; i++) {
            if (buffer.getByte(offset + i) != (byte) (rest >>> ((i & 7) << 3))) {
                return i;
            }
        }
        return -1;
    }

    private long base(long identity, int length) {
        return mix(identity * STEP + length ^ seed);
    }

    private static long word(long identity, int length, long base, int index) {
        if (index > 1) {
            long word = base + index * STEP;
            return (word ^ word >>> 29) * 0xBF58476D1CE4E5B9L;
        }
        return index == 0 ? identity : (base & 0xFFFF_FFFF_0000_0000L) | length;
    }

    /** Spreads 64 bits (SplitMix64's finalizer). */
    static long mix(long value) {
        long x = value;
        x = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
        x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
        return x ^ x >>> 31;
    }
}

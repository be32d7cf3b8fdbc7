package io.verbena.bench.check.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Bytes of a value: literal, or generated block by block so that a value of any size costs nothing to keep. Every block
 * of a generated value names the run, the connection, the key, the version and the place, so that bytes that turn up
 * elsewhere say where they come from.
 *
 * <pre>
 *   c0017k000cv000004#000000~5e1f3a&gt;     one block of 32 bytes: connection 23, key 12, version 4, block 0, run
 * </pre>
 *
 * Values too short to carry a name are a hash of it. Immutable.
 */
final class ValueContent {
    static final int BLOCK = 32;
    static final int MIN_NAMED = 18;
    static final ValueContent EMPTY = new ValueContent(new byte[0], false, 0, 0);

    private static final int INDEX_AT = 18;
    private static final int INDEX_DIGITS = 6;
    private static final int PIECE = 4096;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LETTERS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);
    private static final ThreadLocal<byte[]> SCRATCH = ThreadLocal.withInitial(() -> new byte[PIECE]);

    private final byte[] bytes;
    private final boolean generated;
    private final int from;
    private final int length;

    private ValueContent(byte[] bytes, boolean generated, int from, int length) {
        this.bytes = bytes;
        this.generated = generated;
        this.from = from;
        this.length = length;
    }

    /** Literal bytes, which must not change any more. */
    static ValueContent of(byte[] bytes) {
        return new ValueContent(bytes, false, 0, bytes.length);
    }

    /** Literal text. */
    static ValueContent of(String text) {
        return of(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The value of this name and length. */
    static ValueContent generated(int run, int connection, int key, int version, int length) {
        byte[] block = String.format(
                        Locale.ROOT, "c%04xk%04xv%06x#%06x~%06x>", connection, key, version, 0, run & 0xFFFFFF)
                .getBytes(StandardCharsets.US_ASCII);
        if (length < MIN_NAMED) {
            return of(hashed(block, length));
        }
        return new ValueContent(block, true, 0, length);
    }

    private static byte[] hashed(byte[] block, int length) {
        long hash = 0xCBF29CE484222325L;
        for (byte each : block) {
            hash = (hash ^ each) * 0x100000001B3L;
        }
        byte[] result = new byte[length];
        for (int i = 0; i < length; i++) {
            hash = Seeds.mix(hash + i);
            result[i] = LETTERS[(int) (hash >>> 58)];
        }
        return result;
    }

    int length() {
        return length;
    }

    /** A part of this. */
    ValueContent slice(int begin, int end) {
        if (generated) {
            return new ValueContent(bytes, true, from + begin, end - begin);
        }
        return of(Arrays.copyOfRange(bytes, from + begin, from + end));
    }

    /** This and another behind it, literally. */
    ValueContent plus(ValueContent other) {
        byte[] sum = Arrays.copyOf(toBytes(), length + other.length);
        other.copyTo(0, sum, length, other.length);
        return of(sum);
    }

    /** Copies a part. */
    void copyTo(int begin, byte[] target, int at, int count) {
        if (!generated) {
            System.arraycopy(bytes, from + begin, target, at, count);
            return;
        }
        int position = from + begin;
        int to = at;
        int left = count;
        while (left > 0) {
            int inBlock = position % BLOCK;
            int n = Math.min(left, BLOCK - inBlock);
            System.arraycopy(bytes, inBlock, target, to, n);
            patch(target, to - inBlock, to, to + n, position / BLOCK);
            position += n;
            to += n;
            left -= n;
        }
    }

    private static void patch(byte[] target, int block, int begin, int end, int index) {
        int rest = index;
        for (int i = INDEX_DIGITS - 1; i >= 0 && rest != 0; i--) {
            int at = block + INDEX_AT + i;
            if (at >= begin && at < end) {
                target[at] = HEX[rest & 15];
            }
            rest >>>= 4;
        }
    }

    /** The first byte of a part that differs from what was received, or -1. */
    int mismatch(int begin, byte[] received, int at, int count) {
        byte[] scratch = SCRATCH.get();
        for (int done = 0; done < count; ) {
            int n = Math.min(PIECE, count - done);
            copyTo(begin + done, scratch, 0, n);
            int found = Arrays.mismatch(scratch, 0, n, received, at + done, at + done + n);
            if (found >= 0) {
                return begin + done + found;
            }
            done += n;
        }
        return -1;
    }

    /** Tells whether these are the bytes. */
    boolean isSame(byte[] received) {
        return received.length == length && mismatch(0, received, 0, length) < 0;
    }

    /** All bytes. */
    byte[] toBytes() {
        byte[] all = new byte[length];
        copyTo(0, all, 0, length);
        return all;
    }

    @Override
    public String toString() {
        byte[] start = new byte[Math.min(length, Text.SHORT)];
        copyTo(0, start, 0, start.length);
        return Text.of(start, length);
    }
}

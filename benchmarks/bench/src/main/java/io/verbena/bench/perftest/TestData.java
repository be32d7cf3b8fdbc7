package io.verbena.bench.perftest;

import io.verbena.verification.RunException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The data of a test. Message {@code i} is a window of one long pseudo-random sequence that both ends can compute, and
 * successive messages begin at different places in it: a byte depends on its offset and on the message, no two of
 * {@value #SHIFTS} successive messages are the same, and a sender needs no time to make them.
 */
final class TestData {
    /** Windows, a prime number, so that they never run in step with rings. */
    static final int SHIFTS = 509;

    private static final int STEP = Long.BYTES;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final DirectBuffer sequence;

    /** Takes a buffer that {@link #fill} has filled. */
    TestData(DirectBuffer sequence) {
        this.sequence = sequence;
    }

    /** Bytes of the sequence for messages of a size. */
    static int length(int size) {
        return size + SHIFTS * STEP;
    }

    /** Writes the sequence. */
    static void fill(MutableDirectBuffer buffer, int length) {
        for (int i = 0; i < length; i += STEP) {
            long word = mix((i + 1) * GOLDEN);
            if (length - i >= STEP) {
                buffer.putLong(i, word);
            } else {
                for (int j = i; j < length; j++, word >>>= Byte.SIZE) {
                    buffer.putByte(j, (byte) word);
                }
            }
        }
    }

    // The finalizer of splitmix64.
    private static long mix(long x) {
        long z = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /** Where in the sequence a message begins. */
    static int offset(long message) {
        return (int) (message % SHIFTS) * STEP;
    }

    /** The last byte of a message. */
    byte last(long message, int size) {
        return sequence.getByte(offset(message) + size - 1);
    }

    /**
     * Compares what has arrived.
     *
     * @throws RunException if it is not the message
     */
    void verify(DirectBuffer buffer, int at, int size, long message) {
        DirectBuffer expected = sequence;
        int from = offset(message);
        int i = 0;
        for (int end = size - STEP; i <= end; i += STEP) {
            if (buffer.getLong(at + i) != expected.getLong(from + i)) {
                throw mismatch(buffer, at, size, message);
            }
        }
        for (; i < size; i++) {
            if (buffer.getByte(at + i) != expected.getByte(from + i)) {
                throw mismatch(buffer, at, size, message);
            }
        }
    }

    private RunException mismatch(DirectBuffer buffer, int at, int size, long message) {
        int from = offset(message);
        int i = 0;
        while (buffer.getByte(at + i) == sequence.getByte(from + i)) {
            i++;
        }
        return new RunException("data mismatch in message " + message + " of " + size + " bytes: byte " + i + " is 0x"
                + Integer.toHexString(buffer.getByte(at + i) & 0xFF) + ", expected 0x"
                + Integer.toHexString(sequence.getByte(from + i) & 0xFF));
    }
}

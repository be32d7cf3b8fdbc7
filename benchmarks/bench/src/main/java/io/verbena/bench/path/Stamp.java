package io.verbena.bench.path;

import io.verbena.verification.RunException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** A message's number, in its first 8 bytes and, where there is room for a second one, in its last. Any thread. */
final class Stamp {
    /** Least bytes of a message that carries its number twice. */
    static final int BOTH = 2 * Long.BYTES;

    private Stamp() {}

    static void put(MutableDirectBuffer buffer, int offset, int length, long number) {
        buffer.putLong(offset, number);
        if (length >= BOTH) {
            buffer.putLong(offset + length - Long.BYTES, number);
        }
    }

    /** The number of a message that is there whole. */
    static long get(DirectBuffer buffer, int offset, int length) {
        long number = buffer.getLong(offset);
        if (length >= BOTH) {
            check(number, buffer.getLong(offset + length - Long.BYTES));
        }
        return number;
    }

    /** Refuses a message whose halves are of two. */
    static void check(long head, long tail) {
        if (head != tail) {
            throw new RunException("a message begins with number " + head + " and ends with number " + tail);
        }
    }

    /** Refuses a message of another length. */
    static void checkLength(int found, int length) {
        if (found != length) {
            throw new RunException("a message has " + found + " bytes, expected " + length);
        }
    }
}

package io.verbena.kv.store;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads 64-bit integers as strictly as Redis: decimal digits with an optional minus, no plus, no space, no leading
 * zero, no negative zero. Reusable, not thread-safe.
 */
final class DecimalParser {
    /** Greatest length of an integer's text. */
    static final int MAX_LENGTH = 20;

    private long value;

    /** Value of the last text that was an integer. */
    long value() {
        return value;
    }

    /** True if the text is an integer, which {@link #value()} then returns. */
    boolean parse(UnsafeBuffer buffer, int offset, int length) {
        if (length == 0 || length > MAX_LENGTH) {
            return false;
        }
        int at = offset;
        int end = offset + length;
        int digit = buffer.getByte(at) - '0';
        if (length == 1 && digit == 0) {
            value = 0;
            return true;
        }
        boolean negative = digit == '-' - '0';
        if (negative) {
            if (++at == end) {
                return false;
            }
            digit = buffer.getByte(at) - '0';
        }
        if (digit < 1 || digit > 9) {
            return false;
        }
        // Counted downwards, for the negative numbers reach one further.
        long number = -digit;
        for (at++; at < end; at++) {
            digit = buffer.getByte(at) - '0';
            if (digit < 0 || digit > 9 || number < Long.MIN_VALUE / 10) {
                return false;
            }
            number *= 10;
            if (number < Long.MIN_VALUE + digit) {
                return false;
            }
            number -= digit;
        }
        if (!negative && number == Long.MIN_VALUE) {
            return false;
        }
        value = negative ? number : -number;
        return true;
    }

    /**
     * True if the text is an unsigned 64-bit integer, as strtoul reads cursors: a sign and leading zeros are allowed.
     */
    boolean parseCursor(UnsafeBuffer buffer, int offset, int length) {
        int at = offset;
        int end = offset + length;
        boolean negative = false;
        if (at < end && (buffer.getByte(at) == '-' || buffer.getByte(at) == '+')) {
            negative = buffer.getByte(at++) == '-';
        }
        if (at == end && length > 0) {
            return false;
        }
        long number = 0;
        for (; at < end; at++) {
            int digit = buffer.getByte(at) - '0';
            if (digit < 0 || digit > 9) {
                return false;
            }
            if (Long.compareUnsigned(number, Long.divideUnsigned(-1L - digit, 10)) > 0) {
                return false;
            }
            number = number * 10 + digit;
        }
        value = negative ? -number : number;
        return true;
    }
}

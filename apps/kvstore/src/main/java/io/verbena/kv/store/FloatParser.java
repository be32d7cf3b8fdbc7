package io.verbena.kv.store;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads floating-point numbers as C's strtod does where Redis lets it: decimal with optional fraction and exponent,
 * hexadecimal, {@code inf} and {@code infinity}; no not-a-number, no space, nothing behind the number, and no number
 * that overflows or underflows to zero. Reusable, not thread-safe.
 *
 * <p>Numbers of up to 18 digits with a small exponent, which is to say nearly all, are read without garbage.
 */
final class FloatParser {
    /** Greatest length of a number's text. */
    static final int MAX_LENGTH = 5119;

    private static final int MAX_EXACT_POWER = 22;
    private static final long MAX_EXACT_MANTISSA = 1L << 53;
    private static final int MAX_DIGITS = 18;
    private static final int MAX_EXPONENT = 100_000;
    private static final double[] POWERS = new double[MAX_EXACT_POWER + 1];

    static {
        double power = 1;
        for (int i = 0; i <= MAX_EXACT_POWER; i++) {
            POWERS[i] = power;
            power *= 10;
        }
    }

    /** What a text is. */
    enum Form {
        /** Not a number. */
        INVALID,
        /** A decimal number. */
        DECIMAL,
        /** A hexadecimal number. */
        HEXADECIMAL,
        /** An infinity. */
        INFINITY
    }

    private boolean negative;
    private long mantissa;
    private int digits;
    private int exponent;
    private double value;
    private boolean outOfRange;

    /** Value of the last text that was a number. */
    double value() {
        return value;
    }

    /** True if the last text scanned had a minus. */
    boolean isNegative() {
        return negative;
    }

    /** True if the text is a number, which {@link #value()} then returns. */
    boolean parse(UnsafeBuffer buffer, int offset, int length) {
        switch (scan(buffer, offset, length)) {
            case INVALID -> {
                return false;
            }
            case INFINITY -> value = negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
            case HEXADECIMAL -> {
                return parseSlowly(hexadecimal(buffer.getStringWithoutLengthAscii(offset, length)));
            }
            case DECIMAL -> {
                // Clinger's fast path: a mantissa and a power of ten that are both exact give one rounding.
                if (digits > MAX_DIGITS
                        || mantissa > MAX_EXACT_MANTISSA
                        || exponent < -MAX_EXACT_POWER
                        || exponent > MAX_EXACT_POWER) {
                    return parseSlowly(buffer.getStringWithoutLengthAscii(offset, length));
                }
                double magnitude = exponent < 0 ? mantissa / POWERS[-exponent] : mantissa * POWERS[exponent];
                value = negative ? -magnitude : magnitude;
            }
        }
        return true;
    }

    /**
     * True if the text is a number, read as loosely as Redis reads the bounds of ranges: no text at all is zero,
     * leading space is skipped, and a number out of range becomes an infinity or zero.
     */
    boolean parseBound(UnsafeBuffer buffer, int offset, int length) {
        if (length == 0) {
            value = 0;
            return true;
        }
        int skipped = 0;
        while (skipped < length && isSpace(buffer.getByte(offset + skipped))) {
            skipped++;
        }
        outOfRange = false;
        return parse(buffer, offset + skipped, length - skipped) || outOfRange;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || (b >= '\t' && b <= '\r');
    }

    private boolean parseSlowly(String text) {
        value = Double.parseDouble(text);
        outOfRange = Double.isInfinite(value) || (value == 0 && mantissa != 0);
        return !outOfRange;
    }

    /** Java wants an exponent behind a hexadecimal number. */
    static String hexadecimal(String text) {
        return text.indexOf('p') >= 0 || text.indexOf('P') >= 0 ? text : text + "p0";
    }

    /** Finds out what a text is; mantissa and exponent of a decimal number are known afterwards. */
    Form scan(UnsafeBuffer buffer, int offset, int length) {
        negative = false;
        mantissa = 0;
        digits = 0;
        exponent = 0;
        if (length == 0 || length > MAX_LENGTH) {
            return Form.INVALID;
        }
        int at = offset;
        int end = offset + length;
        byte sign = buffer.getByte(at);
        if (sign == '-' || sign == '+') {
            negative = sign == '-';
            at++;
        }
        if (at == end) {
            return Form.INVALID;
        }
        int first = buffer.getByte(at) | 0x20;
        if (first == 'i') {
            return isWord(buffer, at, end, "inf") || isWord(buffer, at, end, "infinity") ? Form.INFINITY : Form.INVALID;
        }
        if (buffer.getByte(at) == '0' && at + 1 < end && (buffer.getByte(at + 1) | 0x20) == 'x') {
            return scanNumber(buffer, at + 2, end, 16) ? Form.HEXADECIMAL : Form.INVALID;
        }
        return scanNumber(buffer, at, end, 10) ? Form.DECIMAL : Form.INVALID;
    }

    private boolean scanNumber(UnsafeBuffer buffer, int offset, int end, int base) {
        int at = offset;
        boolean any = false;
        boolean point = false;
        for (; at < end; at++) {
            byte c = buffer.getByte(at);
            if (c == '.' && !point) {
                point = true;
                continue;
            }
            int digit = Character.digit(c, base);
            if (digit < 0) {
                break;
            }
            any = true;
            if (digits > 0 || digit > 0) {
                digits++;
            }
            // Beyond 18 digits the exact value does not matter here, only that it is not zero.
            if (digits <= MAX_DIGITS) {
                mantissa = mantissa * base + digit;
            }
            if (point) {
                exponent--;
            }
        }
        if (!any) {
            return false;
        }
        return at == end || scanExponent(buffer, at, end, base == 16 ? 'p' : 'e');
    }

    private boolean scanExponent(UnsafeBuffer buffer, int offset, int end, char letter) {
        int at = offset;
        if ((buffer.getByte(at++) | 0x20) != letter || at == end) {
            return false;
        }
        byte sign = buffer.getByte(at);
        if (sign == '-' || sign == '+') {
            at++;
        }
        if (at == end) {
            return false;
        }
        int power = 0;
        for (; at < end; at++) {
            int digit = buffer.getByte(at) - '0';
            if (digit < 0 || digit > 9) {
                return false;
            }
            power = Math.min(MAX_EXPONENT, power * 10 + digit);
        }
        exponent += sign == '-' ? -power : power;
        return true;
    }

    private static boolean isWord(UnsafeBuffer buffer, int at, int end, String word) {
        if (end - at != word.length()) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            if ((buffer.getByte(at + i) | 0x20) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}

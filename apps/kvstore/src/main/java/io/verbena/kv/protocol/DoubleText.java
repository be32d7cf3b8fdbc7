package io.verbena.kv.protocol;

import org.agrona.MutableDirectBuffer;

/**
 * Writes floating-point numbers as C does: {@code %.17g}, in which Redis 7.0 prints scores, and {@code %.17f} with the
 * zeros at the end removed, in which it prints the results of INCRBYFLOAT. Exact: a binary number has a finite decimal
 * expansion, which is computed whole and rounded once, half to even.
 *
 * <p>Reusable and not thread-safe: works in arrays of its own and allocates nothing.
 */
public final class DoubleText {
    /** Greatest length of a text of {@link #putShort}. */
    public static final int MAX_SHORT_LENGTH = 26;
    /** Greatest length of a text of {@link #putFixed}. */
    public static final int MAX_FIXED_LENGTH = 5120;

    private static final int PRECISION = 17;
    private static final int BASE = 1_000_000_000;
    private static final int BASE_DIGITS = 9;
    private static final int MANTISSA_BITS = 52;
    private static final int EXPONENT_BIAS = 1075;
    private static final int EXPONENT_MASK = 0x7ff;
    /** Least exponent that %g prints without an exponent. */
    private static final int MIN_PLAIN_EXPONENT = -4;
    // 64-bit mantissa with exponents of an x87 extended number: 16 384 / log2(10^9) words and as many for 5^n.
    private static final int WORDS = 1900;

    /** Little-endian words in base 10^9. */
    private final int[] words = new int[WORDS];

    private int size;
    private final byte[] digits = new byte[WORDS * BASE_DIGITS];
    private int digitCount;
    /** Digits behind the decimal point among {@link #digits}. */
    private int scale;

    /**
     * Writes a number as {@code %.17g}; infinities as {@code inf} and {@code -inf}, not-a-number as {@code nan}.
     *
     * @param value to write
     * @param target buffer with room for {@link #MAX_SHORT_LENGTH} bytes
     * @param offset of the first byte
     * @return bytes written
     */
    public int putShort(double value, MutableDirectBuffer target, int offset) {
        if (Double.isNaN(value)) {
            return target.putStringWithoutLengthAscii(offset, "nan");
        }
        if (Double.isInfinite(value)) {
            return target.putStringWithoutLengthAscii(offset, value > 0 ? "inf" : "-inf");
        }
        int at = offset;
        long bits = Double.doubleToRawLongBits(value);
        if (bits < 0) {
            target.putByte(at++, (byte) '-');
        }
        double magnitude = Math.abs(value);
        // Whole numbers of up to 15 digits are most scores: %.17g prints them as integers.
        if (magnitude == (long) magnitude && magnitude < 1e15) {
            return at - offset + target.putLongAscii(at, (long) magnitude);
        }
        int biased = (int) (bits >>> MANTISSA_BITS) & EXPONENT_MASK;
        long fraction = bits & ((1L << MANTISSA_BITS) - 1);
        expand(biased == 0 ? fraction : fraction | 1L << MANTISSA_BITS, Math.max(1, biased) - EXPONENT_BIAS);
        return at - offset + putGeneral(target, at);
    }

    /**
     * Writes mantissa * 2^exponent as {@code %.17f} without the zeros at its end, and without the point if only zeros
     * followed it. A negative number that rounds to zero is {@code 0}.
     *
     * @param negative sign
     * @param mantissa unsigned 64-bit
     * @param exponent -16 445 to 16 320
     * @param target buffer with room for {@link #MAX_FIXED_LENGTH} bytes
     * @param offset of the first byte
     * @return bytes written
     */
    public int putFixed(boolean negative, long mantissa, int exponent, MutableDirectBuffer target, int offset) {
        expand(mantissa, exponent);
        if (scale > PRECISION) {
            round(digitCount - (scale - PRECISION));
        }
        int last = digitCount;
        while (scale > 0 && last > 0 && digits[last - 1] == 0) {
            last--;
            scale--;
        }
        digitCount = last;
        if (digitCount == 0) {
            target.putByte(offset, (byte) '0');
            return 1;
        }
        int at = offset;
        if (negative) {
            target.putByte(at++, (byte) '-');
        }
        at = putPlain(target, at);
        return at - offset;
    }

    /** Fills digits, without zeros in front, and scale with the exact value of mantissa * 2^exponent. */
    private void expand(long mantissa, int exponent) {
        long m = mantissa;
        int e = exponent;
        if (m == 0) {
            digitCount = 0;
            scale = 0;
            return;
        }
        int zeros = Long.numberOfTrailingZeros(m);
        m >>>= zeros;
        e += zeros;
        size = 0;
        for (long rest = m; rest != 0; rest = Long.divideUnsigned(rest, BASE)) {
            words[size++] = (int) Long.remainderUnsigned(rest, BASE);
        }
        // m * 2^-n = m * 5^n / 10^n.
        multiplyByPower(e >= 0 ? 2 : 5, Math.abs(e));
        scale = e >= 0 ? 0 : -e;
        digitCount = 0;
        for (int i = size - 1; i >= 0; i--) {
            int word = words[i];
            for (int j = digitCount + BASE_DIGITS - 1; j >= digitCount; j--) {
                digits[j] = (byte) (word % 10);
                word /= 10;
            }
            digitCount += BASE_DIGITS;
        }
        int leading = 0;
        while (digits[leading] == 0) {
            leading++;
        }
        digitCount -= leading;
        System.arraycopy(digits, leading, digits, 0, digitCount);
    }

    private void multiplyByPower(int base, int exponent) {
        // 2^29 and 5^12 are the greatest powers below 10^9.
        int step = base == 2 ? 29 : 12;
        int rest = exponent;
        while (rest > 0) {
            int n = Math.min(step, rest);
            long factor = 1;
            for (int i = 0; i < n; i++) {
                factor *= base;
            }
            long carry = 0;
            for (int i = 0; i < size; i++) {
                long product = words[i] * factor + carry;
                words[i] = (int) (product % BASE);
                carry = product / BASE;
            }
            if (carry != 0) {
                words[size++] = (int) carry;
            }
            rest -= n;
        }
    }

    /** Keeps the first {@code keep} digits, which may be none or fewer, rounded half to even. */
    private void round(int keep) {
        int dropped = digitCount - keep;
        if (dropped <= 0) {
            return;
        }
        scale -= dropped;
        if (keep < 0) {
            digitCount = 0;
            return;
        }
        boolean up = digits[keep] > 5;
        if (digits[keep] == 5) {
            up = keep > 0 && (digits[keep - 1] & 1) == 1;
            for (int i = keep + 1; i < digitCount && !up; i++) {
                up = digits[i] != 0;
            }
        }
        digitCount = keep;
        if (up) {
            int i = keep - 1;
            while (i >= 0 && digits[i] == 9) {
                digits[i--] = 0;
            }
            if (i >= 0) {
                digits[i]++;
            } else {
                System.arraycopy(digits, 0, digits, 1, keep);
                digits[0] = 1;
                digitCount++;
            }
        }
    }

    private int putGeneral(MutableDirectBuffer target, int offset) {
        round(PRECISION);
        int exponent = digitCount - 1 - scale;
        int last = digitCount;
        while (last > 1 && digits[last - 1] == 0) {
            last--;
        }
        scale -= digitCount - last;
        digitCount = last;
        if (exponent >= MIN_PLAIN_EXPONENT && exponent < PRECISION) {
            return putPlain(target, offset) - offset;
        }
        int at = offset;
        target.putByte(at++, (byte) ('0' + digits[0]));
        if (digitCount > 1) {
            target.putByte(at++, (byte) '.');
            for (int i = 1; i < digitCount; i++) {
                target.putByte(at++, (byte) ('0' + digits[i]));
            }
        }
        target.putByte(at++, (byte) 'e');
        target.putByte(at++, (byte) (exponent < 0 ? '-' : '+'));
        exponent = Math.abs(exponent);
        if (exponent < 10) {
            target.putByte(at++, (byte) '0');
        }
        return at - offset + target.putNaturalIntAscii(at, exponent);
    }

    private int putPlain(MutableDirectBuffer target, int offset) {
        int at = offset;
        int whole = digitCount - scale;
        if (whole <= 0) {
            target.putByte(at++, (byte) '0');
        }
        for (int i = 0; i < Math.min(whole, digitCount); i++) {
            target.putByte(at++, (byte) ('0' + digits[i]));
        }
        for (int i = digitCount; i < whole; i++) {
            target.putByte(at++, (byte) '0');
        }
        if (scale > 0) {
            target.putByte(at++, (byte) '.');
            for (int i = whole; i < 0; i++) {
                target.putByte(at++, (byte) '0');
            }
            for (int i = Math.max(0, whole); i < digitCount; i++) {
                target.putByte(at++, (byte) ('0' + digits[i]));
            }
        }
        return at;
    }
}

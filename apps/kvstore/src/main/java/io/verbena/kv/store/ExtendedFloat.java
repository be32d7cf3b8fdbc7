package io.verbena.kv.store;

import io.verbena.kv.protocol.DoubleText;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The arithmetic of INCRBYFLOAT. Redis computes it in the x87's extended precision of 64 mantissa bits, and prints 17
 * decimals, so that the precision shows: 10.6 + 5000 is {@code 5010.60000000000000009} there. This computes the same
 * numbers with BigInteger. It allocates, as one of the few operations that do.
 *
 * <p>Reusable, not thread-safe.
 */
final class ExtendedFloat {
    private static final int MANTISSA_BITS = 64;
    /** Exponents of the least and the greatest bit of an extended number. */
    private static final int MIN_EXPONENT = -16_445;

    private static final int MAX_EXPONENT = 16_384 - MANTISSA_BITS;
    private static final int MAX_DECIMAL_EXPONENT = 6000;

    private final FloatParser parser = new FloatParser();
    private BigInteger mantissa = BigInteger.ZERO;
    private int exponent;
    private boolean infinite;

    void set(ExtendedFloat other) {
        mantissa = other.mantissa;
        exponent = other.exponent;
        infinite = other.infinite;
    }

    void set(long integer) {
        infinite = false;
        // 63 bits and a sign fit exactly.
        mantissa = BigInteger.valueOf(integer);
        exponent = 0;
    }

    boolean isInfinite() {
        return infinite;
    }

    /** True if the text is a number, which this then is. */
    boolean parse(UnsafeBuffer buffer, int offset, int length) {
        FloatParser.Form form = parser.scan(buffer, offset, length);
        infinite = form == FloatParser.Form.INFINITY;
        switch (form) {
            case INVALID -> {
                return false;
            }
            case INFINITY -> {
                return true;
            }
            case HEXADECIMAL -> {
                if (!parser.parse(buffer, offset, length)) {
                    return false;
                }
                round(new BigDecimal(parser.value()));
            }
            case DECIMAL -> {
                BigDecimal decimal;
                try {
                    decimal = new BigDecimal(buffer.getStringWithoutLengthAscii(offset, length));
                } catch (NumberFormatException exponentTooLarge) {
                    return false;
                }
                long magnitude = (long) decimal.precision() - decimal.scale();
                if (decimal.signum() != 0 && (magnitude > MAX_DECIMAL_EXPONENT || magnitude < -MAX_DECIMAL_EXPONENT)) {
                    return false;
                }
                round(decimal.signum() == 0 ? BigDecimal.ZERO : decimal);
                return !infinite && (decimal.signum() == 0 || mantissa.signum() != 0);
            }
        }
        return true;
    }

    /** Adds a number to this one. */
    void add(ExtendedFloat other) {
        if (infinite || other.infinite) {
            infinite = true;
            return;
        }
        int common = Math.min(exponent, other.exponent);
        BigInteger sum = mantissa.shiftLeft(exponent - common).add(other.mantissa.shiftLeft(other.exponent - common));
        round(sum, common, false);
    }

    /** Writes this number with up to 17 decimals; returns the bytes written. */
    int put(DoubleText text, MutableDirectBuffer target, int offset) {
        return text.putFixed(mantissa.signum() < 0, mantissa.abs().longValue(), exponent, target, offset);
    }

    private void round(BigDecimal decimal) {
        if (decimal.scale() <= 0) {
            round(decimal.toBigIntegerExact(), 0, false);
            return;
        }
        // Enough bits in front of the division that the quotient has more than 64, and its remainder says what is
        // behind.
        BigInteger divisor = BigInteger.TEN.pow(decimal.scale());
        BigInteger dividend = decimal.unscaledValue();
        int shift = Math.max(0, divisor.bitLength() - dividend.bitLength() + MANTISSA_BITS + 2);
        BigInteger[] parts = dividend.shiftLeft(shift).divideAndRemainder(divisor);
        round(parts[0], -shift, parts[1].signum() != 0);
    }

    /** Rounds number * 2^power, and a bit more away from zero if inexact, to 64 bits, half to even. */
    private void round(BigInteger number, int power, boolean inexact) {
        BigInteger magnitude = number.abs();
        int e = power;
        int excess = Math.max(magnitude.bitLength() - MANTISSA_BITS, MIN_EXPONENT - e);
        if (excess > 0) {
            boolean half = magnitude.testBit(excess - 1);
            boolean more = inexact || (half && magnitude.getLowestSetBit() < excess - 1);
            magnitude = magnitude.shiftRight(excess);
            e += excess;
            if (half && (more || magnitude.testBit(0))) {
                magnitude = magnitude.add(BigInteger.ONE);
                if (magnitude.bitLength() > MANTISSA_BITS) {
                    magnitude = magnitude.shiftRight(1);
                    e++;
                }
            }
        }
        mantissa = number.signum() < 0 ? magnitude.negate() : magnitude;
        exponent = e;
        infinite = magnitude.signum() != 0 && magnitude.bitLength() + e > MAX_EXPONENT + MANTISSA_BITS;
    }
}

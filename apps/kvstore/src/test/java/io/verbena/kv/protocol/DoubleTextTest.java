package io.verbena.kv.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DoubleTextTest {
    private final DoubleText text = new DoubleText();
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[DoubleText.MAX_FIXED_LENGTH]);

    private String general(double value) {
        return buffer.getStringWithoutLengthAscii(0, text.putShort(value, buffer, 0));
    }

    // Right column: printf("%.17g") of the C library.
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0.0, -0",
        "1, 1",
        "-17, -17",
        "3.14, 3.1400000000000001",
        "0.1, 0.10000000000000001",
        "1e16, 10000000000000000",
        "1e17, 1e+17",
        "1.5e300, 1.5000000000000001e+300",
        "0.0001, 0.0001",
        "0.00001, 1.0000000000000001e-05",
        "4.9e-324, 4.9406564584124654e-324",
        "1.7976931348623157e308, 1.7976931348623157e+308",
        "2.5, 2.5",
        "123456789012345680, 1.2345678901234568e+17",
        "Infinity, inf",
        "-Infinity, -inf",
        "NaN, nan"
    })
    void printsAsC(double value, String expected) {
        assertThat(general(value)).isEqualTo(expected);
    }

    @Test
    void roundsAnyNumberToSeventeenDigits() {
        Random random = new Random(42);
        for (int i = 0; i < 20_000; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (Double.isNaN(value) || Double.isInfinite(value)) {
                continue;
            }
            String printed = general(value);
            BigDecimal expected = new BigDecimal(value).round(new MathContext(17, RoundingMode.HALF_EVEN));
            assertThat(new BigDecimal(printed)).as(printed).isEqualByComparingTo(expected);
            assertThat(printed.length()).isLessThanOrEqualTo(DoubleText.MAX_SHORT_LENGTH);
            assertThat(Double.parseDouble(printed)).isEqualTo(value);
        }
    }

    @Test
    void printsFixedWithoutTrailingZeros() {
        Random random = new Random(43);
        for (int i = 0; i < 20_000; i++) {
            long mantissa = random.nextLong() | Long.MIN_VALUE;
            int exponent = -random.nextInt(160) + 20;
            boolean negative = random.nextBoolean();
            int length = text.putFixed(negative, mantissa, exponent, buffer, 0);
            BigDecimal exact = new BigDecimal(Long.toUnsignedString(mantissa));
            exact = exponent >= 0
                    ? exact.multiply(BigDecimal.valueOf(2).pow(exponent))
                    : exact.divide(BigDecimal.valueOf(2).pow(-exponent));
            exact = exact.setScale(17, RoundingMode.HALF_EVEN);
            if (exact.signum() == 0) {
                assertThat(buffer.getStringWithoutLengthAscii(0, length)).isEqualTo("0");
                continue;
            }
            String expected = exact.stripTrailingZeros().toPlainString();
            assertThat(buffer.getStringWithoutLengthAscii(0, length)).isEqualTo(negative ? "-" + expected : expected);
        }
    }
}

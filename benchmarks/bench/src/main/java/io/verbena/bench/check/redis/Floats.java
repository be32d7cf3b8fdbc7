package io.verbena.bench.check.redis;

import java.math.BigDecimal;

/** Doubles that are exact in binary, as Redis writes them. Static. */
final class Floats {
    private Floats() {}

    static String text(double value) {
        return value == 0 ? "0" : new BigDecimal(value).stripTrailingZeros().toPlainString();
    }
}

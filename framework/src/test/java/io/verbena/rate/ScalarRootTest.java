package io.verbena.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class ScalarRootTest {
    private static final int CASES = 20_000;
    private static final double ROUNDING = 4e-16;

    /** Of powers that are no root and no product: an exponential of a logarithm. */
    private static final double POWER_ROUNDING = 2e-15;

    private final SplittableRandom random = new SplittableRandom(1);

    private double decades(double from, double to) {
        return StrictMath.pow(10, random.nextDouble(from, to));
    }

    /** Of the sum of the magnitudes; a root that is off by half an ulp shows alpha times that. */
    private static double residual(double w, double alpha, double r, double p, double x) {
        double falling = w * Utility.power(1 / x, alpha);
        return Math.abs(falling - r * x + p) / (falling + r * x + Math.abs(p)) / Math.max(1, (1 + alpha) / 2);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 1, 1.3, 2, 3})
    void exactOverEightDecadesOfRAndSixOfPOfBothSigns(double alpha) {
        double allowed = alpha == 0.5 || alpha == 1 || alpha == 2 ? ROUNDING : POWER_ROUNDING;
        for (int i = 0; i < CASES; i++) {
            double w = 1 << random.nextInt(3);
            double r = decades(-4, 4);
            double p = decades(-3, 3) * (i % 2 == 0 ? 1 : -1);
            double x = ScalarRoot.solve(w, alpha, 0, r, p);
            assertThat(residual(w, alpha, r, p, x)).as("R %s, p %s", r, p).isLessThanOrEqualTo(allowed);
        }
    }

    /** {@code (p + sqrt(p^2 + 4 R w)) / 2R} at alpha = 1. */
    @Test
    void theClosedFormIsTheRoot() {
        for (int i = 0; i < CASES; i++) {
            double w = 1 << random.nextInt(3);
            double r = decades(-4, 4);
            double p = decades(-3, 3);
            double closed = (p + Math.sqrt(p * p + 4 * r * w)) / (2 * r);
            assertThat(ScalarRoot.solve(w, 1, 0, r, p)).isCloseTo(closed, within(1e-15 * closed));
        }
    }

    @Test
    void fromAnyGuessTheSameRoot() {
        for (int i = 0; i < CASES; i++) {
            double w = 1 << random.nextInt(3);
            double alpha = random.nextDouble(0.3, 4);
            double b = decades(-3, 1);
            double r = i % 3 == 0 ? 0 : decades(-4, 4);
            double p = -decades(-3, 3);
            double x = ScalarRoot.solve(w, alpha, b, r, p);
            double sum = w * StrictMath.pow(x, -alpha) + b / (x * x * x) - r * x + p;
            assertThat(sum).isCloseTo(0, within(1e-13 * (r * x - p)));
            double near = ScalarRoot.near(x * decades(-4, 4), w, alpha, b, r, p);
            assertThat(near).isCloseTo(x, within(4e-15 * x));
        }
    }
}

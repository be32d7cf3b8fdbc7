package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class UtilitySharesTest {
    private static final double ALL = Double.POSITIVE_INFINITY;

    private final UtilityShares shares = new UtilityShares();

    private int party(double weight, double alpha, double minimum, double demand) {
        int party = shares.add(weight, alpha);
        shares.minimum(party, minimum);
        shares.demand(party, demand);
        return party;
    }

    @Test
    void ratesStandAsWeightsToThePowerOfOneByAlpha() {
        int heavy = party(9, 2, 0, ALL);
        int light = party(1, 2, 0, ALL);
        int absent = party(100, 2, 500_000, 0);
        shares.solve(1_000_000);
        assertThat(shares.rate(heavy)).isCloseTo(750_000, within(1.0));
        assertThat(shares.rate(light)).isCloseTo(250_000, within(1.0));
        assertThat(shares.rate(absent)).isZero();
        assertThat(shares.parties()).isEqualTo(3);
        assertThat(shares.gap()).isLessThan(1e-9);
    }

    @Test
    void whatOneDoesNotWantIsForTheOthersByTheirUtility() {
        int modest = party(1000, 1, 0, 100_000);
        int heavy = party(2, 1, 0, ALL);
        int light = party(1, 1, 0, ALL);
        shares.solve(1_000_000);
        assertThat(shares.rate(modest)).isCloseTo(100_000, within(1.0));
        assertThat(shares.rate(heavy)).isCloseTo(600_000, within(1.0));
        assertThat(shares.rate(light)).isCloseTo(300_000, within(1.0));
    }

    @Test
    void aMinimumHoldsForWhoWantsIt() {
        int heavy = party(1000, 1, 0, ALL);
        int light = party(1, 1, 200_000, ALL);
        shares.solve(1_000_000);
        assertThat(shares.rate(light)).isCloseTo(200_000, within(1.0));
        assertThat(shares.rate(heavy)).isCloseTo(800_000, within(1.0));
        shares.demand(light, 50_000);
        shares.solve(1_000_000);
        assertThat(shares.rate(light)).isCloseTo(50_000, within(1.0));
        assertThat(shares.rate(heavy)).isCloseTo(950_000, within(1.0));
    }

    @Test
    void minimumsThatDoNotFitAreCutByTheSamePart() {
        int one = party(1, 1, 6_000_000, ALL);
        int other = party(1, 1, 3_000_000, ALL);
        int third = party(1, 1, 0, ALL);
        shares.solve(1_000_000);
        assertThat(shares.rate(one)).isCloseTo(600_000, within(1.0));
        assertThat(shares.rate(other)).isCloseTo(300_000, within(1.0));
        assertThat(shares.rate(third)).isCloseTo(100_000, within(1.0));
    }

    /** Whatever is asked, no more is given than there is, and nobody gets more than it wants. */
    @Test
    void anythingIsSharedWithinTheCapacity() {
        SplittableRandom random = new SplittableRandom(20);
        for (int round = 0; round < 2_000; round++) {
            UtilityShares any = new UtilityShares();
            int count = 1 + random.nextInt(20);
            double capacity = Math.pow(10, random.nextDouble(0, 9));
            double wanted = 0;
            double[] demands = new double[count];
            for (int i = 0; i < count; i++) {
                any.add(random.nextDouble(0.001, 1000), random.nextDouble(0.3, 8));
                any.minimum(i, random.nextBoolean() ? 0 : capacity * random.nextDouble());
                demands[i] = random.nextInt(4) == 0 ? ALL : random.nextInt(4) == 0 ? 0 : capacity * random.nextDouble();
                any.demand(i, demands[i]);
                wanted += demands[i];
            }
            any.solve(capacity);
            double given = 0;
            for (int i = 0; i < count; i++) {
                assertThat(any.rate(i)).as("round %s", round).isBetween(0.0, demands[i]);
                given += any.rate(i);
            }
            assertThat(given / Math.min(capacity, wanted))
                    .as("round %s", round)
                    .satisfiesAnyOf(
                            part -> assertThat(part).isCloseTo(1, within(1e-6)),
                            part -> assertThat(part).isNaN());
        }
    }

    @Test
    void refusesWhatIsOutOfRange() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> shares.add(0, 1))
                .withMessageContaining("weight 0.0");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> shares.add(1, 33))
                .withMessageContaining("alpha 33.0");
        party(1, 1, 0, 1);
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> shares.minimum(0, ALL))
                .withMessageContaining("minimum Infinity");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> shares.demand(0, -1))
                .withMessageContaining("demand -1.0");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> shares.solve(0))
                .withMessageContaining("requests a second 0.0");
    }
}

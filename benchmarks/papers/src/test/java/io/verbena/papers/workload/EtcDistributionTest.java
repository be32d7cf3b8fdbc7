package io.verbena.papers.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.sim.SimRandom;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.commons.math3.distribution.ParetoDistribution;
import org.apache.commons.math3.stat.inference.ChiSquareTest;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The distributions against their published moments and quantiles, and the draws against the distributions. */
@Tag("computed") // the same on every JDK
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class EtcDistributionTest {
    private static final int DRAWS = 10_000_000;
    private static final int MIB = 1 << 20;
    private static final SizeDistribution ETC = EtcWorkload.messages(EtcVariant.ETC);
    private static final SizeDistribution RIMA = EtcWorkload.messages(EtcVariant.ETC_RIMA);

    /** A greater distance of that many draws from their distribution comes once in a thousand times. */
    private static final double KOLMOGOROV = 1.95 / Math.sqrt(DRAWS);

    private static long[] draw(SizeDistribution sizes, long seed) {
        SimRandom random = new SimRandom(seed);
        long[] counts = new long[(int) sizes.max() + 1];
        for (int i = 0; i < DRAWS; i++) {
            counts[sizes.next(random)]++;
        }
        return counts;
    }

    private static double mean(long[] counts) {
        double sum = 0;
        for (int size = 0; size < counts.length; size++) {
            sum += (double) size * counts[size];
        }
        return sum / DRAWS;
    }

    private static double distance(SizeDistribution sizes, long[] counts) {
        long seen = 0;
        double most = 0;
        for (int size = 0; size < counts.length; size++) {
            seen += counts[size];
            if (counts[size] > 0 || size < 10_000) {
                most = Math.max(most, Math.abs((double) seen / DRAWS - sizes.cdf(size)));
            }
        }
        return most;
    }

    private static void drawsFollow(SizeDistribution sizes, double mean) {
        long[] counts = draw(sizes, 42);
        assertThat(sizes.mean()).isCloseTo(mean, Percentage.withPercentage(0.3));
        assertThat(mean(counts)).isCloseTo(mean, Percentage.withPercentage(1));
        assertThat(distance(sizes, counts)).isLessThan(KOLMOGOROV);
    }

    @Test
    void keys() {
        EtcKeySizes keys = new EtcKeySizes();
        drawsFollow(keys, 36.2);
        assertThat(keys.quantile(0.5)).isEqualTo(34);
        assertThat(keys.cdf(0)).isZero();
        assertThat(keys.cdf(250)).isEqualTo(1);
        assertThat(1 - keys.cdf(249)).isBetween(1e-7, 1e-6);
    }

    @Test
    void messagesAsPublished() {
        drawsFollow(ETC, 230.9);
        assertThat(ETC.max()).isEqualTo(MIB + 250);
    }

    @Test
    void messagesAsInTheRimaPaper() {
        drawsFollow(RIMA, 232.6);
        assertThat(RIMA.max()).isEqualTo(MIB);
        assertThat(RIMA.cdf(1024)).isCloseTo(0.9587, offset(0.0001));
        assertThat(RIMA.cdf(5530)).as("5.4 KiB").isCloseTo(0.99909, offset(0.00001));
        assertThat(RIMA.quantile(0.999)).isBetween(5200L, 5350L);
    }

    @Test
    void valuesAsPublished() {
        EtcValueSizes values = new EtcValueSizes();
        assertThat(values.mean()).isCloseTo(194.7, Percentage.withPercentage(0.2));
        assertThat(values.cdf(1024)).isCloseTo(0.966, offset(0.001));
        assertThat(values.quantile(0.999)).isCloseTo(4970L, within(30L));
        assertThat(1 - values.cdf(MIB - 1)).isBetween(1e-11, 1e-9);
        assertThat(values.cdf(-1)).isZero();
        assertThat(values.cdf(MIB)).isEqualTo(1);
    }

    @Test
    void theTailIsAParetoDistribution() {
        double shape = 0.348238;
        double scale = 214.476 / shape;
        ParetoDistribution pareto = new ParetoDistribution(scale, 1 / shape);
        EtcValueSizes tail = new EtcValueSizes(1);
        EtcValueSizes values = new EtcValueSizes();
        for (int size : new int[] {15, 16, 100, 1024, 10_000, 1_000_000}) {
            double expected = pareto.cumulativeProbability(size - 15 + scale);
            assertThat(tail.cdf(size)).isCloseTo(expected, offset(1e-12));
            assertThat(values.cdf(size)).isCloseTo(0.44155 + 0.55845 * expected, offset(1e-12));
        }
    }

    @Test
    void shortValuesComeAsOftenAsTheTableSays() {
        double[] published = {
            .00536,
            .00047,
            .17820,
            .09239,
            .00018,
            .02740,
            .00065,
            .00606,
            .00023,
            .00837,
            .00837,
            .08989,
            .00092,
            .00326,
            .01980,
            1 - .44155
        };
        long[] counts = draw(new EtcValueSizes(), 3);
        long[] grouped = Arrays.copyOf(counts, published.length);
        grouped[15] = DRAWS - Arrays.stream(counts, 0, 15).sum();
        assertThat(new ChiSquareTest().chiSquareTest(published, grouped)).isGreaterThan(0.001);
        grouped[2] += 20_000; // the test would see it
        assertThat(new ChiSquareTest().chiSquareTest(published, grouped)).isLessThan(0.001);
    }

    @Test
    void gaps() {
        EtcGaps gaps = new EtcGaps();
        assertThat(gaps.mean()).isCloseTo(18_970, within(10.0));
        EtcGaps faster = EtcGaps.ofRate(1_000_000);
        assertThat(faster.mean()).isCloseTo(1000, within(0.001));
        SimRandom random = new SimRandom(9);
        double sum = 0;
        int longer = 0;
        for (int i = 0; i < DRAWS; i++) {
            long gap = faster.next(random);
            sum += gap;
            longer += gap > 3000 ? 1 : 0;
        }
        assertThat(sum / DRAWS).isCloseTo(1000, Percentage.withPercentage(1));
        assertThat((double) longer / DRAWS).isCloseTo(1 - faster.cdf(3000.5), Percentage.withPercentage(1));
        assertThat(gaps.cdf(0)).isZero();
        assertThat(gaps.cdf(18_970 * 3.0)).isCloseTo(faster.cdf(3000), offset(1e-4));
        assertThatThrownBy(() -> EtcGaps.ofRate(0)).hasMessage("messages per second 0.0 not above 0");
    }

    @Test
    void scalingKeepsShares() {
        for (SizeDistribution sizes : new SizeDistribution[] {ETC, RIMA}) {
            SizeDistribution half = sizes.scaled(0.5);
            SizeDistribution twice = sizes.scaled(2);
            for (int size : new int[] {0, 10, 34, 200, 1024, 5400, 100_000}) {
                assertThat(half.cdf(size / 2)).isEqualTo(sizes.cdf(size));
                assertThat(twice.cdf(size * 2L)).isEqualTo(sizes.cdf(size));
                assertThat(twice.cdf(size * 2L + 1)).isEqualTo(sizes.cdf(size));
            }
            assertThat(half.max()).isEqualTo((sizes.max() + 1) / 2);
            assertThat(twice.mean()).isCloseTo(2 * sizes.mean(), Percentage.withPercentage(0.001));
            assertThat(half.mean()).isCloseTo(sizes.mean() / 2, Percentage.withPercentage(0.5));
        }
        SizeDistribution odd = RIMA.scaled(1.1);
        drawsFollow(odd, 1.1 * 232.6 + 0.45);
        assertThatThrownBy(() -> RIMA.scaled(0)).hasMessageContaining("factor 0.0 outside 0..");
        assertThatThrownBy(() -> RIMA.scaled(3000)).hasMessageContaining("factor 3000.0 outside 0..2047");
    }

    @Test
    void truncatingCutsOnlyWhatIsLonger() {
        SizeDistribution cut = RIMA.truncated(16_384);
        assertThat(cut.max()).isEqualTo(16_384);
        assertThat(cut.cdf(16_383)).isEqualTo(RIMA.cdf(16_383));
        assertThat(cut.cdf(16_384)).isEqualTo(1);
        assertThat(cut.mean()).isLessThan(RIMA.mean());
        SimRandom random = new SimRandom(1);
        int longest = 0;
        for (int i = 0; i < 100_000; i++) {
            longest = Math.max(longest, cut.next(random));
        }
        assertThat(longest).isEqualTo(16_384);
    }

    @Test
    void injectingAddsOneSizeByChance() {
        SizeDistribution sizes = RIMA.injecting(MIB, 1000);
        assertThat(sizes.cdf(1024)).isCloseTo(0.999 * RIMA.cdf(1024), offset(1e-12));
        assertThat(sizes.mean()).isCloseTo(0.999 * RIMA.mean() + MIB / 1000.0, within(0.01));
        SimRandom random = new SimRandom(1);
        int largest = 0;
        for (int i = 0; i < 1_000_000; i++) {
            largest += sizes.next(random) == MIB ? 1 : 0;
        }
        assertThat(largest).isBetween(850, 1150);
    }
}

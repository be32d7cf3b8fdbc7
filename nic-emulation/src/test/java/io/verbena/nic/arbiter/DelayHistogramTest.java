package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class DelayHistogramTest {
    private static final double STEP = Math.pow(2, 0.25);

    @Test
    void percentilesAreRightWithinAStep() {
        SplittableRandom random = new SplittableRandom(7);
        Histogram exact = new Histogram(4);
        DelayHistogram delays = new DelayHistogram();
        for (int i = 0; i < 200_000; i++) {
            long nanos = (long) Math.pow(2, 5 + 25 * random.nextDouble());
            exact.recordValue(nanos);
            delays.record(nanos);
        }
        for (double percent : new double[] {1, 10, 50, 90, 99, 99.9, 100}) {
            double right = exact.getValueAtPercentile(percent);
            assertThat((double) delays.percentile(percent))
                    .as("p%s", percent)
                    .isGreaterThanOrEqualTo(right * 0.999)
                    .isLessThanOrEqualTo(right * STEP * 1.001 + 1);
        }
        assertThat(delays.count()).isEqualTo(200_000);
    }

    @Test
    void everyCellBeginsWhereTheOneBeforeEnds() {
        for (int cell = 1; cell < DelayHistogram.CELLS - 1; cell++) {
            long begin = (long) Math.ceil(Math.pow(2, 4 + cell / 4.0));
            long end = (long) Math.ceil(Math.pow(2, 4 + (cell + 1) / 4.0));
            if (end > begin) {
                assertThat(DelayHistogram.cell(begin + (begin >> 30))).isEqualTo(cell);
                assertThat(DelayHistogram.cell(end - 1)).isEqualTo(cell);
            }
        }
    }

    @Test
    void theEndsTakeWhatIsOutside() {
        assertThat(DelayHistogram.cell(-1)).isZero();
        assertThat(DelayHistogram.cell(0)).isZero();
        assertThat(DelayHistogram.cell(15)).isZero();
        assertThat(DelayHistogram.cell(Long.MAX_VALUE)).isEqualTo(DelayHistogram.CELLS - 1);
    }

    @Test
    void nothingHasNoPercentile() {
        assertThat(new DelayHistogram().percentile(99)).isZero();
        assertThatThrownBy(() -> new DelayHistogram().percentile(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0.0 outside 0..100");
    }

    @Test
    void countsAreMergedByAddition() {
        DelayHistogram one = new DelayHistogram();
        DelayHistogram other = new DelayHistogram();
        one.record(100);
        other.record(1_000_000);
        long[] counts = new long[DelayHistogram.CELLS];
        one.addTo(counts);
        other.addTo(counts);
        assertThat(DelayHistogram.percentile(counts, 50)).isBetween(100L, 120L);
        assertThat(DelayHistogram.percentile(counts, 51)).isBetween(1_000_000L, 1_200_000L);
    }
}

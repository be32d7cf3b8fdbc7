package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class DelayHistogramTest {
    private static final double STEP = 1.07;

    private final DelayHistogram delays = new DelayHistogram();
    private final Histogram counts = DelayHistogram.empty();

    @Test
    void percentilesAreRightWithinAStep() {
        SplittableRandom random = new SplittableRandom(7);
        Histogram exact = new Histogram(4);
        for (int i = 0; i < 200_000; i++) {
            long nanos = (long) Math.pow(2, 9 + 25 * random.nextDouble());
            exact.recordValue(nanos);
            delays.record(nanos);
        }
        delays.addTo(counts);
        for (double percent : new double[] {1, 10, 50, 90, 99, 99.9, 100}) {
            double right = exact.getValueAtPercentile(percent);
            assertThat((double) counts.getValueAtPercentile(percent))
                    .as("p%s", percent)
                    .isBetween(right * 0.999, right * STEP);
        }
        assertThat(counts.getTotalCount()).isEqualTo(200_000);
    }

    @Test
    void theEndsTakeWhatIsOutside() {
        delays.record(-1);
        delays.record(0);
        delays.record(15);
        delays.record(Long.MAX_VALUE);
        delays.addTo(counts);
        assertThat(counts.getTotalCount()).isEqualTo(4);
        assertThat(counts.getCountAtValue(DelayHistogram.MIN_NANOS)).isEqualTo(3);
        assertThat(counts.getCountAtValue(DelayHistogram.MAX_NANOS)).isEqualTo(1);
    }

    @Test
    void countsOfEnginesAreAddedAndThoseOfAnIntervalSubtracted() {
        DelayHistogram other = new DelayHistogram();
        delays.record(100);
        delays.addTo(counts);
        delays.record(1_000_000);
        other.record(1_000_000);
        Histogram now = DelayHistogram.empty();
        delays.addTo(now);
        other.addTo(now);
        assertThat(now.getValueAtPercentile(33)).isBetween(100L, 112L);
        now.subtract(counts);
        assertThat(now.getTotalCount()).isEqualTo(2);
        assertThat(now.getValueAtPercentile(1)).isBetween(1_000_000L, 1_070_000L);
    }
}

package io.verbena.bench.compare;

import io.verbena.bench.path.End;
import io.verbena.bench.path.PingPongMeter;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Round trips for some seconds, after half as long to warm up. */
final class RoundTripMeasurement {
    private static final long HIGHEST = TimeUnit.SECONDS.toNanos(20);

    private RoundTripMeasurement() {}

    static Figures run(End near, Runnable check, int seconds) {
        PingPongMeter meter = new PingPongMeter(near, check);
        long nanos = TimeUnit.SECONDS.toNanos(seconds);
        measure(meter, Math.max(nanos / 2, TimeUnit.SECONDS.toNanos(1)));
        Histogram histogram = measure(meter, nanos);
        return new Figures(
                histogram.getValueAtPercentile(50) / 1000.0,
                histogram.getValueAtPercentile(99) / 1000.0,
                histogram.getTotalCount());
    }

    private static Histogram measure(PingPongMeter meter, long nanos) {
        Histogram histogram = new Histogram(HIGHEST, 3);
        long begin = System.nanoTime();
        long start = begin;
        while (start - begin < nanos) {
            meter.roundTrip();
            long end = System.nanoTime();
            histogram.recordValue(Math.min(end - start, HIGHEST));
            start = System.nanoTime();
        }
        return histogram;
    }
}

package io.verbena.bench.trial;

import io.verbena.bench.path.End;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** One message at a time, there and back. */
final class RoundTripMeasurement implements Measurement {
    private static final long HIGHEST = TimeUnit.SECONDS.toNanos(20);

    private static final String ANSWER = "answer to a message";

    private final End near;
    private final Vigil vigil;
    private long next;

    RoundTripMeasurement(End near, Vigil vigil) {
        this.near = near;
        this.vigil = vigil;
    }

    @Override
    public Figures run(long nanos) {
        Histogram histogram = new Histogram(HIGHEST, 3);
        long begin = System.nanoTime();
        long start = begin;
        while (start - begin < nanos) {
            roundTrip();
            long end = System.nanoTime();
            histogram.recordValue(Math.min(end - start, HIGHEST));
            start = System.nanoTime();
        }
        return Figures.ofLatency(histogram);
    }

    private void roundTrip() {
        long number = next++;
        near.offerNow(number);
        near.flush();
        vigil.worked();
        while (near.taken() == number) {
            near.poll(1);
            if (near.taken() == number) {
                vigil.idle(ANSWER);
            }
        }
    }
}

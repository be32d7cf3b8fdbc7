package io.verbena.bench.trial;

import io.verbena.bench.path.End;
import io.verbena.verification.RunException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * An open loop: message n is due at the start plus n intervals, whatever has become of those before it, and its latency
 * counts from then until its answer was taken. So a stall shows in every message that it delays, and a sender that
 * falls behind cannot hide it (coordinated omission). A run that was slower than its rate by more than 1 % is void: its
 * latencies are those of a queue that grows.
 */
final class ScheduledMeasurement implements Measurement {
    /** What the achieved rate may lack of the scheduled one. */
    static final double TOLERANCE = 0.01;

    private static final long HIGHEST = TimeUnit.SECONDS.toNanos(60);
    private static final long LATEST = TimeUnit.SECONDS.toNanos(1);
    private static final int LIMIT = 64;

    private final End near;
    private final Vigil vigil;
    private final double interval;
    private final long rate;
    private final int depth;
    private final LongSupplier clock;
    private long base;
    private long start;

    ScheduledMeasurement(End near, Vigil vigil, long rate, int depth) {
        this(near, vigil, rate, depth, System::nanoTime);
    }

    ScheduledMeasurement(End near, Vigil vigil, long rate, int depth, LongSupplier clock) {
        this.clock = clock;
        this.near = near;
        this.vigil = vigil;
        this.rate = rate;
        this.depth = depth;
        this.interval = 1e9 / rate;
    }

    @Override
    public Figures run(long nanos) {
        return Figures.ofLatency(phase(nanos, true));
    }

    /** What is slow while it is cold may catch up. */
    @Override
    public void warmUp(long nanos) {
        phase(nanos, false);
    }

    private Histogram phase(long nanos, boolean strict) {
        Histogram histogram = new Histogram(HIGHEST, 3);
        base = near.taken();
        long count = Math.max(2, (long) (nanos / interval));
        long end = base + count;
        long sent = base;
        start = clock.getAsLong();
        // Sending stops for good when it is so late that the rate is missed anyway.
        long latest = (long) (nanos * (1 + 2 * TOLERANCE)) + (strict ? 0 : LATEST);
        long now = start;
        while (sent < end && now - start <= latest) {
            sent = sendDue(sent, end, now);
            now = take(histogram);
        }
        while (near.taken() < sent) {
            now = take(histogram);
        }
        double achieved = (sent - base - 1) * 1e9 / (now - start);
        if (strict && (sent < end || achieved < rate * (1 - TOLERANCE))) {
            throw new VoidRunException(String.format(
                    Locale.ROOT, "reached %s of %s", Figure.RATE.text(achieved), Figure.RATE.text((double) rate)));
        }
        if (sent == base) {
            throw new RunException("there was no room for a message in " + nanos / 1_000_000 + " ms");
        }
        return histogram;
    }

    private long due(long number) {
        return start + (long) ((number - base) * interval);
    }

    /**
     * Sends what is due, as far as there is room; what is not sent now is late, and its latency counts all the same.
     */
    private long sendDue(long first, long end, long now) {
        long limit = Math.min(end, near.taken() + depth);
        long sent = first;
        while (sent < limit && due(sent) - now <= 0 && near.offer(sent)) {
            sent++;
        }
        if (sent != first) {
            near.flush();
        }
        return sent;
    }

    /** Takes answers. @return the time after that */
    private long take(Histogram histogram) {
        long before = near.taken();
        near.poll(LIMIT);
        long now = clock.getAsLong();
        long taken = near.taken();
        if (taken == before) {
            vigil.idle("answer to a message");
            return clock.getAsLong();
        }
        vigil.worked();
        for (long number = before; number < taken; number++) {
            histogram.recordValue(Math.min(Math.max(now - due(number), 0), HIGHEST));
        }
        return now;
    }
}

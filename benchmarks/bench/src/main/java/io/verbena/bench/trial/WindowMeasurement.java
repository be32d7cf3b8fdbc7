package io.verbena.bench.trial;

import io.verbena.bench.path.End;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * So many messages under way, each answered by the far end, or, of one-sided verbs, by its completion. The rate counts
 * all of them; latency is that of one message at a time out of the window, so that the clock costs next to nothing.
 */
final class WindowMeasurement implements Measurement {
    private static final long HIGHEST = TimeUnit.SECONDS.toNanos(20);
    /** Messages between two that are looked at: odd, so that it is not always the first of a batch. */
    private static final int APART = 3;

    private final End near;
    private final Vigil vigil;
    private final Setting setting;
    private Histogram histogram = new Histogram(HIGHEST, 3);
    private long sent;
    private long sample;
    private long sampleSentAt;
    private long now;

    WindowMeasurement(End near, Vigil vigil, Setting setting) {
        this.near = near;
        this.vigil = vigil;
        this.setting = setting;
    }

    @Override
    public Figures run(long nanos) {
        histogram = new Histogram(HIGHEST, 3);
        long before = near.taken();
        long took = phase(nanos);
        return Figures.ofWindow(histogram, near.taken() - before, took, setting.bytes());
    }

    /** Ends with nothing under way. */
    private long phase(long nanos) {
        long start = System.nanoTime();
        now = start;
        sample = sent;
        while (now - start < nanos) {
            fill();
            take();
        }
        while (near.taken() < sent) {
            take();
        }
        return now - start;
    }

    private void fill() {
        long limit = near.taken() + setting.depth();
        boolean any = false;
        while (sent < limit) {
            if (sent == sample) {
                sampleSentAt = System.nanoTime();
            }
            if (!near.offer(sent)) {
                break;
            }
            sent++;
            any = true;
        }
        if (any) {
            near.flush();
        }
    }

    private void take() {
        long before = near.taken();
        near.poll(64);
        now = System.nanoTime();
        if (near.taken() == before) {
            vigil.idle("answer to a message");
            return;
        }
        vigil.worked();
        if (near.taken() > sample) {
            histogram.recordValue(Math.min(now - sampleSentAt, HIGHEST));
            sample = sent + APART;
        }
    }
}

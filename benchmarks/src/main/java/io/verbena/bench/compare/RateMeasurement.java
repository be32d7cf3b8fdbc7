package io.verbena.bench.compare;

import io.verbena.bench.BenchException;
import io.verbena.bench.path.Deadline;
import io.verbena.bench.path.End;
import io.verbena.bench.path.Rendezvous;
import java.util.concurrent.TimeUnit;

/** Messages one way for some seconds, after half as long to warm up; the time ends when the far end has taken the last. */
final class RateMeasurement {
    private static final int CLOCK_MASK = 255;

    private final End near;
    private final Rendezvous rendezvous;
    private final Runnable check;
    private final int batch;
    private long sent;

    RateMeasurement(End near, Rendezvous rendezvous, Runnable check, int batch) {
        this.near = near;
        this.rendezvous = rendezvous;
        this.check = check;
        this.batch = batch;
    }

    Figures run(int seconds) {
        long nanos = TimeUnit.SECONDS.toNanos(seconds);
        phase(Math.max(nanos / 2, TimeUnit.SECONDS.toNanos(1)));
        long before = sent;
        long took = phase(nanos);
        return new Figures((sent - before) * 1e3 / took, 0, sent - before);
    }

    private long phase(long nanos) {
        long start = System.nanoTime();
        while ((sent & CLOCK_MASK) != 0 || System.nanoTime() - start < nanos) {
            near.offerNow(sent);
            if (++sent % batch == 0) {
                near.flush();
            }
        }
        near.flush();
        rendezvous.tell("sent " + sent);
        Deadline deadline = Deadline.ofSeconds(10, "word that all of " + sent + " messages have come");
        String line = rendezvous.heard();
        while (line == null) {
            near.poll(64);
            check.run();
            deadline.check();
            line = rendezvous.heard();
        }
        if (!line.equals("came " + sent)) {
            throw new BenchException("the far end says '" + line + "' where 'came " + sent + "' was expected");
        }
        return System.nanoTime() - start;
    }
}

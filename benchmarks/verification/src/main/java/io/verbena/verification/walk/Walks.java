package io.verbena.verification.walk;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Walks many seeds on a few threads; each walk belongs to one of them.
 *
 * @param <P> the kind of plan
 */
public final class Walks<P extends Plan<P, ?>> {
    /** Time between two lines of progress. */
    private static final long PROGRESS_NANOS = 5_000_000_000L;

    private final long from;
    private final long seeds;
    private final int threads;
    private final long limitNanos;
    private final LongFunction<P> plans;
    private final Consumer<P> walk;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final List<P> failed = new ArrayList<>();
    private final Map<Long, Throwable> failures = new HashMap<>();
    private double seconds;

    /**
     * Gets ready.
     *
     * @param from first seed
     * @param plans what a seed means
     * @param walk walks a plan, on any of the threads; throws if it fails
     */
    public Walks(long from, long seeds, int threads, long limitNanos, LongFunction<P> plans, Consumer<P> walk) {
        this.from = from;
        this.seeds = seeds;
        this.threads = threads;
        this.limitNanos = limitNanos;
        this.plans = plans;
        this.walk = walk;
    }

    /** Walks all seeds, or as many as the time allows. */
    public void run(PrintStream progress) {
        long start = System.nanoTime();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(() -> work(start, progress), "walk-" + i);
            worker.start();
            workers.add(worker);
        }
        long nextLine = start + PROGRESS_NANOS;
        try {
            for (Thread worker : workers) {
                while (worker.isAlive()) {
                    worker.join(200);
                    if (System.nanoTime() >= nextLine) {
                        nextLine += PROGRESS_NANOS;
                        line(progress, start);
                    }
                }
            }
        } catch (InterruptedException e) {
            next.set(seeds); // the workers end after the walk that each is in
            Thread.currentThread().interrupt();
        }
        seconds = (System.nanoTime() - start) / 1e9;
        failed.sort(Comparator.comparingLong(Plan::seed));
    }

    private void line(PrintStream progress, long start) {
        double elapsed = (System.nanoTime() - start) / 1e9;
        progress.printf(
                Locale.ROOT,
                "%,d of %,d seeds, %.0f a second, %d failed%n",
                done.get(),
                seeds,
                done.get() / elapsed,
                failures());
        progress.flush();
    }

    private void work(long start, PrintStream progress) {
        while (limitNanos == Long.MAX_VALUE || System.nanoTime() - start < limitNanos) {
            long index = next.getAndIncrement();
            if (index >= seeds) {
                break;
            }
            P plan = plans.apply(from + index);
            try {
                walk.accept(plan);
            } catch (RuntimeException | Error e) {
                fail(plan, e);
                progress.println("seed " + plan.seed() + " failed: " + e);
            }
            done.incrementAndGet();
        }
    }

    private synchronized void fail(P plan, Throwable failure) {
        failed.add(plan);
        failures.put(plan.seed(), failure);
    }

    /** What a seed failed with. */
    public synchronized @Nullable Throwable failure(long seed) {
        return failures.get(seed);
    }

    private synchronized int failures() {
        return failed.size();
    }

    /** Plans that failed, by seed. */
    public synchronized List<P> failed() {
        return List.copyOf(failed);
    }

    /** Seeds walked so far. */
    public long walked() {
        return done.get();
    }

    /** How long {@link #run} took. */
    public double seconds() {
        return seconds;
    }
}

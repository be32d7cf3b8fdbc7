package io.verbena.bench.simulate;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** Walks many seeds on a few threads; each walk belongs to one of them. */
final class Walks {
    private static final int TRACE_LINES = 512;

    private final long from;
    private final long seeds;
    private final int threads;
    private final long limitNanos;
    private final LongFunction<WalkPlan> plans;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final Tally tally = new Tally();
    private final List<WalkPlan> failed = new ArrayList<>();
    private double seconds;

    Walks(long from, long seeds, int threads, long limitNanos, LongFunction<WalkPlan> plans) {
        this.from = from;
        this.seeds = seeds;
        this.threads = threads;
        this.limitNanos = limitNanos;
        this.plans = plans;
    }

    /** Walks all seeds, or as many as the time allows. */
    void run(PrintStream progress) {
        long start = System.nanoTime();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(() -> work(start), "walk-" + i);
            worker.start();
            workers.add(worker);
        }
        long nextLine = start + Simulate.PROGRESS_NANOS;
        try {
            for (Thread worker : workers) {
                while (worker.isAlive()) {
                    worker.join(200);
                    if (System.nanoTime() >= nextLine) {
                        nextLine += Simulate.PROGRESS_NANOS;
                        line(progress, start);
                    }
                }
            }
        } catch (InterruptedException e) {
            next.set(seeds); // the workers end after the walk that each is in
            Thread.currentThread().interrupt();
        }
        seconds = (System.nanoTime() - start) / 1e9;
        failed.sort(Comparator.comparingLong(p -> p.seed));
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

    private void work(long start) {
        Tally own = new Tally();
        while (limitNanos == Long.MAX_VALUE || System.nanoTime() - start < limitNanos) {
            long index = next.getAndIncrement();
            if (index >= seeds) {
                break;
            }
            WalkPlan plan = plans.apply(from + index);
            try {
                Walk walk = new Walk(plan, TRACE_LINES);
                walk.run();
                own.add(walk.tally());
            } catch (RuntimeException | Error e) {
                fail(plan);
            }
            done.incrementAndGet();
        }
        synchronized (this) {
            tally.add(own);
        }
    }

    private synchronized void fail(WalkPlan plan) {
        failed.add(plan);
    }

    private synchronized int failures() {
        return failed.size();
    }

    /** What all walks that passed came to. */
    synchronized Tally tally() {
        return tally;
    }

    /** Plans that failed, by seed. */
    synchronized List<WalkPlan> failed() {
        return List.copyOf(failed);
    }

    long walked() {
        return done.get();
    }

    double seconds() {
        return seconds;
    }
}

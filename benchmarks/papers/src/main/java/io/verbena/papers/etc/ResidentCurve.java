package io.verbena.papers.etc;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** This process' resident memory over time: sampled by a thread of its own until it is closed, and by anybody else. */
final class ResidentCurve implements AutoCloseable {
    /** Bytes above the base that count as back: a chunk. */
    static final long NEAR = 1L << 20;

    private static final long EVERY_MILLIS = 100;
    private static final double BEFORE = 1;

    /** Resident bytes, all and in shared memory, at seconds from the start. */
    record Sample(double seconds, long total, long shared) {}

    /**
     * What a stall did to shared memory.
     *
     * @param seconds from the start
     * @param base median of the second before, bytes
     * @param peak most in the stall and as long after it, bytes
     * @param secondsUntilBack from the end of the stall until no more than {@link #NEAR} above the base; below 0 if it
     *     was not
     */
    record Stall(double seconds, long base, long peak, double secondsUntilBack) {}

    private final long start;
    private final ConcurrentLinkedQueue<Sample> samples = new ConcurrentLinkedQueue<>();
    private final Thread thread = new Thread(this::run, "resident-curve");
    private volatile boolean closed;

    /** Starts to sample. */
    ResidentCurve(long start) {
        this.start = start;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!closed) {
                sample();
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes a sample now. */
    void sample() {
        ResidentSet now = ResidentSet.ofSelf();
        samples.add(new Sample((System.nanoTime() - start) / 1e9, now.total(), now.shared()));
    }

    /** The samples from the start on, in order of time. */
    List<Sample> samples() {
        List<Sample> sorted = new ArrayList<>(samples);
        sorted.removeIf(each -> each.seconds() < 0);
        sorted.sort((a, b) -> Double.compare(a.seconds(), b.seconds()));
        return sorted;
    }

    /** What each stall of a plan has done. */
    static List<Stall> stalls(List<Sample> samples, StallPlan plan) {
        List<Stall> stalls = new ArrayList<>();
        double length = plan.stall() / 1e9;
        for (int i = 0; i < plan.count(); i++) {
            double begin = (plan.begin(i) - plan.start()) / 1e9;
            double next = begin + plan.every() / 1e9;
            long base = median(within(samples, begin - BEFORE, begin));
            OptionalLong peak = within(samples, begin, begin + 2 * length).max();
            // from the sample on that is the peak: before, memory has not risen yet
            double risen = samples.stream()
                    .filter(each -> each.seconds() >= begin && each.shared() == peak.orElse(0))
                    .mapToDouble(Sample::seconds)
                    .findFirst()
                    .orElse(begin + length);
            OptionalDouble back = samples.stream()
                    .filter(each -> each.seconds() >= risen && each.seconds() < next && each.shared() <= base + NEAR)
                    .mapToDouble(Sample::seconds)
                    .findFirst();
            stalls.add(new Stall(
                    begin,
                    base,
                    peak.orElse(base),
                    back.isPresent() ? Math.max(0, back.getAsDouble() - begin - length) : -1));
        }
        return stalls;
    }

    private static LongStream within(List<Sample> samples, double from, double to) {
        return samples.stream()
                .filter(each -> each.seconds() >= from && each.seconds() < to)
                .mapToLong(Sample::shared);
    }

    private static long median(LongStream values) {
        long[] sorted = values.sorted().toArray();
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}

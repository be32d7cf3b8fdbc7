package io.verbena.nic.append;

import java.util.Arrays;

/**
 * What a queue's sizes follow from, measured: rate, bytes in the queue, time in the queue by Little's law, and how long
 * an allocation takes.
 *
 * <p>Appends and consumers do nothing for it: the allocator samples counters that are there anyway. A window is as long
 * as the allocator makes it, at least {@link #WINDOW}. Means are over some {@link #MEMORY} windows; the peak of the
 * rate is the fastest window's and fades by a tenth in each that is slower.
 *
 * <p>Concurrency: written under the queue's maintenance flag; the figures are for any thread, each for itself.
 */
final class QueueMeter {
    /** Shortest window in nanoseconds. */
    static final long WINDOW = 1_000_000;

    /** Allocations that percentiles are of: the last so many. */
    static final int ALLOCATIONS = 128;

    private static final int MEMORY = 16;
    private static final double FADE = 0.9;
    private static final double NANOS = 1e9;

    private final long[] allocations = new long[ALLOCATIONS];
    private int allocationCount;
    private long windowStart;
    private long windowBytes;
    private long windowRecords;
    private boolean started;

    private volatile long p50;
    private volatile long p99;
    private volatile double messagesPerSecond;
    private volatile double bytesPerSecond;
    private volatile double peakBytesPerSecond;
    private volatile double meanDepth;

    /**
     * Looks at the counters.
     *
     * @param now in nanoseconds
     * @param claimedBytes claimed since the queue was made
     * @param records consumed since the queue was made
     * @param depthBytes in the queue now
     */
    void sample(long now, long claimedBytes, long records, long depthBytes) {
        if (!started) {
            started = true;
            begin(now, claimedBytes, records);
            return;
        }
        long elapsed = now - windowStart;
        if (elapsed < WINDOW) {
            return;
        }
        double seconds = elapsed / NANOS;
        double byteRate = (claimedBytes - windowBytes) / seconds;
        double messageRate = (records - windowRecords) / seconds;
        begin(now, claimedBytes, records);
        bytesPerSecond = blended(bytesPerSecond, byteRate);
        messagesPerSecond = blended(messagesPerSecond, messageRate);
        meanDepth = blended(meanDepth, (double) depthBytes);
        peakBytesPerSecond = Math.max(byteRate, peakBytesPerSecond * FADE);
    }

    private void begin(long now, long claimedBytes, long records) {
        windowStart = now;
        windowBytes = claimedBytes;
        windowRecords = records;
    }

    private static double blended(double mean, double value) {
        return mean + (value - mean) / MEMORY;
    }

    /** A chunk was made. */
    void allocated(long nanos) {
        allocations[allocationCount % ALLOCATIONS] = nanos;
        allocationCount++;
        long[] sorted = Arrays.copyOf(allocations, Math.min(allocationCount, ALLOCATIONS));
        Arrays.sort(sorted);
        p50 = sorted[(sorted.length - 1) / 2];
        p99 = sorted[(sorted.length * 99 - 1) / 100];
        if (allocationCount == 2 * ALLOCATIONS) {
            allocationCount = ALLOCATIONS;
        }
    }

    /** How long half of the allocations took at most, in nanoseconds; 0 if there was none. */
    long allocationP50() {
        return p50;
    }

    /** How long 99 of 100 allocations took at most, in nanoseconds; 0 if there was none. */
    long allocationP99() {
        return p99;
    }

    /** Messages a second. */
    double messagesPerSecond() {
        return messagesPerSecond;
    }

    /** Bytes that are claimed in a second. */
    double bytesPerSecond() {
        return bytesPerSecond;
    }

    /** The same in the fastest recent window. */
    double peakBytesPerSecond() {
        return peakBytesPerSecond;
    }

    /** Bytes in the queue. */
    double meanDepth() {
        return meanDepth;
    }

    /** How long a message is in the queue, in nanoseconds: what is in it by the rate at which it comes. */
    long serviceNanos() {
        double rate = bytesPerSecond;
        return rate <= 0 ? 0 : (long) (meanDepth / rate * NANOS);
    }
}

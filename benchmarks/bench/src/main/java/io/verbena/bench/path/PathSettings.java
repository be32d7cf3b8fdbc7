package io.verbena.bench.path;

import io.verbena.verification.RunException;
import org.agrona.BitUtil;

/**
 * What both ends of a path are opened with; they must be given the same.
 *
 * @param length bytes of a message, {@value End#MIN_LENGTH} to {@value #MAX_LENGTH}
 * @param traffic what will be asked of the path
 * @param depth messages or requests that may be under way, 1 to {@value #MAX_DEPTH}: sizes rings, and the number of
 *     distinct slots that one-sided requests and plain copies go around
 * @param batch messages that the measuring loop offers between two flushes, at least 1
 * @param queuePairs queue pairs of a producer, which it goes around, a batch each; 1 to {@value #MAX_QUEUE_PAIRS}
 * @param producers threads that send to the far end, 1 to {@value #MAX_PRODUCERS}
 * @param waiting how both ends wait
 */
public record PathSettings(
        int length, Traffic traffic, int depth, int batch, int queuePairs, int producers, Waiting waiting) {
    /** Longest message in bytes. */
    public static final int MAX_LENGTH = 16 << 20;

    /** Most messages under way. */
    public static final int MAX_DEPTH = 8192;

    /** Most queue pairs of a producer. */
    public static final int MAX_QUEUE_PAIRS = 1000;

    /** Most threads that send. */
    public static final int MAX_PRODUCERS = 4;

    private static final int DEFAULT_DEPTH = 512;
    private static final int SLOT_MEMORY = 64 << 20;

    /** What is asked of a path. */
    public enum Traffic {
        /** A message at a time, answered by the far end or by the path itself. */
        ROUND_TRIP,
        /** Many messages under way: one way, or in a window of answers. */
        STREAM
    }

    /** Checks the ranges. */
    public PathSettings {
        RunException.requireRange("length", length, End.MIN_LENGTH, MAX_LENGTH);
        RunException.requireRange("depth", depth, 1, MAX_DEPTH);
        RunException.requireRange("batch", batch, 1, MAX_DEPTH);
        RunException.requireRange("queuePairs", queuePairs, 1, MAX_QUEUE_PAIRS);
        RunException.requireRange("producers", producers, 1, MAX_PRODUCERS);
    }

    /** One producer with one queue pair, round trips, a flush each message, room for 512 messages. */
    public static PathSettings ofLength(int length) {
        return new PathSettings(length, Traffic.ROUND_TRIP, DEFAULT_DEPTH, 1, 1, 1, Waiting.SPIN_THEN_YIELD);
    }

    /** The same with another length. */
    public PathSettings withLength(int other) {
        return new PathSettings(other, traffic, depth, batch, queuePairs, producers, waiting);
    }

    /** The same with other traffic. */
    public PathSettings withTraffic(Traffic other) {
        return new PathSettings(length, other, depth, batch, queuePairs, producers, waiting);
    }

    /** The same with another depth. */
    public PathSettings withDepth(int other) {
        return new PathSettings(length, traffic, other, batch, queuePairs, producers, waiting);
    }

    /** The same with other batches. */
    public PathSettings withBatch(int other) {
        return new PathSettings(length, traffic, depth, other, queuePairs, producers, waiting);
    }

    /** The same with another number of queue pairs a producer. */
    public PathSettings withQueuePairs(int other) {
        return new PathSettings(length, traffic, depth, batch, other, producers, waiting);
    }

    /** The same with another number of producers. */
    public PathSettings withProducers(int other) {
        return new PathSettings(length, traffic, depth, batch, queuePairs, other, waiting);
    }

    /** The same with another way to wait. */
    public PathSettings withWaiting(Waiting other) {
        return new PathSettings(length, traffic, depth, batch, queuePairs, producers, other);
    }

    /** Bytes from one slot to the next: whole cache lines. */
    int slotLength() {
        return BitUtil.align(length, BitUtil.CACHE_LINE_LENGTH);
    }

    /**
     * Distinct slots of the source, and of the target, that one-sided requests and plain copies go around: the depth,
     * rounded up to a power of two, but no more than 64 MiB hold. Decides the cache state, so it is the same for all of
     * them.
     */
    int slots() {
        int fitting = Integer.highestOneBit(Math.max(1, SLOT_MEMORY / slotLength()));
        return Math.min(BitUtil.findNextPositivePowerOfTwo(depth), fitting);
    }
}

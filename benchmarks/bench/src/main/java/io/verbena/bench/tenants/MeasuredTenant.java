package io.verbena.bench.tenants;

import io.verbena.nic.PerformanceGroup;
import io.verbena.verification.RunException;

/**
 * One tenant of a measurement.
 *
 * @param name in tables
 * @param weight of its group
 * @param bytes of its messages
 * @param verb what it posts
 * @param queuePairs that it sends on, all alike
 * @param queuePairWeight of each of them
 * @param urgent whether they are all of the latency-sensitive class
 * @param conduct how it behaves
 */
public record MeasuredTenant(
        String name,
        int weight,
        int bytes,
        TenantVerb verb,
        int queuePairs,
        int queuePairWeight,
        boolean urgent,
        Conduct conduct) {
    /**
     * Most bytes that a tenant has posted at a time: the NIC's work for as long as who posts may be kept from its core.
     */
    private static final int POSTED = 64 << 20;

    /** Likewise of appends, which the other side has to have room for. */
    private static final int APPENDED = 16 << 20;

    private static final int BYTES_PER_BATCH = 4 << 20;

    /** As many as a send queue takes: more than what is under way, so that the rest waits for the NIC. */
    private static final int MAX_DEPTH = 32768;

    private static final int MIN_DEPTH = 4;
    private static final int BRIEF = 16;
    private static final int MAX_BATCH = 64;

    /** Checks the values. */
    public MeasuredTenant {
        RunException.requireRange(name + ": weight", weight, 1, PerformanceGroup.MAX_WEIGHT);
        RunException.requireRange(name + ": bytes", bytes, 1, APPENDED);
        RunException.requireRange(name + ": queue pairs", queuePairs, 1, 1 << 15);
    }

    /** A tenant with one queue pair that does what it should. */
    public static MeasuredTenant of(String name, int weight, int bytes, TenantVerb verb) {
        return new MeasuredTenant(name, weight, bytes, verb, 1, 1, false, Conduct.STEADY);
    }

    /** The same on more queue pairs. */
    public MeasuredTenant on(int count) {
        return new MeasuredTenant(name, weight, bytes, verb, count, queuePairWeight, urgent, conduct);
    }

    /** The same with other weights. */
    public MeasuredTenant weighing(int group, int queuePair) {
        return new MeasuredTenant(name, group, bytes, verb, queuePairs, queuePair, urgent, conduct);
    }

    /** The same, all of it urgent. */
    public MeasuredTenant inHaste() {
        return new MeasuredTenant(name, weight, bytes, verb, queuePairs, queuePairWeight, true, conduct);
    }

    /** The same with another conduct. */
    public MeasuredTenant behaving(Conduct other) {
        return new MeasuredTenant(name, weight, bytes, verb, queuePairs, queuePairWeight, urgent, other);
    }

    /** Requests that a queue pair has posted at a time: a power of two. */
    int depth() {
        if (conduct == Conduct.INVALID) {
            return BRIEF; // what is behind a request that fails is flushed
        }
        int fitting = (verb == TenantVerb.APPEND ? APPENDED : POSTED) / bytes / queuePairs;
        return Math.max(MIN_DEPTH, Integer.highestOneBit(Math.max(1, Math.min(MAX_DEPTH, fitting))));
    }

    /** Requests a doorbell: a power of two that is at most a quarter of {@link #depth}. */
    int batch() {
        return Math.min(Math.max(1, Math.min(MAX_BATCH, BYTES_PER_BATCH / bytes)), depth() / MIN_DEPTH);
    }
}

package io.verbena.bench.top;

/**
 * What a node says of a tenant: counts since the node began, and delays since it was asked before.
 *
 * @param name of the tenant
 * @param weight among tenants
 * @param queuePairs it has
 * @param urgentQueuePairs of them, those of the latency-sensitive class
 * @param bytes sent
 * @param charged for them, in the unit that shares are of
 * @param entitled to in the same unit, of what was charged while it had something to send; 0 if its node does not say
 * @param messages sent
 * @param backloggedNanos for which it had something to send
 * @param p50DelayNanos of the time between having something to send and being served
 * @param p99DelayNanos of the same
 * @param slowCallbacks times that a callback of its held its thread for too long
 * @param demoted urgent visits that were treated as bulk
 */
record TenantState(
        String name,
        int weight,
        int queuePairs,
        int urgentQueuePairs,
        long bytes,
        long charged,
        long entitled,
        long messages,
        long backloggedNanos,
        long p50DelayNanos,
        long p99DelayNanos,
        long slowCallbacks,
        long demoted) {}

package io.verbena.nic.arbiter;

/** What a flow's {@link RateLimit} lets it send. Used under the engine's baton. */
final class FlowLimit {
    private final RateBucket bytes = new RateBucket();
    private final RateBucket operations = new RateBucket();
    private RateLimit limit = RateLimit.NONE;

    /** Takes over a limit; one that is as it was changes nothing. */
    void set(RateLimit wanted, long now) {
        if (wanted.bytesPerSecond() != limit.bytesPerSecond() || wanted.burstBytes() != limit.burstBytes()) {
            bytes.set(wanted.bytesPerSecond(), wanted.burstBytes(), now);
        }
        if (wanted.operationsPerSecond() != limit.operationsPerSecond()
                || wanted.burstOperations() != limit.burstOperations()) {
            operations.set(wanted.operationsPerSecond(), wanted.burstOperations(), now);
        }
        limit = wanted;
    }

    /** Whether the flow may send now. */
    boolean admits(long now) {
        return bytes.available(now) > 0 && operations.available(now) > 0;
    }

    /** When one that was not admitted may send; later than now. */
    long admitsAt(long now) {
        long at = now + 1;
        if (bytes.available(now) == 0) {
            at = Math.max(at, bytes.lotAt());
        }
        return operations.available(now) == 0 ? Math.max(at, operations.lotAt()) : at;
    }

    /** What a visit of the flow is cut to, which is admitted. */
    int budget(int budget, long now) {
        return (int) Math.max(1, Math.min(budget, bytes.available(now)));
    }

    /** Whether operations are limited: a budget in bytes does not say how many a visit may send. */
    boolean countsOperations() {
        return limit.operationsPerSecond() != 0;
    }

    /** What the flow has sent. */
    void charge(int sent, int begun, long now) {
        bytes.take(sent, now);
        operations.take(begun, now);
    }
}

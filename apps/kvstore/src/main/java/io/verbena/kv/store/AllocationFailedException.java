package io.verbena.kv.store;

/**
 * A shard cannot have the memory that an operation needs: its budget is spent, or the process has no direct memory
 * left. The operation has changed nothing, and the shard answers it with an OOM error. Has no stack trace, for a full
 * shard throws one a request.
 */
final class AllocationFailedException extends RuntimeException {
    private final long wanted;

    AllocationFailedException(long wanted, long committed, long budget) {
        super(wanted + " bytes wanted, " + committed + " bytes held, budget " + budget + " bytes", null, false, false);
        this.wanted = wanted;
    }

    /** Bytes that could not be had. */
    long wanted() {
        return wanted;
    }
}

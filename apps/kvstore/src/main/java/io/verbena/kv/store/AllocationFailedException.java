package io.verbena.kv.store;

/**
 * The process has no direct memory left for a shard, whatever the shard's own limit says. The shard answers the request
 * with an OOM error.
 */
final class AllocationFailedException extends RuntimeException {
    AllocationFailedException(final long wanted, final long committed, final Throwable cause) {
        super(
                "no direct memory for " + wanted + " bytes beside " + committed
                        + " bytes held; raise -XX:MaxDirectMemorySize",
                cause);
    }
}

package io.verbena.bench.tenants;

/** How a tenant behaves. */
public enum Conduct {
    /** It posts what can be done, always as much as its send queues hold. */
    STEADY,
    /**
     * Each fourth request names memory that it has no key for: its queue pair ends in ERR, is brought from RESET to RTS again
     * at both ends, and goes on so. In between it posts what is refused at once.
     */
    INVALID,
    /** Its peer takes packets and never answers. */
    SILENT
}

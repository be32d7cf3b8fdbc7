package io.verbena.bench.tenants;

/** How a tenant behaves. */
public enum Conduct {
    /** It posts what can be done, always as much as its send queues hold. */
    STEADY,
    /**
     * Each fourth request names memory that it has no key for: its queue pair ends in ERR, is brought from RESET to RTS
     * again at both ends, and goes on so. In between it posts what is refused at once.
     */
    INVALID,
    /** Its peer takes packets and never answers. */
    SILENT,
    /** No link leads to its peer, and it never gives up. */
    ABSENT,
    /** Its peer is never ready: it posts no receives, and takes nothing from its append queue. */
    UNREADY;

    /** A NIC that no fabric knows. */
    static final long NOWHERE = 0x0bad_cafeL;
}

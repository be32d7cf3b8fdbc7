package io.verbena.bench.tenants;

/** What a tenant posts. */
public enum TenantVerb {
    /** One-sided: the other side takes no part. */
    WRITE,
    /** As WRITE, but each takes a receive of the queue pair's own: the other side sees that it has come. */
    WRITE_IMMEDIATE,
    /** One-sided, the other way. */
    READ,
    /** Each message takes a receive of the queue pair's own. */
    SEND,
    /** All queue pairs of a tenant append to one queue. */
    APPEND;

    /** Whether each message takes a receive of the other side's queue pair. */
    boolean takesReceives() {
        return this == SEND || this == WRITE_IMMEDIATE;
    }
}

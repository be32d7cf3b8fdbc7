package io.verbena.bench.tenants;

/** What a tenant posts. */
public enum TenantVerb {
    /** One-sided: the other side takes no part. */
    WRITE,
    /** One-sided, the other way. */
    READ,
    /** Each message takes a receive of the queue pair's own. */
    SEND,
    /** All queue pairs of a tenant append to one queue. */
    APPEND
}

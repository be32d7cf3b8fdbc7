package io.verbena.bench.tenants;

/** What a tenant posts. */
public enum TenantVerb {
    /** One-sided: the other side takes no part. */
    WRITE,
    /** Each message takes a receive of the queue pair's own. */
    SEND,
    /** All queue pairs of a tenant append to one queue. */
    APPEND
}

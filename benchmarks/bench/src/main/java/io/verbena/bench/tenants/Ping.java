package io.verbena.bench.tenants;

/** What the one tenant does whose latency is measured beside the others: a small message at a time. */
public enum Ping {
    /** There is none. */
    NONE,
    /** A WRITE, from its post to its completion: what the sending NIC makes it wait. */
    WRITE,
    /** An append, and the answer of the far side's thread by another: what an application sees. */
    ECHO
}

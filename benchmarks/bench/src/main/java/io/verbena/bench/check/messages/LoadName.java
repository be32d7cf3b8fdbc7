package io.verbena.bench.check.messages;

/** What may be part of a run. */
public enum LoadName {
    /** Messages of all sizes, sent in all ways, to inboxes of all kinds. */
    CHANNELS,
    /** Messages that a callback sends back. */
    ECHOES,
    /** Messages that come by sockets on the node's own event loop and are offered as they are parsed. */
    PROXY,
    /** Calls that are answered at once or later, or not in time. */
    CALLS,
    /** READ, WRITE and atomics. */
    REGIONS,
    /** Handlers that drive nodes, wait, connect and close. */
    NESTED,
    /** Channels, inboxes and nodes that come and go. */
    CHURN,
    /** Hubs in processes of their own, for fabrics that reach them. */
    PROCESSES,
    /** Such processes are killed now and then. */
    KILLS
}

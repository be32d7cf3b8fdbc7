package io.verbena;

/** Who does a {@link Node}'s work: moves bytes, manages connections, calls back. */
public enum NodeMode {
    /** A thread of the node's own; threads of the application only hand it their requests. */
    THREAD,
    /**
     * The application: it calls {@link Node#doWork} and {@link Node#await}. A thread that sends does its own sending;
     * what it offers over a socket while earlier messages are unacknowledged may wait for the next turn, see
     * {@link Channel#offer}.
     */
    INVOKER,
    /**
     * A thread of the node's own; a thread that sends does a bounded share of the sending itself, over a socket only
     * while the node's thread sleeps and no answer is due. The default.
     */
    ASSISTED
}

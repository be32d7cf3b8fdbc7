package io.verbena.connection;

/**
 * What uses a connection on this side: a channel, or a remote region. Called under the lock of {@link Connections},
 * except {@link #moved}, which may be called without it.
 */
public interface ConnectionEnd {
    /** The state of the connection has changed; under the connection's own lock. */
    default void moved() {}

    /** What the peer says of its end is known; the connection is not open yet. */
    default void peerKnown() {}

    /** The peer that has asked for it has shown that it has the answer. */
    default void opened() {}

    /**
     * The connection is closed from this side: lets leave what was accepted and waits here.
     *
     * @return whether nothing waits here any more, and nothing more is accepted
     */
    default boolean finishSending() {
        return true;
    }

    /**
     * The connection is over.
     *
     * @param wasOpen whether it had been made
     */
    void closed(boolean wasOpen);

    /** Whether no thread is inside that began to use its memory before the connection was over. */
    default boolean isUnused() {
        return true;
    }

    /** Its queue pair is gone, and nobody can be using its memory, unless the node closes. */
    void retired();
}

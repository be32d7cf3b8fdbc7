package io.verbena;

/**
 * Notified while a channel reconnects, see {@link ChannelOptions#reconnect}. Called on the thread that does the node's
 * work (its own, or the caller of {@link Node#doWork}); must not block.
 */
public interface ReconnectListener {
    /**
     * The channel was closed, not by this side; attempts to reconnect begin.
     *
     * @param lost says why by {@link Channel#closeReason}
     */
    default void onLost(Channel lost) {}

    /** An attempt failed; the next one follows after a pause. */
    default void onAttemptFailed(ConnectionException why) {}

    /**
     * There is a channel to the same address again, which replaces the lost one.
     *
     * @param channel the new one
     */
    void onReconnected(Channel channel);
}

package io.verbena;

/**
 * Told of a channel that reconnects, see {@link ChannelOptions#reconnect}. Called by whoever does the node's work (its
 * thread, or the caller of {@link Node#doWork}); must not block.
 */
public interface ReconnectListener {
    /**
     * The channel is closed, not by this side; attempts to reconnect begin.
     *
     * @param lost says why by {@link Channel#closeReason}
     */
    default void onLost(Channel lost) {}

    /** An attempt failed; another one follows after a pause. */
    default void onAttemptFailed(ConnectionException why) {}

    /**
     * There is a channel to the same address again, to be used in place of the one that was lost.
     *
     * @param channel the new one
     */
    void onReconnected(Channel channel);
}

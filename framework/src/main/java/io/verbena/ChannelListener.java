package io.verbena;

/**
 * Told of a node's channels. Called by whoever does the node's work (its thread, or the caller of {@link Node#doWork});
 * must not block.
 */
public interface ChannelListener {
    /** A peer has connected to one of the node's inboxes. */
    default void onConnect(Channel channel) {}

    /** A channel has been closed, by either side; {@link Channel#closeReason} says why. Called once a channel. */
    default void onClose(Channel channel) {}
}

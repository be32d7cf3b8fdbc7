package io.verbena;

/**
 * Notified when a node's channels open and close. Called on the thread that does the node's work (its own, or the
 * caller of {@link Node#doWork}); must not block.
 */
public interface ChannelListener {
    /** A peer has connected to one of the node's inboxes. */
    default void onConnect(Channel channel) {}

    /** A channel has been closed, by either side; {@link Channel#closeReason} says why. Called once per channel. */
    default void onClose(Channel channel) {}
}

package io.verbena.nic.port;

/** Told by a fabric of links that came up and of peers that it turned away. Called on any thread; must not block. */
public interface LinkListener {
    /**
     * A link is up: the hello is done on both sides.
     *
     * @param link to be attached to an engine; its {@link Link#peerNic} may be one that had a link before
     */
    void onLink(Link link);

    /**
     * A peer was turned away, or a link ended for cause. The fabric has counted and logged it.
     *
     * @param remote who it was, as far as known
     * @param reason what was wrong
     */
    void onRejected(String remote, String reason);

    /**
     * A link broke, and the process at its other end is known to be gone: nobody comes back for what waits for it.
     *
     * @param link that is down, or about to be seen so
     */
    default void onPeerDied(Link link) {}
}

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
}

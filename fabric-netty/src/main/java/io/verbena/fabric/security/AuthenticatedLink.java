package io.verbena.fabric.security;

import io.verbena.nic.port.Link;

/** A link that knows who its peer has proven to be. */
public interface AuthenticatedLink extends Link {
    /** Who the other end has proven to be, for as long as the link lasts. */
    PeerIdentity peer();

    @Override
    default Object peerKey() {
        return peer().key(peerNic());
    }
}

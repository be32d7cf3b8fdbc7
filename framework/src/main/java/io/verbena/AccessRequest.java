package io.verbena;

import io.verbena.fabric.security.PeerIdentity;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/**
 * A peer asks to be connected to something of a node's. Immutable.
 *
 * @param peer who asks, as far as that is proven
 * @param node the name that the peer's node gives itself; not proven
 * @param kind what it asks for; of something that does not exist, what it would be
 * @param name of what it asks for
 * @param tenant whose that is; empty if it does not exist
 * @param token what the peer shows, see {@link NodeContext#accessToken}; read-only, empty if nothing; see
 *     {@link #shows}
 */
public record AccessRequest(PeerIdentity peer, String node, Kind kind, String name, String tenant, ByteBuffer token) {
    /** What may be asked for. */
    public enum Kind {
        /** An inbox, to send messages to. */
        INBOX,
        /** A responder, to call. */
        RESPONDER,
        /** A region, to read, write and change atomically. */
        REGION
    }

    /** Whether the peer shows a token; takes the same time however much of it is right. */
    public boolean shows(byte[] expected) {
        byte[] shown = new byte[token.remaining()];
        token.duplicate().get(shown);
        return MessageDigest.isEqual(shown, expected);
    }

    @Override
    public String toString() {
        String who = peer.name().isEmpty() ? peer + ", node '" + node + "'," : "peer " + peer;
        return who + " asks for " + kind + " '" + name + "'";
    }
}

package io.verbena;

import io.verbena.fabric.security.PeerIdentity;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/**
 * A peer's request to be connected to something that a node has. Immutable.
 *
 * @param peer the proven identity of the peer
 * @param node the name that the peer's node gives itself; not proven
 * @param kind what it asks for; if that does not exist, the kind that it would have
 * @param name of what it asks for
 * @param tenant the tenant that it belongs to; empty if it does not exist
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

    /** Whether the peer shows this token. The comparison takes the same time however many bytes match. */
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

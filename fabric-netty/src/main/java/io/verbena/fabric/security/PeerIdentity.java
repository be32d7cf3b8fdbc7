package io.verbena.fabric.security;

import org.jspecify.annotations.Nullable;

/**
 * Who the peer of a link is, and what it has shown for that. Immutable.
 *
 * @param name of the peer; empty if nothing was proven that has a name
 * @param tenant the only tenant that the peer may deal with, or null if it is not bound to one
 * @param proof what the name rests on
 */
public record PeerIdentity(String name, @Nullable String tenant, Proof proof) {
    /** What an identity rests on, from the weakest to the strongest. */
    public enum Proof {
        /** Nothing: anybody who reaches the address. */
        NONE,
        /** The kernel says which user the process runs as, or it is this process. */
        LOCAL_USER,
        /** A secret that both sides share, besides what the kernel says where there is a kernel between them. */
        SECRET,
        /** A certificate that this node trusts, and its private key. */
        CERTIFICATE
    }

    /** Of a peer that has shown nothing. */
    public static final PeerIdentity ANONYMOUS = new PeerIdentity("", null, Proof.NONE);

    /** What a peer is known by: the name that it has proven with a key of its own, or else its NIC. */
    public Object key(long peerNic) {
        return proof == Proof.CERTIFICATE ? name : (Object) peerNic;
    }

    /** The same peer, which has shown a proof besides; the stronger counts. */
    PeerIdentity with(Proof other) {
        return other.compareTo(proof) > 0 ? new PeerIdentity(name, tenant, other) : this;
    }

    /** Of a node of this process. */
    public static final PeerIdentity SAME_PROCESS = new PeerIdentity("local", null, Proof.LOCAL_USER);

    @Override
    public String toString() {
        String text = name.isEmpty() ? "an unproven peer" : "'" + name + "'";
        return tenant == null ? text : text + " of tenant '" + tenant + "'";
    }
}

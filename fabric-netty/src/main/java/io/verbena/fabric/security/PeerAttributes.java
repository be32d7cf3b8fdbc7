package io.verbena.fabric.security;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;

/** What is known of the peer of a channel while its handshakes go on. Stateless; the attributes are any thread's. */
public final class PeerAttributes {
    static final AttributeKey<Long> NIC = AttributeKey.valueOf(PeerAttributes.class, "nic");
    private static final AttributeKey<PeerIdentity> IDENTITY = AttributeKey.valueOf(PeerAttributes.class, "identity");

    private PeerAttributes() {}

    /** Who the peer of a channel has proven to be so far. */
    public static PeerIdentity of(Channel channel) {
        PeerIdentity identity = channel.attr(IDENTITY).get();
        return identity == null ? PeerIdentity.ANONYMOUS : identity;
    }

    /** The peer of a channel has proven who it is. */
    public static void set(Channel channel, PeerIdentity identity) {
        channel.attr(IDENTITY).set(identity);
    }
}

package io.verbena.fabric.netty;

import io.verbena.nic.port.Link;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a fabric knows of its peers by their NICs' ids: the one link to each, the secret of that or of the last one, and
 * the connections that may become the link.
 *
 * <p>Of the loop's owner alone.
 */
final class PeerLinks {
    /** Peers without a link whose secrets are remembered, at most. */
    private static final int MAX_REMEMBERED = 1024;

    private final Map<Long, Peer> peers = new LinkedHashMap<>();

    /** A peer. */
    static final class Peer {
        /** Connections that were called by the peer, answered, and not confirmed. */
        final List<Answering> answered = new ArrayList<>(1);

        /** Connections that were answered by the peer, and wait for what becomes of those. */
        final List<Calling> held = new ArrayList<>(1);

        private @Nullable NettyLink link;
        private @Nullable LinkSecret secret;

        /** The link, or null if none is up. */
        @Nullable
        NettyLink link() {
            NettyLink known = link;
            return known != null && known.state() == Link.State.UP ? known : null;
        }

        /** The secret of the link, or of the last one; null if there was none that is remembered. */
        @Nullable
        LinkSecret secret() {
            return secret;
        }

        private boolean isMemory() {
            return link() == null && answered.isEmpty() && held.isEmpty();
        }
    }

    /** A peer that is known, or is from now on. */
    Peer peer(long nicId) {
        Peer known = peers.get(nicId);
        if (known != null) {
            return known;
        }
        forgetEldest();
        Peer peer = new Peer();
        peers.put(nicId, peer);
        return peer;
    }

    /**
     * Peers whose links broke are remembered for a while: to those that still have theirs this side can prove who it
     * is.
     */
    private void forgetEldest() {
        if (peers.size() < MAX_REMEMBERED) {
            return;
        }
        int looks = 0;
        for (Iterator<Peer> each = peers.values().iterator(); each.hasNext() && looks < MAX_REMEMBERED; looks++) {
            if (each.next().isMemory()) {
                each.remove();
                return;
            }
        }
    }

    /** A link is up. */
    void up(Peer peer, NettyLink link, LinkSecret secret) {
        peer.link = link;
        peer.secret = secret;
    }

    /**
     * A link has ended.
     *
     * @param byPeer whether the peer has made it and ended it: that has no link any more for which it would want a
     *     proof, and is forgotten
     */
    void down(NettyLink link, boolean byPeer) {
        Peer peer = peers.get(link.peerNic());
        if (peer != null && peer.link == link) {
            peer.link = null;
            if (byPeer && peer.isMemory()) {
                peers.remove(link.peerNic());
            }
        }
    }

    /** Peers that are known, with links and without. */
    int size() {
        return peers.size();
    }
}

package io.verbena;

import io.verbena.fabric.security.PeerIdentity;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What each peer has of a node's, against the limits. Under the lock of {@link Connections}. */
final class PeerUsage {
    private final long maxRegionBytes;
    private final Map<Object, Usage> byPeer = new HashMap<>();

    private static final class Usage {
        int connections;
        long regionBytes;
    }

    PeerUsage(long maxRegionBytes) {
        this.maxRegionBytes = maxRegionBytes;
    }

    /** What a peer is known by: the name that it has proven with a key of its own, or else its NIC. */
    static Object keyOf(PeerIdentity peer, long peerNic) {
        return peer.proof() == PeerIdentity.Proof.CERTIFICATE ? peer.name() : (Object) peerNic;
    }

    /** Says why a peer may not have another connection to a region of a length, 0 for none; or null. */
    @Nullable
    String defect(Object peer, int maxConnections, long regionBytes) {
        Usage usage = byPeer.get(peer);
        int connections = usage == null ? 0 : usage.connections;
        if (connections >= maxConnections) {
            return "it has " + connections + " connections, and maxConnectionsPerPeer is " + maxConnections;
        }
        long attached = usage == null ? 0 : usage.regionBytes;
        if (regionBytes > maxRegionBytes - attached) {
            return "it is attached to " + attached + " bytes, the region has " + regionBytes
                    + ", and the policy's maxRegionBytes is " + maxRegionBytes;
        }
        return null;
    }

    void take(Object peer, long regionBytes) {
        Usage usage = byPeer.computeIfAbsent(peer, any -> new Usage());
        usage.connections++;
        usage.regionBytes += regionBytes;
    }

    void giveBack(Object peer, long regionBytes) {
        Usage usage = byPeer.get(peer);
        if (usage != null) {
            usage.regionBytes -= regionBytes;
            if (--usage.connections == 0) {
                byPeer.remove(peer);
            }
        }
    }

    /** Peers that have something. */
    int peers() {
        return byPeer.size();
    }
}

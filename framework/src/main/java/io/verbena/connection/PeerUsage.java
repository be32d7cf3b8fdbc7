package io.verbena.connection;

import io.verbena.nic.append.SenderQuota;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** What each peer has of a node's, against the limits. Under the lock of {@link Connections}. */
final class PeerUsage {
    private final AccessRules rules;
    private final LongFunction<SenderQuota> quotas;
    private final Map<Object, Usage> byPeer = new HashMap<>();
    private final Set<Object> left = new HashSet<>(); // without a connection, but with messages in inboxes

    /**
     * What a connection counts for.
     *
     * @param peer against whose limits
     * @param regionBytes of the region that it reaches, 0 for none
     */
    record Charge(Object peer, long regionBytes) {}

    private static final class Usage {
        final SenderQuota messages;
        int connections;
        long regionBytes;
        Charge last;

        Usage(SenderQuota messages, Charge first) {
            this.messages = messages;
            this.last = first;
        }
    }

    /**
     * Of nobody.
     *
     * @param rules say the limits
     * @param quotas makes quotas of this many bytes for peers' messages
     */
    PeerUsage(AccessRules rules, LongFunction<SenderQuota> quotas) {
        this.rules = rules;
        this.quotas = quotas;
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
        if (regionBytes > rules.maxRegionBytes() - attached) {
            return "it is attached to " + attached + " bytes, the region has " + regionBytes
                    + ", and the policy's maxRegionBytes is " + rules.maxRegionBytes();
        }
        return null;
    }

    /** What another connection counts for: one object for those that count for the same. */
    Charge charge(Object peer, long regionBytes) {
        Usage usage = byPeer.get(peer);
        return usage != null && usage.last.regionBytes() == regionBytes ? usage.last : new Charge(peer, regionBytes);
    }

    /**
     * A peer gets another connection.
     *
     * @return what its messages count against
     * @throws IllegalStateException if there are as many quotas as there may be
     */
    SenderQuota take(Charge charge) {
        forgetLeft();
        Object peer = charge.peer();
        Usage usage = byPeer.get(peer);
        if (usage == null) {
            usage = new Usage(quota(), charge);
            byPeer.put(peer, usage);
        }
        left.remove(peer);
        usage.last = charge;
        usage.connections++;
        usage.regionBytes += charge.regionBytes();
        return usage.messages;
    }

    private SenderQuota quota() {
        long most = rules.maxInboxBytes();
        return most == Long.MAX_VALUE ? SenderQuota.NONE : quotas.apply(most);
    }

    /** A connection is over. */
    void giveBack(Charge charge) {
        Usage usage = byPeer.get(charge.peer());
        if (usage != null) {
            usage.regionBytes -= charge.regionBytes();
            if (--usage.connections == 0) {
                left.add(charge.peer());
            }
        }
        forgetLeft();
    }

    /** Whoever has come back meanwhile finds its messages counted; who has none left is forgotten. */
    private void forgetLeft() {
        left.removeIf(peer -> {
            Usage usage = byPeer.get(peer);
            boolean gone = usage == null || usage.messages.bytes() == 0;
            if (gone && usage != null) {
                usage.messages.close();
                byPeer.remove(peer);
            }
            return gone;
        });
    }
}

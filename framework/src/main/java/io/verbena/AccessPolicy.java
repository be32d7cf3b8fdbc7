package io.verbena;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What peers may do at a node, and how much of it each may take. It is consulted for each connection request, including
 * repeated ones, before anything is allocated for the connection.
 *
 * <pre>{@code
 *   AccessPolicy.denyAll()
 *       .allow(r -> r.peer().name().equals("orders.example") && r.name().equals("book"), Right.SEND)
 *       .allow(r -> r.tenant().equals("kv"), Right.CALL, Right.READ)
 *       .maxRegionBytes(1L << 30)
 *       .maxInboxBytes(16 << 20)
 * }</pre>
 *
 * <p>The rights of all matching rules add up. A peer whose certificate binds it to a tenant
 * ({@link io.verbena.fabric.security.PeerRules}) gets nothing that belongs to another tenant, whatever the rules say.
 * Immutable; rules are called under the node's control lock, by any thread, and must not block. A rule that throws
 * grants nothing.
 */
public final class AccessPolicy {
    /** Minimum of {@link #maxInboxBytes}: a few messages. */
    public static final long MIN_INBOX_BYTES = 4096;

    private final List<Rule> rules;
    private final long maxRegionBytes;
    private final long maxInboxBytes;

    private record Rule(Predicate<AccessRequest> holds, Set<Right> rights) {}

    private AccessPolicy(List<Rule> rules, long maxRegionBytes, long maxInboxBytes) {
        this.rules = rules;
        this.maxRegionBytes = maxRegionBytes;
        this.maxInboxBytes = maxInboxBytes;
    }

    /** Every admitted peer may do everything: the default. */
    public static AccessPolicy allowAll() {
        return denyAll().allow(request -> true, Right.values());
    }

    /** Nobody may do anything: a starting point for rules. */
    public static AccessPolicy denyAll() {
        return new AccessPolicy(List.of(), Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** This policy with another rule: the rights that are granted to requests that match. */
    public AccessPolicy allow(Predicate<AccessRequest> holds, Right... rights) {
        Set<Right> set = EnumSet.noneOf(Right.class);
        Collections.addAll(set, rights);
        List<Rule> more = new ArrayList<>(rules);
        more.add(new Rule(holds, set));
        return new AccessPolicy(List.copyOf(more), maxRegionBytes, maxInboxBytes);
    }

    /**
     * This policy, with a limit on the total bytes of the regions that one peer is attached to at a time; none by
     * default. The number of connections of a peer is limited by {@link NodeContext#maxConnectionsPerPeer}.
     */
    public AccessPolicy maxRegionBytes(long perPeer) {
        if (perPeer < 1) {
            throw new IllegalArgumentException("maxRegionBytes " + perPeer + " < minimum 1");
        }
        return new AccessPolicy(rules, perPeer, maxInboxBytes);
    }

    /**
     * This policy, with a limit on the bytes of one peer's messages that lie unread in all inboxes and responders
     * together, at least {@value #MIN_INBOX_BYTES}; none by default. Beyond it the peer is back-pressured, and others
     * are not; a longer message is refused at the sender. The limit applies to what arrives by sockets: peers that map
     * an inbox (`local:`, `shm:`) are trusted with it.
     */
    public AccessPolicy maxInboxBytes(long perPeer) {
        if (perPeer < MIN_INBOX_BYTES) {
            throw new IllegalArgumentException("maxInboxBytes " + perPeer + " < minimum " + MIN_INBOX_BYTES);
        }
        return new AccessPolicy(rules, maxRegionBytes, perPeer);
    }

    long maxRegionBytes() {
        return maxRegionBytes;
    }

    /** {@link Long#MAX_VALUE} for no limit. */
    long maxInboxBytes() {
        return maxInboxBytes;
    }

    /** All that a peer may do with what it asks for. */
    Set<Right> rights(AccessRequest request) {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        for (Rule rule : rules) {
            if (!rights.containsAll(rule.rights) && rule.holds.test(request)) {
                rights.addAll(rule.rights);
            }
        }
        return rights;
    }
}

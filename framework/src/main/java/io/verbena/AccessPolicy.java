package io.verbena;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What peers may do at a node, and how much of it each may take. It is asked for each connection, also for one that is
 * asked for again, before anything is allocated for it.
 *
 * <pre>{@code
 *   AccessPolicy.denyAll()
 *       .allow(r -> r.peer().name().equals("orders.example") && r.name().equals("book"), Right.SEND)
 *       .allow(r -> r.tenant().equals("kv"), Right.CALL, Right.READ)
 *       .maxRegionBytes(1L << 30)
 *       .maxInboxBytes(16 << 20)
 * }</pre>
 *
 * <p>The rights of all rules that hold add up. A peer whose certificate binds it to a tenant ({@link
 * io.verbena.fabric.security.PeerRules}) gets nothing of another's, whatever the rules say. Immutable; rules are called
 * under the node's control lock by any thread, and must not block. A rule that throws gives nothing.
 */
public final class AccessPolicy {
    /** Least that {@link #maxInboxBytes} may be: a few messages. */
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

    /** Whoever was let in may do everything: the default. */
    public static AccessPolicy allowAll() {
        return denyAll().allow(request -> true, Right.values());
    }

    /** Nobody may do anything: to add rules to. */
    public static AccessPolicy denyAll() {
        return new AccessPolicy(List.of(), Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** This policy, and the rights that are given where something holds of a request. */
    public AccessPolicy allow(Predicate<AccessRequest> holds, Right... rights) {
        Set<Right> set = EnumSet.noneOf(Right.class);
        Collections.addAll(set, rights);
        List<Rule> more = new ArrayList<>(rules);
        more.add(new Rule(holds, set));
        return new AccessPolicy(List.copyOf(more), maxRegionBytes, maxInboxBytes);
    }

    /**
     * This policy, with another limit of the bytes of all regions that one peer is attached to at a time; none by
     * default. How many connections one may have is the node's, {@link NodeContext#maxConnectionsPerPeer}.
     */
    public AccessPolicy maxRegionBytes(long perPeer) {
        if (perPeer < 1) {
            throw new IllegalArgumentException("maxRegionBytes " + perPeer + " < minimum 1");
        }
        return new AccessPolicy(rules, perPeer, maxInboxBytes);
    }

    /**
     * This policy, with another limit of the bytes of one peer's messages that lie untaken in all inboxes and
     * responders together, at least {@value #MIN_INBOX_BYTES}; none by default. Beyond it the peer is back-pressured,
     * and others are not; a longer message is refused at the sender. It holds for what comes by sockets: peers that map
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

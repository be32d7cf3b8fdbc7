package io.verbena.fabric.security;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which names in a certificate are accepted, and which peer and tenant each stands for. The first rule that matches one
 * of the names decides; a certificate that no rule matches is refused.
 *
 * <pre>{@code
 *   PeerRules.none()
 *       .accept("orders.svc.example")                       // the peer 'orders.svc.example', any tenant
 *       .accept("*.billing.example", "billing")             // one label for the star; tenant 'billing' alone
 *       .accept("spiffe://example/kv/*", "kv", "kvstore")   // any rest; the peer is called 'kv'
 * }</pre>
 *
 * <p>Names are compared without regard to case. Immutable.
 */
public final class PeerRules {
    private static final PeerRules NONE = new PeerRules(List.of());

    private final List<Rule> rules;

    /** A pattern, the peer that it stands for (null: the name itself), and its tenant (null: any). */
    private record Rule(
            String pattern, @Nullable String peer, @Nullable String tenant) {}

    private PeerRules(List<Rule> rules) {
        this.rules = rules;
    }

    /** Rules that accept nobody, to add to. */
    public static PeerRules none() {
        return NONE;
    }

    /** Rules that accept every certificate that is trusted; the peer is called by the first name in it. */
    public static PeerRules anyTrusted() {
        return NONE.accept("*");
    }

    /**
     * These rules, and one that accepts a name for any tenant.
     *
     * @param pattern a name; {@code *} for all; {@code *.domain} with one label for the star; or {@code prefix*}
     * @throws IllegalArgumentException if it is no such pattern
     */
    public PeerRules accept(String pattern) {
        return with(new Rule(pattern, null, null));
    }

    /** These rules, and one that accepts a name for one tenant alone. */
    public PeerRules accept(String pattern, String tenant) {
        return with(new Rule(pattern, null, tenant));
    }

    /** These rules, and one that accepts a name for one tenant alone, and calls the peer by another name. */
    public PeerRules accept(String pattern, String peer, String tenant) {
        return with(new Rule(pattern, peer, tenant));
    }

    private PeerRules with(Rule rule) {
        String pattern = rule.pattern;
        int star = pattern.indexOf('*');
        boolean wildcard = star < 0
                || (star == pattern.length() - 1)
                || (star == 0 && pattern.length() > 2 && pattern.charAt(1) == '.' && pattern.indexOf('*', 1) < 0);
        if (pattern.isEmpty() || !wildcard) {
            throw new IllegalArgumentException(
                    "pattern '" + pattern + "' is none of: name, *, *.domain, prefix*; a star stands first or last");
        }
        List<Rule> more = new ArrayList<>(rules);
        more.add(rule);
        return new PeerRules(List.copyOf(more));
    }

    /**
     * Who a certificate's names stand for.
     *
     * @param names subject alternative names, or else the common name
     * @return null if no rule accepts one of them
     */
    public @Nullable PeerIdentity identify(List<String> names) {
        for (Rule rule : rules) {
            for (String name : names) {
                if (matches(rule.pattern, name)) {
                    String peer = rule.peer;
                    return new PeerIdentity(peer == null ? name : peer, rule.tenant, PeerIdentity.Proof.CERTIFICATE);
                }
            }
        }
        return null;
    }

    private static boolean matches(String pattern, String name) {
        int length = pattern.length();
        if (pattern.charAt(length - 1) == '*') {
            return name.regionMatches(true, 0, pattern, 0, length - 1) && name.length() >= length - 1;
        }
        if (pattern.startsWith("*.")) {
            int dot = name.indexOf('.');
            return dot > 0
                    && name.length() - dot == length - 1
                    && name.regionMatches(true, dot, pattern, 1, length - 1);
        }
        return name.equalsIgnoreCase(pattern);
    }

    @Override
    public String toString() {
        return rules.toString();
    }
}

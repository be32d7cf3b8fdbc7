package io.verbena.console;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a node says of a tenant: counts since the node began, and delays since it was asked before.
 *
 * @param name of the tenant
 * @param weight among tenants
 * @param bytes sent
 * @param charged for them, in the unit that shares are of
 * @param entitled to in the same unit, of what was charged while it had something to send; 0 if its node does not say
 * @param messages sent
 * @param backloggedNanos for which it had something to send
 * @param p50DelayNanos of the time between having something to send and being served
 * @param p99DelayNanos of the same
 * @param slowCallbacks times that a callback of its held its thread for too long
 * @param refusedForWindow times that its senders were told "not now" while a channel's messages waited for
 *     acknowledgements
 * @param refusedForLink the same, while work waited for its turn on the link
 * @param refusedForReceiver the same, while the peer's inbox was full
 * @param refusedForCeiling the same, while work waited for the tenant's ceiling
 * @param demoted urgent visits that were treated as bulk
 * @param requestRate operations a second that it may send now, where its node shares by utility; 0 for no bound
 * @param deliveryRate messages a second that its inboxes deliver now, where its node shares them by utility; 0 for no
 *     bound
 * @param rateBound what its rate is bound by; null where its node does not share by utility
 * @param merging what its merging regions have done; null if nothing
 */
record TenantState(
        String name,
        int weight,
        long bytes,
        long charged,
        long entitled,
        long messages,
        long backloggedNanos,
        long p50DelayNanos,
        long p99DelayNanos,
        long slowCallbacks,
        long refusedForWindow,
        long refusedForLink,
        long refusedForReceiver,
        long refusedForCeiling,
        long demoted,
        long requestRate,
        long deliveryRate,
        @Nullable String rateBound,
        @Nullable MergingState merging) {
    private static final String[] LIMITS = {"window", "link", "receiver", "ceiling"};

    /** The state of a tenant that has done nothing. */
    static TenantState atFirst(String name, int weight) {
        return new TenantState(name, weight, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, null);
    }

    /** What its merging regions have done. */
    MergingState merged() {
        return merging == null ? MergingState.NONE : merging;
    }

    /** What its rate is bound by, in lower case; a dash where it has none. */
    String boundBy() {
        return rateBound == null ? "-" : rateBound.toLowerCase(Locale.ROOT);
    }

    /**
     * What has kept it from sending more since an earlier state, and how much of the refusals that was; a dash if it
     * sent nothing.
     */
    String limit(TenantState before) {
        long[] refused = {
            refusedForWindow - before.refusedForWindow,
            refusedForLink - before.refusedForLink,
            refusedForReceiver - before.refusedForReceiver,
            refusedForCeiling - before.refusedForCeiling
        };
        int most = 0;
        long all = 0;
        for (int i = 0; i < refused.length; i++) {
            all += refused[i];
            most = refused[i] > refused[most] ? i : most;
        }
        if (all == 0) {
            return charged > before.charged ? "sender" : "-";
        }
        return LIMITS[most] + " " + Math.round(refused[most] * 100.0 / all) + " %";
    }
}

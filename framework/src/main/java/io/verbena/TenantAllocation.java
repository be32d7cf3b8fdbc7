package io.verbena;

/**
 * What a {@link Tenant} may send and be given in the present epoch, and how good that is. Immutable.
 *
 * <p>The certificate needs no trust in the solver: whatever the prices are, all tenants' rates together are within the
 * gap of the best ones.
 *
 * @param epoch in which it was computed, from 1 on
 * @param requests operations a second that it may send, what others leave now included
 * @param completions messages a second that its inboxes deliver; 0 if they have no rate
 * @param price what another million operations a second costs it in utility; 0 while they are not short
 * @param gap how far the best rates can be above these, by the sum of the magnitudes of all utilities
 * @param residual largest relative violation of the optimality conditions (Karush, Kuhn, Tucker)
 * @param bound what its requests are bound by
 * @param basis whose capacities its requests keep, and why no others
 */
public record TenantAllocation(
        long epoch,
        double requests,
        double completions,
        double price,
        double gap,
        double residual,
        Bound bound,
        Basis basis) {
    /** What bounds a tenant's rate. */
    public enum Bound {
        /** What it wants: it has sent less than it may. */
        DEMAND,
        /** The operations that the NIC takes. */
        REQUESTS,
        /** The messages that inboxes deliver, its answers among them. */
        COMPLETIONS,
        /** Its minimum: more would cost others more than it is worth. */
        MINIMUM,
        /** What the nodes that it sends to can deliver. */
        PEERS
    }

    /** Whose capacities a tenant's rate keeps ({@link RateOptions#twoSided}). */
    public enum Basis {
        /** This node's alone: nodes do not agree, or it sends to none. */
        ONE_SIDED,
        /** Those of all nodes that it sends to as well. */
        TWO_SIDED,
        /** Of some nodes that it sends to not: they have not answered yet, or do not share by utility with others. */
        NOT_ANSWERED,
        /** Of some nodes that it sends to not: they have not been heard of for too long. */
        PEER_LOST
    }
}

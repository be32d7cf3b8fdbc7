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
 */
public record TenantAllocation(
        long epoch, double requests, double completions, double price, double gap, double residual, Bound bound) {
    /** What bounds a tenant's rate. */
    public enum Bound {
        /** What it wants: it has sent less than it may. */
        DEMAND,
        /** The operations that the NIC takes. */
        REQUESTS,
        /** The messages that inboxes deliver, its answers among them. */
        COMPLETIONS,
        /** Its minimum: more would cost others more than it is worth. */
        MINIMUM
    }
}

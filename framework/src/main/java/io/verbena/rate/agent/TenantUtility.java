package io.verbena.rate.agent;

import io.verbena.rate.HostProblem;
import io.verbena.rate.Utility;

/**
 * What rates are worth to a tenant, and what it asks besides. Immutable.
 *
 * @param utility of its requests, and of what is delivered to it
 * @param minimum requests a second that it always gets; 0 for {@link HostProblem#DEFAULT_FLOOR} of an equal share
 * @param batch requests that one delivery answers; 0 if its requests are not answered
 * @param preemptible part of its rate by which it may overdraw it, 0 to 1
 */
public record TenantUtility(Utility utility, double minimum, int batch, double preemptible) {
    /** Weight 1, proportional fairness, no minimum of its own, requests that nothing answers. */
    public static final TenantUtility DEFAULT = new TenantUtility(new Utility(1, 1), 0, 0, 0);

    /** The same with another utility. */
    public TenantUtility with(Utility other) {
        return new TenantUtility(other, minimum, batch, preemptible);
    }

    /** The same with another minimum. */
    public TenantUtility withMinimum(double perSecond) {
        return new TenantUtility(utility, perSecond, batch, preemptible);
    }

    /** The same with another batch. */
    public TenantUtility withBatch(int requests) {
        return new TenantUtility(utility, minimum, requests, preemptible);
    }

    /** The same with another preemptible part. */
    public TenantUtility withPreemptible(double part) {
        return new TenantUtility(utility, minimum, batch, part);
    }
}

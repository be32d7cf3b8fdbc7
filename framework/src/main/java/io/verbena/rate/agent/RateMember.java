package io.verbena.rate.agent;

/**
 * A tenant, as the {@link RateAgent} sees it: what it has done since it began, and its two rates. All is for the
 * agent's thread.
 */
public interface RateMember {
    /** Name of the tenant. */
    String tenantName();

    /** Number of its group in the NIC. */
    int groupNumber();

    /** What rates are worth to it now. */
    TenantUtility utility();

    /** Operations that it has sent. */
    long sent();

    /** How often its rate held it back while it had something to send. */
    long held();

    /** Nanoseconds for which it had something to send, and another had too. */
    long backloggedNanos();

    /** Messages that were delivered to it. */
    long delivered();

    /** How often its rate held deliveries back while there were messages. */
    long heldDeliveries();

    /** Sets how many operations a second it may send, 0 for no bound. */
    void requestRate(long perSecond);

    /** Sets how many messages a second are delivered to it, 0 for no bound. */
    void completionRate(long perSecond);
}

package io.verbena.rate.agent;

import io.verbena.TenantAllocation;
import io.verbena.rate.Allocation;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link RateAgent} knows of a tenant: what it did in the last epoch, and the rates that it has.
 *
 * <p>The agent's thread writes; {@link #allocation} is for any thread.
 */
public final class RateSlot {
    /** What a tenant may grow by in an epoch without being held, since it is bounded by more than it sent. */
    private static final double HEADROOM = 1.25;

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    private final RateMember member;
    private TenantUtility asked = TenantUtility.DEFAULT;

    private final Counts before = new Counts();

    // Of the last epoch, a second.
    double sentRate;
    double deliveredRate;
    boolean isHeld;
    boolean isDeliveryHeld;
    double waited; // the part of it for which this tenant and another had something to send

    // Published.
    private long requestRate;
    private long completionRate;
    private @Nullable TenantAllocation last;
    private long epoch;
    private double price;
    private double gap;
    private double residual;
    private TenantAllocation.Bound bound = TenantAllocation.Bound.DEMAND;
    private TenantAllocation.Basis basis = TenantAllocation.Basis.ONE_SIDED;

    RateSlot(RateMember member) {
        this.member = member;
        look(1);
    }

    /** An epoch is over, or is not to be looked at. */
    void look(long nanos) {
        long nowSent = member.sent();
        long nowHeld = member.held();
        long nowBacklogged = member.backloggedNanos();
        long nowDelivered = member.delivered();
        long nowHeldDeliveries = member.heldDeliveries();
        sentRate = (nowSent - before.sent) * SECOND / nanos;
        deliveredRate = (nowDelivered - before.delivered) * SECOND / nanos;
        isHeld = nowHeld != before.held;
        isDeliveryHeld = nowHeldDeliveries != before.heldDeliveries;
        waited = (nowBacklogged - before.backlogged) / (double) nanos;
        before.sent = nowSent;
        before.held = nowHeld;
        before.backlogged = nowBacklogged;
        before.delivered = nowDelivered;
        before.heldDeliveries = nowHeldDeliveries;
    }

    /** Number of its group in the NIC. */
    int group() {
        return member.groupNumber();
    }

    /** Whether it has done nothing. */
    boolean isIdle() {
        return sentRate == 0 && deliveredRate == 0 && !isHeld && !isDeliveryHeld;
    }

    /** Whether more capacity for requests would have let it send more: neither its peers nor its answers bound it. */
    boolean isHeldForRequests() {
        return isHeld && bound != TenantAllocation.Bound.PEERS && bound != TenantAllocation.Bound.COMPLETIONS;
    }

    /** Requests a second that it wants. */
    double requestDemand() {
        return isHeld ? Double.POSITIVE_INFINITY : HEADROOM * sentRate;
    }

    /** Messages a second that it wants beyond the answers to its requests. */
    double deliveryDemand() {
        double answers = asked.batch() == 0 ? 0 : sentRate / asked.batch();
        return isDeliveryHeld ? Double.POSITIVE_INFINITY : HEADROOM * Math.max(0, deliveredRate - answers);
    }

    /** Asks what rates are worth to it; that holds until this is called again. */
    TenantUtility asks() {
        asked = member.utility();
        return asked;
    }

    /** What it said when it was asked last. */
    TenantUtility asked() {
        return asked;
    }

    TenantAllocation.Basis basis() {
        return basis;
    }

    long requestRate() {
        return requestRate;
    }

    long completionRate() {
        return completionRate;
    }

    /** Publishes a rate of requests, 0 for no bound. */
    void requestRate(long perSecond) {
        if (perSecond != requestRate) {
            requestRate = perSecond;
            member.requestRate(perSecond);
        }
    }

    /** Publishes a rate of deliveries, 0 for no bound. */
    void completionRate(long perSecond) {
        if (perSecond != completionRate) {
            completionRate = perSecond;
            member.completionRate(perSecond);
        }
    }

    /** Says how good the rates are that were published. */
    synchronized void certify(
            long inEpoch,
            double itsPrice,
            Allocation answer,
            TenantAllocation.Bound itsBound,
            TenantAllocation.Basis itsBasis) {
        epoch = inEpoch;
        price = itsPrice;
        gap = answer.gap();
        residual = answer.residual();
        bound = itsBound;
        basis = itsBasis;
        last = null;
        RateAllocationEvent event = new RateAllocationEvent();
        if (event.isEnabled()) {
            event.tenant = member.tenantName();
            event.epoch = epoch;
            event.requests = requestRate;
            event.deliveries = completionRate;
            event.price = price;
            event.gap = gap;
            event.bound = bound.name();
            event.basis = basis.name();
            event.commit();
        }
    }

    /** What it was allocated, or null if nothing was yet. Any thread. */
    public synchronized @Nullable TenantAllocation allocation() {
        if (epoch > 0 && last == null) {
            last = new TenantAllocation(
                    epoch, (double) requestRate, (double) completionRate, price, gap, residual, bound, basis);
        }
        return last;
    }

    /** At the end of the last epoch. */
    private static final class Counts {
        long sent;
        long held;
        long backlogged;
        long delivered;
        long heldDeliveries;
    }
}

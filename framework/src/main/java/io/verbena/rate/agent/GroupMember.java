package io.verbena.rate.agent;

import io.verbena.nic.PerformanceGroup;
import java.util.function.Supplier;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * A tenant of a node: its group in the NIC, whose arbiter keeps the rate of requests, and the gate of its inboxes.
 *
 * @param group of the tenant
 * @param gate of its deliveries, or null if they have no rate
 * @param settings what rates are worth to it
 * @param clock the NIC's
 */
public record GroupMember(
        PerformanceGroup group, @Nullable DeliveryGate gate, Supplier<TenantUtility> settings, NanoClock clock)
        implements RateMember {
    @Override
    public String tenantName() {
        return group.name();
    }

    @Override
    public int groupNumber() {
        return group.index();
    }

    @Override
    public TenantUtility utility() {
        return settings.get();
    }

    @Override
    public long sent() {
        return group.statistics().messages();
    }

    @Override
    public long held() {
        return group.statistics().held();
    }

    @Override
    public long backloggedNanos() {
        return group.statistics().backloggedNanos();
    }

    @Override
    public long delivered() {
        return gate == null ? 0 : gate.delivered();
    }

    @Override
    public long heldDeliveries() {
        return gate == null ? 0 : gate.held();
    }

    @Override
    public void requestRate(long perSecond) {
        group.operationRate(perSecond, clock.nanoTime());
    }

    @Override
    public void completionRate(long perSecond) {
        if (gate != null) {
            gate.rate(perSecond);
        }
    }
}

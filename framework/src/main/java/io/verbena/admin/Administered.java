package io.verbena.admin;

import io.verbena.MergingStatistics;
import io.verbena.RateExchange;
import io.verbena.TenantAllocation;
import io.verbena.nic.PerformanceGroup;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is administered: the tenants of a node. Thread-safe. */
public interface Administered {
    /** The tenants, the default one first. */
    List<Member> tenants();

    /**
     * Sets a tenant's weight.
     *
     * @throws IllegalArgumentException if there is no such tenant, or the weight is out of range
     */
    void weight(String tenant, int weight);

    /** What tenants may send, by name; those without rates are left out. */
    Map<String, TenantAllocation> allocations();

    /** What agreeing with other nodes on rates has come to; null where the node does not. */
    @Nullable
    RateExchange rateExchange();

    /**
     * A tenant.
     *
     * @param group what it has sent, and is entitled to
     * @param slowCallbacks how often its callbacks were slow
     * @param deliveryRate messages a second that its inboxes deliver, 0 for no bound
     * @param merging what its merging regions have done
     */
    record Member(
            PerformanceGroup group,
            LongSupplier slowCallbacks,
            LongSupplier deliveryRate,
            Supplier<MergingStatistics> merging) {}
}

package io.verbena.admin;

import io.verbena.nic.PerformanceGroup;
import java.util.List;
import java.util.function.LongSupplier;

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

    /**
     * A tenant.
     *
     * @param group what it has sent, and is entitled to
     * @param slowCallbacks how often its callbacks were slow
     * @param deliveryRate messages a second that its inboxes deliver, 0 for no bound
     */
    record Member(PerformanceGroup group, LongSupplier slowCallbacks, LongSupplier deliveryRate) {}
}

package io.verbena;

import io.verbena.admin.Administered;
import io.verbena.merge.MergingRecorder;
import io.verbena.nic.Nic;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.rate.agent.PeerRates;
import io.verbena.rate.agent.RateAgent;
import io.verbena.rate.agent.RateSettings;
import io.verbena.rate.agent.RateSlot;
import io.verbena.rate.agent.TenantUtility;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of a node, as its administrator sees them. There is always one named "default", which owns what the
 * {@link Node} itself connects and opens.
 *
 * <p>Thread-safe. Settings take effect at the scheduler's next visit, for existing connections too.
 */
public final class Tenants {
    /** Name of the tenant that owns everything for which no tenant is named. */
    public static final String DEFAULT = "default";

    private final Node node;
    private final Nic nic;
    private final Map<String, Tenant> byName = new LinkedHashMap<>(); // under this
    private volatile List<Tenant> listed = List.of(); // of the same tenants, for the flight recorder's thread
    private final @Nullable PeerRates peers; // null: it does not agree with others
    private final @Nullable RateAgent rates; // null: the node does not share by utility
    private final MergingRecorder recorder;
    private final Tenant ofNode;

    Tenants(Node node, Nic nic, @Nullable RateSettings settings) {
        this.node = node;
        this.nic = nic;
        this.peers = settings == null || !settings.isTwoSided() ? null : peers(node, settings);
        this.rates = settings == null ? null : new RateAgent(settings, node.clock(), peers);
        this.ofNode = add(nic.defaultGroup(), TenantUtility.DEFAULT);
        if (rates != null) {
            node.turns().agent(rates);
        }
        this.recorder = new MergingRecorder(node.name(), this::merging);
        recorder.start();
    }

    private static PeerRates peers(Node node, RateSettings settings) {
        PeerRates peers = new PeerRates(
                settings,
                node.connections(),
                (peer, buffer, length) -> node.engine().sendDatagram(peer, buffer, 0, length),
                node.clock().nanoTime());
        node.connections().rates(peers);
        return peers;
    }

    Tenant defaultTenant() {
        return ofNode;
    }

    /**
     * Adds a tenant.
     *
     * @throws IllegalArgumentException if the name is taken or missing, the options contradict each other, or the
     *     floors of all exceed {@link NodeContext#capacity}
     * @throws IllegalStateException if the node has the maximum number of tenants
     */
    public synchronized Tenant add(TenantOptions options) {
        if (byName.containsKey(options.name())) {
            throw new IllegalArgumentException("node '" + node.name() + "' has a tenant '" + options.name() + "'");
        }
        return add(nic.createGroup(options.attributes()), options.tenantUtility());
    }

    private Tenant add(PerformanceGroup group, TenantUtility utility) {
        try {
            Tenant tenant = new Tenant(node, group, nic.allocateProtectionDomain(group), utility, rates);
            byName.put(tenant.name(), tenant);
            listed = List.copyOf(byName.values());
            return tenant;
        } catch (RuntimeException e) {
            group.close(); // its name and its place are free again
            throw e;
        }
    }

    /**
     * A tenant.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public synchronized Tenant get(String name) {
        Tenant tenant = byName.get(name);
        if (tenant == null) {
            throw new IllegalArgumentException(
                    "node '" + node.name() + "' has no tenant '" + name + "', only " + byName.keySet());
        }
        return tenant;
    }

    /** All of them, in the order in which they were added, the default one first. */
    public synchronized List<Tenant> list() {
        return new ArrayList<>(byName.values());
    }

    /**
     * Sets what a tenant is entitled to, everything but its name: start from {@link Tenant#options}. A refused call
     * changes nothing.
     *
     * @throws IllegalArgumentException as {@link #add}, or if there is none of that name
     */
    public synchronized void set(String name, TenantOptions options) {
        Tenant tenant = get(name);
        tenant.group().set(options.attributes());
        tenant.utility(options.tenantUtility());
        if (rates != null) {
            rates.changed();
        }
    }

    /** Sets a tenant's weight and nothing else, 1 to {@value io.verbena.nic.GroupAttributes#MAX_WEIGHT}. */
    public synchronized void weight(String name, int weight) {
        PerformanceGroup group = get(name).group();
        group.set(group.query().weight(weight));
    }

    /**
     * Removes a tenant.
     *
     * @throws IllegalStateException (EBUSY) if it still has connections, inboxes or regions, or is the default one;
     *     nothing has changed then
     */
    public synchronized void remove(String name) {
        Tenant tenant = get(name);
        if (tenant == ofNode) {
            throw new IllegalStateException("tenant '" + DEFAULT + "' has what names no other, and stays");
        }
        tenant.pd().close();
        tenant.group().close();
        byName.remove(name);
        listed = List.copyOf(byName.values());
        RateSlot slot = tenant.rates();
        if (rates != null && slot != null) {
            rates.remove(slot);
        }
    }

    /** What the node's administrator may see and set. */
    Administered administered() {
        return new Administered() {
            @Override
            public List<Member> tenants() {
                return list().stream()
                        .map(tenant -> new Member(
                                tenant.group(), tenant::slowCallbacks, tenant::deliveryRate, tenant::merging))
                        .toList();
            }

            @Override
            public Map<String, TenantAllocation> allocations() {
                return Tenants.this.allocations();
            }

            @Override
            public @Nullable RateExchange rateExchange() {
                return Tenants.this.rateExchange();
            }

            @Override
            public void weight(String tenant, int weight) {
                Tenants.this.weight(tenant, weight);
            }
        };
    }

    /** What sharing by utility has cost; null where the node does not ({@link NodeContext#rates}). Any thread. */
    public @Nullable RateStatistics rateStatistics() {
        return rates == null ? null : rates.statistics();
    }

    /**
     * What agreeing with other nodes has come to; null where the node does not ({@link RateOptions#twoSided}). Any
     * thread.
     */
    public @Nullable RateExchange rateExchange() {
        return peers == null ? null : RateExchange.of(peers);
    }

    /** What each may send now, by name, in the order of {@link #list}; those without rates are left out. */
    public Map<String, TenantAllocation> allocations() {
        Map<String, TenantAllocation> all = new LinkedHashMap<>();
        for (Tenant tenant : list()) {
            TenantAllocation its = tenant.allocation();
            if (its != null) {
                all.put(tenant.name(), its);
            }
        }
        return all;
    }

    private Map<String, MergingStatistics> merging() {
        Map<String, MergingStatistics> all = new LinkedHashMap<>();
        listed.forEach(tenant -> all.put(tenant.name(), tenant.merging()));
        return all;
    }

    /** The node ends: the flight recorder is told no more. */
    void close() {
        recorder.close();
    }

    /** What each has sent, and how long it waited, in the order of {@link #list}. */
    public GroupStatistics[] statistics() {
        return list().stream().map(Tenant::statistics).toArray(GroupStatistics[]::new);
    }
}

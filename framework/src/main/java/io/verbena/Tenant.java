package io.verbena;

import io.verbena.connection.ConnectionOwner;
import io.verbena.dispatch.TenantCallbacks;
import io.verbena.merge.Admissions;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.arbiter.GroupStatistics;
import io.verbena.rate.agent.DeliveryGate;
import io.verbena.rate.agent.GroupMember;
import io.verbena.rate.agent.RateAgent;
import io.verbena.rate.agent.RateSlot;
import io.verbena.rate.agent.TenantUtility;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One of the tenants that share a node, as it sees itself. What it connects and opens here is served by its weight, and
 * belongs to it alone. It cannot change its own entitlement; {@link Tenants} can.
 *
 * <p>Thread-safe, as {@link Node} is.
 */
public final class Tenant {
    private final Node node;
    private final PerformanceGroup group;
    private final ProtectionDomain pd;
    private final String name;
    private final TenantCallbacks callbacks;
    private final ConnectionOwner owner;
    private final Admissions admissions = new Admissions();
    private final @Nullable DeliveryGate gate; // null: deliveries have no rate
    private final @Nullable RateSlot rates; // null: the node does not share by utility
    private volatile TenantUtility utility;

    Tenant(Node node, PerformanceGroup group, ProtectionDomain pd, TenantUtility utility, @Nullable RateAgent agent) {
        this.node = node;
        this.group = group;
        this.pd = pd;
        this.name = group.name();
        this.callbacks = new TenantCallbacks(node.turns(), node.engine(), node.clock(), name, group::weight);
        this.owner = new TenantConnections(node, this, RegionSettings.DEFAULT);
        this.utility = utility;
        this.gate = agent == null || !agent.pacesDeliveries() ? null : new DeliveryGate(node.clock());
        this.rates = agent == null ? null : agent.add(new GroupMember(group, gate, () -> this.utility, node.clock()));
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /**
     * How often one of its callbacks held its thread for more than half of {@link NodeContext#callbackBound}. Any
     * thread.
     */
    public long slowCallbacks() {
        return callbacks.slowCount();
    }

    TenantCallbacks callbacks() {
        return callbacks;
    }

    /** What it is entitled to, as a copy. */
    public TenantOptions options() {
        return new TenantOptions(group.query(), utility);
    }

    /**
     * What it may send and be given now, where the node shares by utility; null where it does not
     * ({@link NodeContext#rates}), or as long as the first rates were not computed. Any thread.
     */
    public @Nullable TenantAllocation allocation() {
        return rates == null ? null : rates.allocation();
    }

    /** Counts of what it has sent, and how long it waited. */
    public GroupStatistics statistics() {
        return group.statistics();
    }

    /** Bytes of the node's memory that it uses, see {@link TenantOptions#maxMemory(long)}. */
    public long memory() {
        return group.memory().used();
    }

    /** Memory regions that it has, see {@link TenantOptions#maxRegions(int)}. */
    public int regions() {
        return group.regions();
    }

    /**
     * How often its inboxes, regions or channels were refused memory because of {@link TenantOptions#maxMemory(long)}
     * or {@link TenantOptions#maxRegions(int)}.
     */
    public long memoryRefusals() {
        return group.memory().refusals();
    }

    /**
     * What the operations of its merging regions were and cost, and how much of them is under way. Any thread.
     */
    public MergingStatistics merging() {
        return admissions.statistics();
    }

    /** Connections that it has now, outgoing and incoming, with a queue pair of their own or one that they share. */
    public int connections() {
        return node.connections().of(group);
    }

    /**
     * As {@link #connect(String, Inbox, ChannelOptions, Duration)}, with the default options; the peer cannot send
     * back.
     */
    public Channel connect(String address, Duration timeout) {
        return connect(address, null, new ChannelOptions(), timeout);
    }

    /**
     * Connects to an inbox; what is sent is at this tenant's expense.
     *
     * @param address of the inbox, see {@link Address}
     * @param answersTo an inbox of this tenant's that the peer's channel back leads to, or null if there is none
     * @param options weight and class of the channel
     * @param timeout how long it may take
     * @throws ConnectionException if there is no connection: unknown node or name, refused, no answer in time
     * @throws IllegalArgumentException if the address is malformed, the tenant may not set the options, or the inbox
     *     belongs to another tenant
     * @throws IllegalStateException if the tenant has as many connections as it may have
     */
    public Channel connect(String address, @Nullable Inbox answersTo, ChannelOptions options, Duration timeout) {
        return node.connector().connect(this, address, answersTo, options, timeout);
    }

    /**
     * Connects to an inbox without waiting, as {@link Node#connectAsync}; what is sent is at this tenant's expense.
     *
     * @param answersTo an inbox of this tenant's that the peer's channel back leads to, or null if there is none
     */
    public CompletableFuture<Channel> connectAsync(
            String address, @Nullable Inbox answersTo, ChannelOptions options, Duration timeout) {
        return node.connector().connectAsync(this, address, answersTo, options, timeout);
    }

    /** Attaches to memory that a peer shares, as {@link Node#attach}, at this tenant's expense. */
    public RemoteRegion attach(String address, Duration timeout) {
        return attach(address, new RegionOptions(), timeout);
    }

    /** Attaches to memory that a peer shares, as {@link Node#attach(String, RegionOptions, Duration)}. */
    public RemoteRegion attach(String address, RegionOptions options, Duration timeout) {
        return node.connector().attach(this, address, options, timeout);
    }

    /**
     * Attaches to the memory of several peers, each by several queue pairs, at this tenant's expense.
     *
     * @param timeout how long each connection may take, of which there are as many as queue pairs, and one for messages
     * @throws ConnectionException if one of the peers cannot be reached, refuses, or shares no such memory
     * @throws IllegalArgumentException if there is no peer, or an address is malformed
     */
    public RemoteSession remote(RemoteOptions options, Duration timeout) {
        return RemoteSession.open(this, options, timeout);
    }

    /** Shares memory, as {@link Node#share}: what peers READ of it is at this tenant's expense. */
    public SharedRegion share(String regionName, int bytes, Right... rights) {
        return node.openings().region(this, regionName, bytes, rights);
    }

    /**
     * Opens an inbox, as {@link Node#openInbox(String, InboxOptions)}: answers through it are at this tenant's expense.
     */
    public Inbox openInbox(String inboxName, InboxOptions options) {
        return node.openings().inbox(this, inboxName, options);
    }

    /** The number of its connections whose class is URGENT. */
    public int urgentConnections() {
        return group.urgentQueuePairs();
    }

    /**
     * Opens a responder, as {@link Node#openResponder(String, InboxOptions)}: its answers are at this tenant's expense.
     */
    public Responder openResponder(String responderName, InboxOptions options) {
        return node.openings().responder(this, responderName, options);
    }

    /** Opens a requester, as {@link Node#openRequester(RequesterOptions)}: its calls are at this tenant's expense. */
    public Requester openRequester(RequesterOptions options) {
        return node.openings().requester(this, options);
    }

    /** This tenant as the owner of connections. */
    ConnectionOwner asOwner() {
        return owner;
    }

    void utility(TenantUtility now) {
        utility = now;
    }

    @Nullable
    RateSlot rates() {
        return rates;
    }

    /** Messages a second that its inboxes deliver, 0 for no bound. Any thread. */
    long deliveryRate() {
        return gate == null ? 0 : gate.rate();
    }

    @Nullable
    DeliveryGate gate() {
        return gate;
    }

    Admissions admissions() {
        return admissions;
    }

    ProtectionDomain pd() {
        return pd;
    }

    PerformanceGroup group() {
        return group;
    }

    void checkOwns(@Nullable Inbox inbox) {
        if (inbox != null && inbox.tenant() != this) {
            throw new IllegalArgumentException("inbox '" + inbox.name() + "' is of tenant '" + inbox.tenant().name
                    + "', the channel of '" + name + "'");
        }
    }

    @Override
    public String toString() {
        return "tenant '" + name + "' of " + node;
    }
}

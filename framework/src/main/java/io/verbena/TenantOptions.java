package io.verbena;

import io.verbena.nic.GroupAttributes;
import io.verbena.rate.Utility;
import io.verbena.rate.agent.TenantUtility;

/**
 * What a {@link Tenant} is entitled to, and the limits of what it may set for its channels: fluent setters over
 * defaults. Mutable; not thread-safe.
 */
public final class TenantOptions {
    private static final double MAX_RATE = 1e9;

    private final GroupAttributes attributes;
    private TenantUtility utility;

    /**
     * Creates the defaults: weight 1, channels up to weight 1024, urgent messages up to 4 KiB, no ceiling, no floor.
     */
    public TenantOptions() {
        this(new GroupAttributes(), TenantUtility.DEFAULT);
    }

    TenantOptions(GroupAttributes attributes, TenantUtility utility) {
        this.attributes = attributes;
        this.utility = utility;
    }

    /** Its name, unique in the node: 1 to 64 printable characters of ASCII without spaces, quotes and backslashes. */
    public TenantOptions name(String text) {
        attributes.name(text);
        return this;
    }

    /** Its weight among the tenants of the node, 1 to {@value GroupAttributes#MAX_WEIGHT}; 1 by default. */
    public TenantOptions weight(int value) {
        attributes.weight(value);
        return this;
    }

    /** The largest weight that it may give a channel, 1 to {@value GroupAttributes#MAX_WEIGHT}; 1024 by default. */
    public TenantOptions maxChannelWeight(int value) {
        attributes.maxQueuePairWeight(value);
        return this;
    }

    /**
     * Connections that it may have at a time, outgoing and incoming, at least 1; by default bounded only by the node's
     * limit.
     */
    public TenantOptions maxConnections(int count) {
        attributes.maxQueuePairs(count);
        return this;
    }

    /** Whether it may have urgent channels, which it may by default: what they send counts against its own share. */
    public TenantOptions mayBeUrgent(boolean allowed) {
        attributes.mayBeUrgent(allowed);
        return this;
    }

    /**
     * Bytes of the longest message of an urgent channel, 1 to {@value GroupAttributes#MAX_URGENT_LIMIT}; 4096 by
     * default.
     */
    public TenantOptions urgentLimit(int bytes) {
        attributes.urgentLimit(bytes);
        return this;
    }

    /**
     * Bytes of messages that a channel may keep until they are acknowledged, 1 to
     * {@value GroupAttributes#MAX_SEND_WINDOW}; 4 MiB by default. A channel begins with
     * {@link NodeContext#stagingLength} and {@link NodeContext#sendDepth}, and grows up to this while other tenants
     * send to the same peer and it could send more than fits.
     */
    public TenantOptions maxChannelWindow(int bytes) {
        attributes.maxSendWindow(bytes);
        return this;
    }

    /**
     * Bytes of the node's memory that it may use, at least 1; by default as many as the node has. What counts: its
     * inboxes and responders with the messages that lie there, its shared regions, and what its channels, requesters
     * and remote regions keep until it is acknowledged. When the limit is reached, a new inbox or region is refused
     * with an exception that names the tenant, and its channels and the senders to its inboxes are back-pressured. A
     * lowered limit applies to new memory.
     */
    public TenantOptions maxMemory(long bytes) {
        attributes.maxMemory(bytes);
        return this;
    }

    /**
     * Memory regions that it may have in its node at a time, at least 1; by default bounded only by
     * {@link NodeContext#maxRegions}. What counts: its shared regions, each with one more for every other combination
     * of rights (seven at most), the staging of its channels, requesters and remote regions, and buffers that are
     * registered ({@link BufferPolicy}), which give way unless they are in use. At the limit, another shared region is
     * refused, and whatever needs one to go on waits, as with {@link #maxMemory(long)}.
     */
    public TenantOptions maxRegions(int count) {
        attributes.maxRegions(count);
        return this;
    }

    /**
     * Most bytes a second that it may send; 0, the default, for no bound. If another unit is charged
     * ({@link NodeContext#chargedUnit}), in that unit.
     */
    public TenantOptions ceiling(long bytesPerSecond) {
        attributes.ceiling(bytesPerSecond);
        return this;
    }

    /**
     * Bytes a second, or of whatever unit is charged, that it may send before others are served by weight; 0, the
     * default, for none. The floors of all tenants together must not exceed {@link NodeContext#capacity}.
     */
    public TenantOptions floor(long bytesPerSecond) {
        attributes.floor(bytesPerSecond);
        return this;
    }

    /**
     * What its rates are worth where the node shares by utility ({@link NodeContext#rates}): {@code weight (x^(1 -
     * alpha) - 1) / (1 - alpha)}, {@code weight ln x} at alpha 1, x in millions a second. Where a capacity is short,
     * rates of the same alpha stand as {@code weight^(1 / alpha)}. Weight 1 and alpha 1 by default. The weight among
     * tenants ({@link #weight(int)}) is another one, which shares bytes.
     *
     * @param weight above 0
     * @param alpha above 0, at most 32: how much is given up for evenness
     */
    public TenantOptions utility(double weight, double alpha) {
        utility = utility.with(new Utility(alpha, weight));
        return this;
    }

    /**
     * Operations a second that it always gets where the node shares by utility, 1 to 10^9; by default 2 % of an equal
     * share. If the minimum rates of all exceed 90 % of a capacity, all are cut by the same part.
     */
    public TenantOptions minimumRate(double operationsPerSecond) {
        if (!(operationsPerSecond >= 1 && operationsPerSecond <= MAX_RATE)) {
            throw new IllegalArgumentException("minimumRate " + operationsPerSecond + " outside 1.." + MAX_RATE);
        }
        utility = utility.withMinimum(operationsPerSecond);
        return this;
    }

    /**
     * Requests that one message delivered to it answers, at least 1: its share of deliveries then bounds its requests
     * too. By default nothing answers its requests.
     */
    public TenantOptions batch(int requests) {
        if (requests < 1) {
            throw new IllegalArgumentException("batch " + requests + " < minimum 1");
        }
        utility = utility.withBatch(requests);
        return this;
    }

    /**
     * Part of its rate for which room is set aside beside it, 0 to 1; default 0. So much of the NIC's capacity is not
     * allocated to anybody, as the norm of all such parts (DRUM (12)), so that what is urgent finds the NIC free. Rates
     * stay bounds: nobody overdraws them.
     */
    public TenantOptions preemptible(double part) {
        if (!(part >= 0 && part <= 1)) {
            throw new IllegalArgumentException("preemptible " + part + " outside 0..1");
        }
        utility = utility.withPreemptible(part);
        return this;
    }

    /** Whether a utility was set. */
    public boolean hasUtility() {
        return !utility.utility().equals(TenantUtility.DEFAULT.utility());
    }

    /** The weight of its utility. */
    public double utilityWeight() {
        return utility.utility().weight();
    }

    /** The alpha of its utility. */
    public double alpha() {
        return utility.utility().alpha();
    }

    /** Operations a second that it always gets; 0 for a part of an equal share. */
    public double minimumRate() {
        return utility.minimum();
    }

    /** Requests that one delivery answers; 0 if its requests are not answered. */
    public int batch() {
        return utility.batch();
    }

    /** Part of its rate for which room is set aside beside it. */
    public double preemptible() {
        return utility.preemptible();
    }

    /** Its name. */
    public String name() {
        return attributes.name();
    }

    /** Its weight among tenants. */
    public int weight() {
        return attributes.weight();
    }

    /** The largest weight of a channel. */
    public int maxChannelWeight() {
        return attributes.maxQueuePairWeight();
    }

    /** Connections at a time. */
    public int maxConnections() {
        return attributes.maxQueuePairs();
    }

    /** Whether channels may be urgent. */
    public boolean mayBeUrgent() {
        return attributes.mayBeUrgent();
    }

    /** Bytes of the longest message of an urgent channel. */
    public int urgentLimit() {
        return attributes.urgentLimit();
    }

    /** Bytes that a channel may keep until they are acknowledged. */
    public int maxChannelWindow() {
        return attributes.maxSendWindow();
    }

    /** Bytes of the node's memory. */
    public long maxMemory() {
        return attributes.maxMemory();
    }

    /** Memory regions at a time. */
    public int maxRegions() {
        return attributes.maxRegions();
    }

    /** Most bytes a second, 0 for no such bound. */
    public long ceiling() {
        return attributes.ceiling();
    }

    /** Bytes a second before others, 0 for none. */
    public long floor() {
        return attributes.floor();
    }

    TenantUtility tenantUtility() {
        return utility;
    }

    GroupAttributes attributes() {
        return new GroupAttributes(attributes);
    }

    @Override
    public String toString() {
        return "tenant " + name() + " of weight " + weight();
    }
}

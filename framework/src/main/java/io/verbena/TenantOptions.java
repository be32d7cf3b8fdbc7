package io.verbena;

import io.verbena.nic.GroupAttributes;

/**
 * What a {@link Tenant} is entitled to, and the limits of what it may set for its channels: fluent setters over
 * defaults. Mutable; not thread-safe.
 */
public final class TenantOptions {
    private final GroupAttributes attributes;

    /**
     * Creates the defaults: weight 1, channels up to weight 1024, urgent messages up to 4 KiB, no ceiling, no floor.
     */
    public TenantOptions() {
        this(new GroupAttributes());
    }

    TenantOptions(GroupAttributes attributes) {
        this.attributes = attributes;
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
     * of rights (seven at most), and the staging of its channels, requesters and remote regions. At the limit, another
     * shared region is refused, and whatever needs one to go on waits, as with {@link #maxMemory(long)}.
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

    GroupAttributes attributes() {
        return new GroupAttributes(attributes);
    }

    @Override
    public String toString() {
        return "tenant " + name() + " of weight " + weight();
    }
}

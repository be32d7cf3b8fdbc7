package io.verbena;

import io.verbena.nic.GroupAttributes;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.arbiter.TrafficClass;

/**
 * What a {@link Channel} is made with, by whoever connects or by the inbox that peers connect to ({@link
 * InboxOptions#channels}): fluent setters over defaults. Mutable; not thread-safe.
 */
public final class ChannelOptions {
    private int weight = 1;
    private TrafficClass trafficClass = TrafficClass.BULK;
    private boolean concurrent;

    /** Creates the defaults: weight 1, not urgent, one thread at a time sends. */
    public ChannelOptions() {}

    ChannelOptions(ChannelOptions other) {
        weight = other.weight;
        trafficClass = other.trafficClass;
        concurrent = other.concurrent;
    }

    /** Its weight among the tenant's connections, 1 to what the tenant may set. */
    public ChannelOptions weight(int value) {
        if (value < 1 || value > GroupAttributes.MAX_WEIGHT) {
            throw new IllegalArgumentException("weight " + value + " outside 1.." + GroupAttributes.MAX_WEIGHT);
        }
        weight = value;
        return this;
    }

    /** Whether its messages go before others; their length is then bounded by {@link TenantOptions#urgentLimit}. */
    public ChannelOptions urgent(boolean before) {
        trafficClass = before ? TrafficClass.URGENT : TrafficClass.BULK;
        return this;
    }

    /**
     * Whether any number of threads send on it at a time, each one's messages in its order. A thread that finds others at it
     * for longer than a message takes gets {@link SendResult#BACK_PRESSURED}. Costs nothing while one thread sends, and a
     * compare-and-set a message else.
     */
    public ChannelOptions concurrent(boolean manyThreads) {
        concurrent = manyThreads;
        return this;
    }

    boolean isConcurrent() {
        return concurrent;
    }

    /**
     * Refuses what a tenant may not set.
     *
     * @throws IllegalArgumentException names both values
     */
    void check(TenantOptions limits) {
        if (weight > limits.maxChannelWeight()) {
            throw new IllegalArgumentException("tenant '" + limits.name() + "': channel weight " + weight
                    + " > maximum " + limits.maxChannelWeight());
        }
        if (trafficClass == TrafficClass.URGENT && !limits.mayBeUrgent()) {
            throw new IllegalArgumentException("tenant '" + limits.name() + "': traffic class URGENT, allowed is BULK");
        }
    }

    /** The same, as far as a tenant may set it. */
    ChannelOptions within(TenantOptions limits) {
        return new ChannelOptions()
                .concurrent(concurrent)
                .weight(Math.min(weight, limits.maxChannelWeight()))
                .urgent(trafficClass == TrafficClass.URGENT && limits.mayBeUrgent());
    }

    QpAttributes attributes() {
        return new QpAttributes().weight(weight).trafficClass(trafficClass);
    }
}

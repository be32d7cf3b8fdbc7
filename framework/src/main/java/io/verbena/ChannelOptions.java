package io.verbena;

import io.verbena.connection.ChannelSettings;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link Channel}, set by the side that connects or by the inbox that peers connect to
 * ({@link InboxOptions#channels}): fluent setters over defaults. Mutable; not thread-safe.
 */
public final class ChannelOptions {
    private int weight = 1;
    private TrafficClass trafficClass = TrafficClass.BULK;
    private RateLimit rateLimit = RateLimit.NONE;
    private boolean concurrent;
    private boolean dedicated;

    private Duration firstPause = Duration.ZERO;
    private Duration longestPause = Duration.ZERO;
    private @Nullable ReconnectListener reconnectListener;

    /** Creates the defaults: weight 1, not urgent, connected once, one thread at a time sends. */
    public ChannelOptions() {}

    ChannelOptions(ChannelOptions other) {
        weight = other.weight;
        trafficClass = other.trafficClass;
        rateLimit = other.rateLimit;
        concurrent = other.concurrent;
        dedicated = other.dedicated;
        firstPause = other.firstPause;
        longestPause = other.longestPause;
        reconnectListener = other.reconnectListener;
    }

    /** Its weight among the tenant's connections, 1 to what the tenant may set. */
    public ChannelOptions weight(int value) {
        weight = Limits.range("weight", value, 1, GroupAttributes.MAX_WEIGHT);
        return this;
    }

    /** Whether its messages go ahead of others; their length is then bounded by {@link TenantOptions#urgentLimit}. */
    public ChannelOptions urgent(boolean before) {
        trafficClass = before ? TrafficClass.URGENT : TrafficClass.BULK;
        return this;
    }

    /** Its rate limit, within the tenant's ceiling; unlimited by default. */
    public ChannelOptions rateLimit(RateLimit limit) {
        rateLimit = limit;
        return this;
    }

    /**
     * Whether any number of threads may send on it at a time; the order of each thread's messages is kept. A thread
     * that finds the channel in use for longer than a message takes gets {@link SendResult#BACK_PRESSURED}. Costs
     * nothing while one thread sends, and otherwise one compare-and-set per message.
     */
    public ChannelOptions concurrent(boolean manyThreads) {
        concurrent = manyThreads;
        return this;
    }

    /**
     * Whether it has a queue pair of its own, also where others {@linkplain NodeContext#shareConnections share}; off by
     * default. For channels that are to become urgent or limited later, whose {@link Channel#statistics delays} matter,
     * or whose long messages are not to wait for those of others. Channels that are opened urgent or with a rate limit
     * have one in any case.
     */
    public ChannelOptions dedicated(boolean apart) {
        dedicated = apart;
        return this;
    }

    /**
     * Reconnects when the channel is lost, to the same address and with the same options, until an attempt succeeds;
     * the pause doubles with each one that fails. Applies to the side that connects; channels made by an inbox's
     * options never reconnect.
     *
     * <p>A channel that is closed stays closed, since nobody knows which of the last messages arrived: reconnecting
     * makes another channel, which the listener gets. {@link Channel#close} on either ends the reconnecting.
     *
     * @param first pause before the first attempt, more than 0
     * @param longest pause between attempts, at least the first
     * @param listener told of each change
     */
    public ChannelOptions reconnect(Duration first, Duration longest, ReconnectListener listener) {
        if (first.isNegative() || first.isZero()) {
            throw new IllegalArgumentException("first pause " + first + " is not more than 0");
        }
        if (longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("longest pause " + longest + " < first pause " + first);
        }
        firstPause = first;
        longestPause = longest;
        reconnectListener = listener;
        return this;
    }

    /** The listener to reconnecting, or null if a lost channel stays lost. */
    @Nullable
    ReconnectListener reconnectListener() {
        return reconnectListener;
    }

    Duration firstPause() {
        return firstPause;
    }

    Duration longestPause() {
        return longestPause;
    }

    /**
     * Refuses options that a tenant may not set.
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

    /** These options, limited to what a tenant may set. */
    ChannelOptions within(TenantOptions limits) {
        return new ChannelOptions()
                .concurrent(concurrent)
                .dedicated(dedicated)
                .rateLimit(rateLimit)
                .weight(Math.min(weight, limits.maxChannelWeight()))
                .urgent(trafficClass == TrafficClass.URGENT && limits.mayBeUrgent());
    }

    ChannelSettings settings() {
        return new ChannelSettings(weight, trafficClass, rateLimit, concurrent, dedicated);
    }
}

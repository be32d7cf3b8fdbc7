package io.verbena;

import io.verbena.connection.ChannelSettings;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Channel} is made with, by whoever connects or by the inbox that peers connect to ({@link
 * InboxOptions#channels}): fluent setters over defaults. Mutable; not thread-safe.
 */
public final class ChannelOptions {
    private int weight = 1;
    private TrafficClass trafficClass = TrafficClass.BULK;
    private RateLimit rateLimit = RateLimit.NONE;
    private boolean concurrent;

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
        firstPause = other.firstPause;
        longestPause = other.longestPause;
        reconnectListener = other.reconnectListener;
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

    /** How fast it may send at most, within the tenant's ceiling; unlimited by default. */
    public ChannelOptions rateLimit(RateLimit limit) {
        rateLimit = limit;
        return this;
    }

    /**
     * Whether any number of threads send on it at a time, each one's messages in its order. A thread that finds others
     * at it for longer than a message takes gets {@link SendResult#BACK_PRESSURED}. Costs nothing while one thread
     * sends, and a compare-and-set a message else.
     */
    public ChannelOptions concurrent(boolean manyThreads) {
        concurrent = manyThreads;
        return this;
    }

    /**
     * Connects again when the channel is lost, to the same address and with the same options, until that succeeds:
     * after a pause that doubles with each attempt that fails. Of the side that connects; the channel of an inbox'
     * options never does.
     *
     * <p>A channel that is closed stays closed, since nobody knows which of the last messages arrived: what is
     * reconnected is another channel, which the listener gets. {@link Channel#close} on either ends it.
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

    /** Who is told of reconnecting, or null if a channel that is lost stays so. */
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
                .rateLimit(rateLimit)
                .weight(Math.min(weight, limits.maxChannelWeight()))
                .urgent(trafficClass == TrafficClass.URGENT && limits.mayBeUrgent());
    }

    ChannelSettings settings() {
        return new ChannelSettings(weight, trafficClass, rateLimit, concurrent);
    }
}

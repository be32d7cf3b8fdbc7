package io.verbena.connection;

import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;

/**
 * What a connection is made with.
 *
 * @param weight among the owner's connections
 * @param trafficClass how soon it is served
 * @param rateLimit how fast it may send at most
 * @param concurrent whether any number of threads send on it
 * @param dedicated whether it has a queue pair of its own, whatever the node's other channels have
 */
public record ChannelSettings(
        int weight, TrafficClass trafficClass, RateLimit rateLimit, boolean concurrent, boolean dedicated) {
    /** Weight 1, not urgent, unlimited, one thread at a time. */
    public static final ChannelSettings DEFAULT =
            new ChannelSettings(1, TrafficClass.BULK, RateLimit.NONE, false, false);

    /** The same, with a queue pair of its own. */
    ChannelSettings apart() {
        return new ChannelSettings(weight, trafficClass, rateLimit, concurrent, true);
    }
}

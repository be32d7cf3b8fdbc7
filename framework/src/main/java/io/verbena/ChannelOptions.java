package io.verbena;

import io.verbena.nic.GroupAttributes;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.arbiter.TrafficClass;

/** What a {@link Channel} is made with: fluent setters over defaults. Mutable; not thread-safe. */
public final class ChannelOptions {
    private int weight = 1;
    private TrafficClass trafficClass = TrafficClass.BULK;

    /** Creates the defaults: weight 1, not urgent. */
    public ChannelOptions() {}

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

    QpAttributes attributes() {
        return new QpAttributes().weight(weight).trafficClass(trafficClass);
    }
}

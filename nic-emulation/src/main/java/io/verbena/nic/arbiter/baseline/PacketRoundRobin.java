package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.ShareList;
import org.jspecify.annotations.Nullable;

/**
 * Flows in turn, a packet a visit: what Palos (II-B) finds a commodity NIC to do. Groups, weights and classes are not
 * looked at, nor is how long a packet is, so that who sends long packets gets more.
 *
 * <p>Where nothing is cut into packets, on mapped memory, a visit is one operation of at most the MTU.
 */
public class PacketRoundRobin extends FlowTurns {
    private final ShareList<Place> flows = new ShareList<>();

    /** Creates an empty schedule. */
    public PacketRoundRobin(ArbiterSettings settings, int engine) {
        super(settings, engine);
    }

    @Override
    ShareList<Place> queue(Flow flow) {
        return flows;
    }

    @Override
    Place choose() {
        Place place = flows.first();
        if (place == null) {
            throw new IllegalStateException("no flow waits");
        }
        return place;
    }

    /** The first of those that {@link #choose} takes; null if none waits. */
    final @Nullable Place first() {
        return flows.first();
    }

    @Override
    void grant(Place place) {
        place.flow.grantPacket(ArbiterSettings.MTU);
    }
}

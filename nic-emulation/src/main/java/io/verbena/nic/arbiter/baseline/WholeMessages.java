package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.ShareList;
import io.verbena.nic.arbiter.TrafficClass;

/**
 * Flows in turn, a message a visit, however long it is: what Avatar (2.2, figure 2) finds a commodity NIC to do, where
 * Palos finds {@link PacketRoundRobin}. A message that waits for an acknowledgement loses its turn, one that waits for
 * room keeps it.
 *
 * <p>It has two priorities: urgent flows come first, without bound, but a message that has begun is sent to its end
 * before (2.2, figure 3b: no preemption).
 *
 * <p>It goes packet by packet: a flow stands first again after a packet that ends no message.
 */
public final class WholeMessages extends PacketRoundRobin {
    private final ShareList<Place> urgent = new ShareList<>();

    /** Creates an empty schedule. */
    public WholeMessages(ArbiterSettings settings, int engine) {
        super(settings, engine);
    }

    @Override
    ShareList<Place> queue(Flow flow) {
        return flow.trafficClass() == TrafficClass.URGENT ? urgent : super.queue(flow);
    }

    @Override
    Place choose() {
        Place early = urgent.first();
        if (early == null) {
            return super.choose();
        }
        Place bulk = first();
        return bulk != null && bulk.goesOn && !early.goesOn ? bulk : early;
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        super.charge(flow, bytes, operations, nanos);
        Place place = Place.of(flow);
        if (bytes > 0) {
            place.goesOn = operations == 0;
        }
    }

    @Override
    boolean keepsTurn(Place place) {
        return place.goesOn;
    }
}

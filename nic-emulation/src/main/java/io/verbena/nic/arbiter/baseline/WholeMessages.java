package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Flow;

/**
 * Flows in turn, a message a visit, however long it is: what Avatar (2.2, figure 2) finds a commodity NIC to do, where
 * Palos finds {@link PacketRoundRobin}. A message that waits for an acknowledgement loses its turn, one that waits for
 * room keeps it.
 *
 * <p>It goes packet by packet: a flow stands first again after a packet that ends no message.
 */
public final class WholeMessages extends PacketRoundRobin {
    /** Creates an empty schedule. */
    public WholeMessages(ArbiterSettings settings, int engine) {
        super(settings, engine);
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

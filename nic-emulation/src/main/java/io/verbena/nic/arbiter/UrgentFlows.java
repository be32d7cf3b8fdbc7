package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/** A group's urgent flows that have work, whatever their ports; in {@link UrgentTurns} while they may be served early. */
final class UrgentFlows extends Share {
    final GroupEntry entry;
    final WeightedRound<Flow> flows = new WeightedRound<>();

    UrgentFlows(GroupEntry entry) {
        this.entry = entry;
    }

    /**
     * The flow whose turn it is; those whose port is full step aside.
     *
     * @param lapUnits for all of them together, if a lap begins
     * @return null if none can be served
     */
    @Nullable
    Flow select(long lapUnits) {
        for (Flow flow = flows.select(lapUnits); flow != null; flow = flows.select(lapUnits)) {
            Port port = flow.port;
            if (port == null || !port.urgentFull) {
                return flow;
            }
            flows.stall(flow);
            port.stalledFlows.addLast(flow);
        }
        return null;
    }
}

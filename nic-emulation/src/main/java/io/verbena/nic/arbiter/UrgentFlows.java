package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * A group's urgent flows that have work, whatever their outputs; in {@link UrgentTurns} while they may be served early.
 */
final class UrgentFlows extends Share {
    final GroupEntry entry;
    final WeightedRound<Flow> flows = new WeightedRound<>();

    UrgentFlows(GroupEntry entry) {
        this.entry = entry;
    }

    /**
     * The flow whose turn it is; those whose output is full step aside.
     *
     * @param lapUnits for all of them together, if a lap begins
     * @return null if none can be served
     */
    @Nullable
    Flow select(long lapUnits) {
        for (Flow flow = flows.select(lapUnits); flow != null; flow = flows.select(lapUnits)) {
            OutputQueue output = flow.output;
            if (output == null || !output.urgentFull) {
                return flow;
            }
            flows.stall(flow);
            output.stalledFlows.addLast(flow);
        }
        return null;
    }
}

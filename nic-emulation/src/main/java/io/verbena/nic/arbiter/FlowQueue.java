package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * A group's flows along one output. The bulk ones stand still together while the output is full. In the group's round
 * its weight is the sum of its active flows'.
 */
final class FlowQueue extends Share {
    final GroupEntry entry;
    final @Nullable OutputQueue output;
    final WeightedRound<Flow> flows = new WeightedRound<>();
    int urgent; // flows that have work and stand among the group's urgent ones
    int attached;

    FlowQueue(GroupEntry entry, @Nullable OutputQueue output) {
        this.entry = entry;
        this.output = output;
        this.weight = 0;
    }
}

package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.ShareList;

/**
 * Eight service levels, a virtual lane each, as InfiniBand's quality of service has them (Palos V-B): a group's traffic
 * goes by the lane of its number modulo the lanes; lanes are served in turn, each for as many units of 64 bytes as its
 * weight says, and in a lane flows send a packet in turn.
 *
 * <p>A lane's weight is the sum of its groups'. The heaviest lane has 255 units, the most that the specification's
 * table holds, so that turns are as long as they can be and what a packet overshoots matters least. It is not carried
 * over. A packet is sent whole and counts in whole units, as the link's credits are: one of 65 bytes is two.
 */
public final class VirtualLanes extends FlowTurns {
    private static final int LANES = 8;
    private static final int UNIT = 64;
    private static final int MAX_UNITS = 255;

    private static final class Lane {
        final ShareList<Place> flows = new ShareList<>();
        long weight;
        long left; // bytes of its turn
    }

    private final Lane[] lanes;

    // By index of a group.
    private final int[] groupWeights;
    private final int[] flows;

    private int current;

    /** Creates an empty schedule. */
    public VirtualLanes(ArbiterSettings settings, int engine) {
        super(settings, engine);
        this.lanes = new Lane[LANES];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane();
        }
        this.groupWeights = new int[settings.maxGroups()];
        this.flows = new int[settings.maxGroups()];
    }

    private Lane lane(FlowGroup group) {
        return lanes[group.index() % lanes.length];
    }

    /** Bytes of a lane's turn. */
    private long turn(Lane lane) {
        long heaviest = 1;
        for (Lane other : lanes) {
            heaviest = Math.max(heaviest, other.weight);
        }
        return Math.max(1, MAX_UNITS * lane.weight / heaviest) * UNIT;
    }

    @Override
    ShareList<Place> queue(Flow flow) {
        return lane(flow.group()).flows;
    }

    @Override
    Place choose() {
        for (int i = 0; i <= lanes.length; i++) {
            Lane lane = lanes[current];
            Place place = lane.flows.first();
            if (place != null && lane.left > 0) {
                return place;
            }
            current = (current + 1) % lanes.length;
            lanes[current].left = turn(lanes[current]);
        }
        throw new IllegalStateException("no flow waits");
    }

    @Override
    void grant(Place place) {
        place.flow.grantPacket(ArbiterSettings.MTU);
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        super.charge(flow, bytes, operations, nanos);
        lane(flow.group()).left -= (bytes + UNIT - 1L) / UNIT * UNIT;
    }

    @Override
    void joined(Place place) {
        FlowGroup group = place.flow.group();
        if (flows[group.index()]++ == 0) {
            weigh(group, group.weight());
        }
    }

    @Override
    void left(Place place) {
        FlowGroup group = place.flow.group();
        if (--flows[group.index()] == 0) {
            weigh(group, 0);
        }
    }

    @Override
    public void changed(FlowGroup group) {
        if (flows[group.index()] > 0) {
            weigh(group, group.weight());
        }
    }

    private void weigh(FlowGroup group, int weight) {
        lane(group).weight += weight - groupWeights[group.index()];
        groupWeights[group.index()] = weight;
    }
}

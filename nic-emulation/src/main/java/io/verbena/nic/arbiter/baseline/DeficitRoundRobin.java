package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.Share;
import io.verbena.nic.arbiter.ShareList;
import org.jspecify.annotations.Nullable;

/**
 * Groups in turn, in each group flows in turn, a quantum of bytes a visit. Byte deficits carry what a visit overshot to
 * the next (Shreedhar and Varghese, deficit round robin), so equal flows get equal bytes whatever their packet sizes.
 * Knows no weights. A flow that is alone is not sliced: it gets a long budget. One that a full output stopped goes on
 * with the rest of its quantum.
 */
public final class DeficitRoundRobin extends FlowTurns {
    /** A group's flows; in the round while there are some. */
    private static final class Lane extends Share {
        final ShareList<Place> flows = new ShareList<>();
    }

    private final int quantum;
    private final int aloneBudget;
    private final @Nullable Lane[] lanes;
    private final ShareList<Lane> round = new ShareList<>();

    /** Creates an empty schedule. */
    public DeficitRoundRobin(ArbiterSettings settings, int engine) {
        super(settings, engine);
        this.quantum = settings.quantum();
        this.aloneBudget = settings.aloneBudget();
        this.lanes = new Lane[settings.maxGroups()];
    }

    private Lane lane(Flow flow) {
        int index = flow.group().index();
        Lane lane = lanes[index];
        if (lane == null) {
            lane = new Lane();
            lanes[index] = lane;
        }
        return lane;
    }

    @Override
    ShareList<Place> queue(Flow flow) {
        return lane(flow).flows;
    }

    @Override
    Place choose() {
        for (Lane lane = round.first(); lane != null; lane = round.first()) {
            Place place = lane.flows.first();
            if (place == null) {
                round.remove(lane);
            } else if (place.goesOn || place.left + quantum > 0) {
                return place;
            } else {
                place.left += quantum; // pays what it owes, and has no visit
                lane.flows.rotate();
                round.rotate();
            }
        }
        throw new IllegalStateException("no flow waits");
    }

    @Override
    void grant(Place place) {
        if (!othersWait()) {
            place.left = aloneBudget;
        } else if (place.goesOn) {
            place.left = Math.min(place.left, quantum);
        } else {
            place.left = Math.min(place.left, 0) + quantum;
        }
        place.goesOn = false;
        place.flow.grant((int) place.left);
        round.rotate();
    }

    @Override
    void placed(Flow flow, boolean first) {
        Lane lane = lane(flow);
        if (!lane.isListed()) {
            round.addLast(lane);
        }
        if (first && round.first() != lane) {
            round.remove(lane);
            round.addFirst(lane);
        }
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        super.charge(flow, bytes, operations, nanos);
        Place.of(flow).left -= bytes;
    }

    @Override
    public void blocked(Flow flow) {
        keepsRest(flow);
    }

    @Override
    public void full(Flow flow) {
        keepsRest(flow);
        super.full(flow);
    }

    private static void keepsRest(Flow flow) {
        Place place = Place.of(flow);
        place.goesOn = place.left > 0;
    }
}

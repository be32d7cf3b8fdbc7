package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.ShareList;
import io.verbena.nic.arbiter.TrafficClass;

/**
 * Palos as its paper prints it (IV): a flow's chunk is its weight times its group's granularity (2), messages are cut
 * at the chunk, or combined until it is met, and flows that are marked urgent have a queue of their own that is served
 * first.
 *
 * <p>With {@link Discipline#PALOS_AS_PRINTED} queue pairs cut and combine messages to exactly the chunk (step 5), which
 * is of payload. With {@link Discipline#PALOS_ON_WHOLE_PACKETS} they send packets as they are: a chunk ends with the
 * packet that meets it, headers are charged, and what a visit sends beyond the chunk is not carried over. Datagrams and
 * unreliable connections, which have no slices, do so in either.
 *
 * <p>The sums of weights are of all flows and groups, idle or not: what that costs is one reason why {@link
 * Discipline#CHUNKS} does otherwise. A flow that a full output stopped goes on with the rest of its chunk.
 */
public final class PalosAsPrinted extends FlowTurns {
    private final ShareList<Place> urgent = new ShareList<>();
    private final ShareList<Place> bulk = new ShareList<>();
    private final int chunkTotal;

    // The group table: by index of a group.
    private final int[] groupWeights;
    private final long[] flowWeights;
    private final int[] flows;

    private long sumOfGroups;
    private int allFlows;

    /** Creates an empty schedule. */
    public PalosAsPrinted(ArbiterSettings settings, int engine) {
        super(settings, engine);
        this.chunkTotal = settings.chunkTotal();
        this.groupWeights = new int[settings.maxGroups()];
        this.flowWeights = new long[settings.maxGroups()];
        this.flows = new int[settings.maxGroups()];
    }

    /** Bytes of a flow's chunk (2), at least 1. */
    long chunk(Flow flow) {
        int group = flow.group().index();
        long total = chunkTotal > 0 ? chunkTotal : (long) allFlows * ArbiterSettings.MTU;
        return Math.max(
                1, Place.of(flow).countedWeight * groupWeights[group] * total / (sumOfGroups * flowWeights[group]));
    }

    @Override
    ShareList<Place> queue(Flow flow) {
        return flow.trafficClass() == TrafficClass.URGENT ? urgent : bulk;
    }

    @Override
    Place choose() {
        Place place = urgent.isEmpty() ? bulk.first() : urgent.first();
        if (place == null) {
            throw new IllegalStateException("no flow waits");
        }
        return place;
    }

    @Override
    void grant(Place place) {
        Flow flow = place.flow;
        if (!place.goesOn) {
            place.left = chunk(flow);
            flow.statistics().chunk();
        }
        place.goesOn = false;
        flow.grant((int) Math.min(place.left, Integer.MAX_VALUE));
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        super.charge(flow, bytes, operations, nanos);
        Place place = Place.of(flow);
        place.left -= flow.paid(bytes);
        place.goesOn = place.left > 0; // if it has more to send: a window was short
    }

    @Override
    boolean keepsTurn(Place place) {
        return place.goesOn;
    }

    @Override
    void joined(Place place) {
        Flow flow = place.flow;
        int group = flow.group().index();
        place.countedWeight = flow.weight();
        flowWeights[group] += place.countedWeight;
        allFlows++;
        if (flows[group]++ == 0) {
            groupWeights[group] = flow.group().weight();
            sumOfGroups += groupWeights[group];
        }
    }

    @Override
    void left(Place place) {
        int group = place.flow.group().index();
        flowWeights[group] -= place.countedWeight;
        allFlows--;
        if (--flows[group] == 0) {
            sumOfGroups -= groupWeights[group];
            groupWeights[group] = 0;
        }
    }

    @Override
    public void changed(FlowGroup group) {
        int index = group.index();
        if (flows[index] > 0) {
            int weight = group.weight(); // once: it may be set again meanwhile
            sumOfGroups += weight - groupWeights[index];
            groupWeights[index] = weight;
        }
    }

    @Override
    public void changed(Flow flow, int oldWeight, int newWeight, TrafficClass newClass) {
        if (!(flow.place() instanceof Place place) || !place.attached) {
            return;
        }
        flowWeights[flow.group().index()] += newWeight - place.countedWeight;
        place.countedWeight = newWeight;
        boolean waits = place.isIn(urgent) || place.isIn(bulk);
        if (waits && !place.isIn(queue(flow))) {
            remove(place);
            active(flow);
        }
    }
}

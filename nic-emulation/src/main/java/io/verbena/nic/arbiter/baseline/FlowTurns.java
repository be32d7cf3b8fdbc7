package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.arbiter.Share;
import io.verbena.nic.arbiter.ShareList;
import io.verbena.nic.arbiter.TrafficClass;
import org.jspecify.annotations.Nullable;

/**
 * What the disciplines have in common that others are compared with: flows wait in queues, in the order in which they
 * got work, and those behind a full output are passed over.
 *
 * <p>A flow behind a full output is taken out of its queue when it is met there, and put back at the head when the
 * output has room. While no flow could be served none is looked at.
 */
abstract class FlowTurns implements Arbiter {
    private final int aloneBudget;
    private final int engine;
    private int scheduled; // flows that have work
    private int ready; // of them, not behind a full output

    FlowTurns(ArbiterSettings settings, int engine) {
        this.aloneBudget = settings.aloneBudget();
        this.engine = engine;
    }

    /** The queue in which a flow waits. */
    abstract ShareList<Place> queue(Flow flow);

    /** The head of the queue whose turn it is, where it stays; there is one. */
    abstract Place choose();

    /** Sets the budget of a flow that is served now. */
    abstract void grant(Place place);

    /** A flow has a place: it was attached. */
    void joined(Place place) {
        // To most all flows are equal.
    }

    /** A flow has none any more. */
    void left(Place place) {
        // To most all flows are equal.
    }

    /** A flow stands in its queue now: at the end, or at the head because a full output has kept it from its turn. */
    void placed(Flow flow, boolean first) {
        // Most have no list of queues.
    }

    /** Whether a flow that has more to send, or has work again, stands at the head of its queue. */
    boolean keepsTurn(Place place) {
        return false;
    }

    /** Whether anybody has work besides the flow that is granted a visit. */
    final boolean othersWait() {
        return scheduled > 0;
    }

    @Override
    public void attach(Flow flow, @Nullable OutputQueue output) {
        Share known = flow.place();
        Place place = known == null ? new Place(flow) : (Place) known;
        if (!place.attached) {
            flow.place(place);
            place.attached = true;
            flow.output(output);
            joined(place);
        } else if (flow.output() != output) {
            boolean had = place.isListed();
            remove(place);
            flow.output(output);
            if (had) {
                enter(place, false);
                counted(place);
            }
        }
    }

    @Override
    public void detach(Flow flow) {
        Share known = flow.place();
        if (known instanceof Place place && place.attached) {
            remove(place);
            place.attached = false;
            left(place);
            flow.output(null);
            place.left = 0;
            place.goesOn = false;
        }
    }

    @Override
    public void active(Flow flow) {
        Place place = Place.of(flow);
        if (!place.isListed()) {
            enter(place, keepsTurn(place));
            counted(place);
        }
    }

    @Override
    public void idle(Flow flow) {
        Place.of(flow).goesOn = false;
    }

    @Override
    public void blocked(Flow flow) {
        Place.of(flow).goesOn = false;
    }

    @Override
    public void full(Flow flow) {
        Place place = Place.of(flow);
        OutputQueue output = place.flow.output();
        if (output == null) {
            throw new IllegalStateException("a flow without an output has met a full one");
        }
        if (!output.isFull()) {
            output.full(true);
            ready -= Place.Backlog.of(output).waiting;
        }
        if (!place.isListed()) {
            enter(place, true);
            counted(place);
        }
    }

    @Override
    public void room(OutputQueue output) {
        if (output.isFull()) {
            output.full(false);
            Place.Backlog backlog = Place.Backlog.of(output);
            ready += backlog.waiting;
            for (Place place = backlog.stalled.last(); place != null; place = backlog.stalled.last()) {
                place.leave();
                enter(place, true);
            }
        }
    }

    private void enter(Place place, boolean first) {
        place.enter(queue(place.flow), first);
        placed(place.flow, first);
    }

    private void counted(Place place) {
        scheduled++;
        OutputQueue output = place.flow.output();
        if (output == null || !output.isFull()) {
            ready++;
        }
        if (output != null) {
            Place.Backlog.of(output).waiting++;
        }
    }

    /** Takes a flow out of where it waits, if it does. */
    final void remove(Place place) {
        if (!place.leave()) {
            return;
        }
        scheduled--;
        OutputQueue output = place.flow.output();
        if (output == null || !output.isFull()) {
            ready--;
        }
        if (output != null) {
            Place.Backlog.of(output).waiting--;
        }
    }

    @Override
    public @Nullable Flow next() {
        while (ready > 0) {
            Place place = choose();
            OutputQueue output = place.flow.output();
            if (output != null && output.isFull()) {
                place.leave();
                place.enter(Place.Backlog.of(output).stalled, false);
            } else {
                remove(place);
                grant(place);
                return place.flow;
            }
        }
        return null;
    }

    @Override
    public boolean nextAlone(Flow flow) {
        Place place = Place.of(flow);
        if (scheduled > 0 || place.isBehindFullOutput()) {
            return false;
        }
        grant(place);
        if (flow.output() == null) {
            flow.grant(aloneBudget); // nothing is cut into packets there
        }
        return true;
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        flow.statistics().visit(bytes, operations);
        flow.group().statistics().part(engine).visit(bytes, operations);
    }

    @Override
    public boolean hasActive() {
        return ready > 0;
    }

    @Override
    public void changed(FlowGroup group) {
        // Weights are not looked at.
    }

    @Override
    public void changed(Flow flow, int oldWeight, int newWeight, TrafficClass newClass) {
        // Weights and classes are not looked at.
    }

    @Override
    public long nextDeadlineNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public void expire(long nowNanos) {
        // Nothing waits for a time.
    }
}

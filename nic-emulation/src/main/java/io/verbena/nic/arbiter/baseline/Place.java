package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.arbiter.Share;
import io.verbena.nic.arbiter.ShareList;
import org.jspecify.annotations.Nullable;

/** A flow's place in the queues of a discipline, and what that keeps of it. */
final class Place extends Share {
    /** What a discipline keeps of an output. */
    static final class Backlog {
        final ShareList<Place> stalled = new ShareList<>(); // found behind the full output, as they stood
        int waiting; // flows that have work

        /** The one of an output. */
        static Backlog of(OutputQueue output) {
            Object known = output.attachment();
            if (known == null) {
                known = new Backlog();
                output.attachment(known);
            }
            return (Backlog) known;
        }
    }

    final Flow flow;
    boolean attached;
    boolean goesOn; // what is left of its last visit is its own; or, of a chunk, it is under way
    long left; // bytes that it may send yet, or owes below zero
    long lastPacket; // bytes
    long countedWeight; // in the sums of weights

    private @Nullable ShareList<Place> list;

    Place(Flow flow) {
        this.flow = flow;
    }

    /** The place of a flow that was attached before. */
    static Place of(Flow flow) {
        Share place = flow.place();
        if (place == null) {
            throw new IllegalStateException("the flow was never attached");
        }
        return (Place) place;
    }

    /** Puts it, which stands nowhere, into a queue. */
    void enter(ShareList<Place> queue, boolean first) {
        list = queue;
        if (first) {
            queue.addFirst(this);
        } else {
            queue.addLast(this);
        }
    }

    /** Takes it out of where it stands; false if it stood nowhere. */
    boolean leave() {
        ShareList<Place> queue = list;
        list = null;
        if (queue == null) {
            return false;
        }
        queue.remove(this);
        return true;
    }

    boolean isBehindFullOutput() {
        OutputQueue output = flow.output();
        return output != null && output.isFull();
    }
}

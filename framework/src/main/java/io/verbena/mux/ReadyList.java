package io.verbena.mux;

import io.verbena.nic.wire.AppendEthFlyweight;
import java.lang.invoke.VarHandle;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Paths that have something to send and that the engine does not know of yet, those that came first in front.
 *
 * <pre>
 *   poster:  publish request ─ fence ─ is the path here? ── no ──▶ add it
 *   engine:  take paths ─ fence ─ look at each until it is empty
 * </pre>
 *
 * <p>So one of both sees it: the poster that its path was taken, or the engine that it is not empty. Paths are numbered
 * as they come, and one number says for all of them which were taken. The engine writes nothing to a path: it would
 * take a cache line from the poster's processor with each, and who sends on ten thousand channels in turn has as many
 * lines. A poster that knows its path's number to be an old one does not even look.
 *
 * <p>Concurrency: any thread adds, without a lock; one at a time takes, under the engine's baton. One that is stopped
 * while it adds holds up those that were added behind it, until it goes on. Allocates nothing.
 */
final class ReadyList extends ReadyListLine.Behind {
    /** Entries that there may be: two of each path of a queue pair, since a poster may be wrong about one. */
    static final int CAPACITY = 2 * (AppendEthFlyweight.MAX_STREAM + 1);

    /** What can be in a list. */
    abstract static class Entry {
        private long number = -1; // the place that it got last, or an earlier one; by who publishes

        Entry() {}
    }

    private final MpscVarHandleArrayQueue<Entry> entries = new MpscVarHandleArrayQueue<>(CAPACITY);

    /** Creates an empty list. */
    ReadyList() {}

    /** Adds a path of which something was published, unless it is here. */
    void add(Entry entry) {
        long last = entry.number;
        if (last >= (long) TAKEN.getOpaque(this)) {
            VarHandle.fullFence();
            long taken = entries.currentConsumerIndex();
            TAKEN.setOpaque(this, taken);
            if (last >= taken) {
                return;
            }
        }
        // The one that it gets, or one before if others come first: it is here until that is taken, and may be here
        // a little longer. Then it is added once more, which harms nobody.
        long number = entries.currentProducerIndex();
        if (!entries.offer(entry)) {
            throw new IllegalStateException("more than " + CAPACITY + " entries of paths that are ready");
        }
        entry.number = number;
    }

    /** Entries that there are now, those included that are just being added. */
    int size() {
        return entries.size();
    }

    /**
     * Takes the first, which the engine looks at after a full fence.
     *
     * @return null if there is none, or if it is just being added: then its poster rings the doorbell afterwards
     */
    @Nullable
    Entry take() {
        return entries.relaxedPoll();
    }
}

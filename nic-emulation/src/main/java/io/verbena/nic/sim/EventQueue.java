package io.verbena.nic.sim;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A binary heap of events by time, then by order of scheduling. */
final class EventQueue {
    private @Nullable SimEvent[] heap = new SimEvent[64];
    private int size;
    private long nextSequence;

    int size() {
        return size;
    }

    /** When the next event is due, or {@link Actor#NO_DEADLINE}. */
    long nextNanos() {
        SimEvent first = heap[0];
        return first == null ? Actor.NO_DEADLINE : first.atNanos;
    }

    void add(SimEvent event, long atNanos) {
        event.atNanos = atNanos;
        event.sequence = nextSequence++;
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        int at = size++;
        while (at > 0) {
            int up = (at - 1) >>> 1;
            SimEvent parent = at(up);
            if (parent.isBefore(event)) {
                break;
            }
            heap[at] = parent;
            at = up;
        }
        heap[at] = event;
    }

    /** Removes the next event if it is due. */
    @Nullable
    SimEvent pollDue(long nowNanos) {
        SimEvent first = heap[0];
        if (first == null || first.atNanos > nowNanos) {
            return null;
        }
        SimEvent last = at(--size);
        heap[size] = null;
        if (size > 0) {
            int at = 0;
            for (int down = 1; down < size; down = 2 * at + 1) {
                if (down + 1 < size && at(down + 1).isBefore(at(down))) {
                    down++;
                }
                if (!at(down).isBefore(last)) {
                    break;
                }
                heap[at] = heap[down];
                at = down;
            }
            heap[at] = last;
        }
        return first;
    }

    private SimEvent at(int index) {
        SimEvent event = heap[index];
        if (event == null) {
            throw new IllegalStateException("no event at " + index + " of " + size);
        }
        return event;
    }
}

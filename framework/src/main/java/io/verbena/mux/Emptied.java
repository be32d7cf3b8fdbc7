package io.verbena.mux;

import org.jspecify.annotations.Nullable;

/**
 * The egress queues that were emptied last: they stand in no round and are listed still, and each fill looks at them.
 * So a poster that is hardly ahead of the engine lists its path once and not with every few messages, which has some
 * cache lines cross between two processors. Nothing is lost meanwhile: a poster rings the doorbell after what it
 * publishes, whether or not its path is listed.
 *
 * <p>Under the engine's baton.
 */
final class Emptied {
    /** Queues that are kept. */
    static final int MOST = 8;

    private final @Nullable EgressQueue[] queues = new EgressQueue[MOST];
    private int size;

    Emptied() {}

    /**
     * A queue was emptied.
     *
     * @return the one that was emptied first, if there is no room for both: it is kept no longer
     */
    @Nullable
    EgressQueue add(EgressQueue queue) {
        EgressQueue first = null;
        if (size == MOST) {
            first = queues[0];
            removeAt(0);
        }
        queues[size++] = queue;
        return first;
    }

    /** Takes one out that has something to send again; null if none has. */
    @Nullable
    EgressQueue next() {
        for (int i = 0; i < size; i++) {
            EgressQueue queue = queues[i]; // never null below the size
            if (queue != null && queue.hasNext()) {
                removeAt(i);
                return queue;
            }
        }
        return null;
    }

    /** Takes a queue out. @return whether it was there */
    boolean remove(EgressQueue queue) {
        for (int i = 0; i < size; i++) {
            if (queues[i] == queue) {
                removeAt(i);
                return true;
            }
        }
        return false;
    }

    private void removeAt(int index) {
        System.arraycopy(queues, index + 1, queues, index, --size - index);
        queues[size] = null;
    }
}

package io.verbena.fabric.shm;

import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Segments of a peer, remembered by id after the first look: as many as the peer has, however high their ids are by
 * now.
 *
 * <pre>
 *   table (copied on write)    ids     [ 7 │ 0 │ 1034 │ ... ]    open addressing, twice as many places as segments
 *                              buffers [ b │ - │  b   │ ... ]    null is a free place
 * </pre>
 *
 * <p>Concurrency: changed under the baton of the engine that owns the link, where {@link #find} allocates only when it
 * meets an id for the first time. {@link #ids} is for any thread.
 */
final class SegmentCache {
    private static final int MIN = 16;

    private final IntFunction<@Nullable AtomicBuffer> source;
    private final IntPredicate isGone;
    private volatile Table table = new Table(MIN);

    /**
     * Creates a cache that knows nothing yet.
     *
     * @param source of the memory of an id, or of null if there is none
     * @param isGone asked of each known id when a new one comes; what is gone is forgotten then
     */
    SegmentCache(IntFunction<@Nullable AtomicBuffer> source, IntPredicate isGone) {
        this.source = source;
        this.isGone = isGone;
    }

    @Nullable
    AtomicBuffer find(int id) {
        AtomicBuffer known = table.find(id);
        return known != null ? known : load(id);
    }

    private @Nullable AtomicBuffer load(int id) {
        AtomicBuffer segment = id < 0 ? null : source.apply(id);
        if (segment != null) {
            Table next = new Table(BitUtil.findNextPositivePowerOfTwo(2 * (table.count + 1)));
            next.addAll(table, isGone);
            next.add(id, segment);
            table = next;
        }
        return segment;
    }

    /** The memory of an id if it is known. */
    @Nullable
    AtomicBuffer known(int id) {
        return table.find(id);
    }

    /** Forgets an id. */
    void forget(int id) {
        Table next = new Table(table.places());
        next.addAll(table, each -> each == id);
        table = next;
    }

    /** The ids that are known now. */
    int[] ids() {
        Table now = table;
        int[] ids = new int[now.count];
        int n = 0;
        for (int i = 0; i < now.places(); i++) {
            if (now.buffers[i] != null) {
                ids[n++] = now.ids[i];
            }
        }
        return ids;
    }

    /** Never changed once it is published. */
    private static final class Table {
        final int[] ids;
        final @Nullable AtomicBuffer[] buffers;
        int count;

        Table(int places) {
            int length = Math.max(MIN, places);
            ids = new int[length];
            buffers = new AtomicBuffer[length];
        }

        int places() {
            return ids.length;
        }

        private int place(int id) {
            int mask = ids.length - 1;
            int at = id & mask; // ids follow each other
            while (buffers[at] != null && ids[at] != id) {
                at = (at + 1) & mask;
            }
            return at;
        }

        @Nullable
        AtomicBuffer find(int id) {
            return buffers[place(id)];
        }

        void add(int id, AtomicBuffer segment) {
            int at = place(id);
            ids[at] = id;
            buffers[at] = segment;
            count++;
        }

        void addAll(Table other, IntPredicate but) {
            for (int i = 0; i < other.places(); i++) {
                AtomicBuffer segment = other.buffers[i];
                if (segment != null && !but.test(other.ids[i])) {
                    add(other.ids[i], segment);
                }
            }
        }
    }
}

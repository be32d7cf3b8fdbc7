package io.verbena.fabric.shm;

import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Segments of a peer, remembered by id after the first look. Holding the buffer keeps its mapping alive.
 *
 * <p>Concurrency: {@link #find} under the baton of the engine that owns the link; it is on the data path and allocates
 * only when it meets an id for the first time. {@link #forgetIf} by one other thread: it may miss an entry while the
 * array grows, and finds it the next time.
 */
final class SegmentCache {
    /** Ids at or above this are looked up each time, so that a wild id costs no memory. */
    private static final int MAX_REMEMBERED = 1 << 16;

    private final IntFunction<@Nullable AtomicBuffer> source;
    private volatile @Nullable AtomicBuffer[] segments = new AtomicBuffer[16];

    SegmentCache(IntFunction<@Nullable AtomicBuffer> source) {
        this.source = source;
    }

    @Nullable
    AtomicBuffer find(int id) {
        @Nullable AtomicBuffer[] known = segments;
        if (id >= 0 && id < known.length) {
            AtomicBuffer segment = known[id];
            if (segment != null) {
                return segment;
            }
        }
        return id < 0 ? null : load(id);
    }

    private @Nullable AtomicBuffer load(int id) {
        AtomicBuffer segment = source.apply(id);
        if (segment != null && id < MAX_REMEMBERED) {
            @Nullable AtomicBuffer[] known = segments;
            if (id >= known.length) {
                known = Arrays.copyOf(known, Math.max(id + 1, known.length * 2));
                segments = known;
            }
            known[id] = segment;
        }
        return segment;
    }

    void forgetIf(IntPredicate gone) {
        @Nullable AtomicBuffer[] known = segments;
        for (int id = 0; id < known.length; id++) {
            if (known[id] != null && gone.test(id)) {
                known[id] = null;
            }
        }
    }
}

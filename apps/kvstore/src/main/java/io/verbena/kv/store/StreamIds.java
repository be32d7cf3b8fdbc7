package io.verbena.kv.store;

/**
 * The ids of a shard's streams: none is given twice, so that an id that outlives its channel names nothing on the next
 * one.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class StreamIds {
    private long next = 1;

    /** The id that comes next. */
    long next() {
        return next;
    }

    long take() {
        return next++;
    }
}

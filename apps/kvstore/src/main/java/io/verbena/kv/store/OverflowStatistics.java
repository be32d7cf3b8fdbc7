package io.verbena.kv.store;

/**
 * What a shard has moved to its {@link OverflowMemory}. A snapshot.
 *
 * @param values values that are there now
 * @param bytes of these values, as they lie there
 * @param capacity bytes that there is room for, with rounding
 * @param movedOut values that were moved there
 * @param movedIn values that were moved back because they were asked for
 * @param failures requests that failed because a value was lost, or did not come in time
 */
public record OverflowStatistics(long values, long bytes, long capacity, long movedOut, long movedIn, long failures) {
    /** Of a shard without such memory. */
    public static final OverflowStatistics NONE = new OverflowStatistics(0, 0, 0, 0, 0, 0);

    /** The sum of two shards. */
    public OverflowStatistics plus(OverflowStatistics other) {
        return new OverflowStatistics(
                values + other.values,
                bytes + other.bytes,
                capacity + other.capacity,
                movedOut + other.movedOut,
                movedIn + other.movedIn,
                failures + other.failures);
    }
}

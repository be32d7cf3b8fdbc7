package io.verbena;

/**
 * What the operations of all merging regions of a tenant were and cost ({@link RegionOptions#merge}), those of regions
 * that have been closed as well: its counts never fall. A snapshot; its counts may be of slightly different times.
 *
 * @param operations that were accepted
 * @param workRequests posted to queue pairs for them
 * @param doorbells rung for these
 * @param merged operations that shared a work request with others
 * @param chained work requests that shared a doorbell with an earlier one
 * @param waited operations that had to wait because the window was full
 * @param refused calls that were told {@link SendResult#BACK_PRESSURED} because too many operations had not ended
 * @param bytesInFlight bytes of operations under way now, to all nodes
 * @param window bytes that may be under way, of each node the widest window of the regions that lead there, added up;
 *     {@link Long#MAX_VALUE} if it is more
 */
public record MergingStatistics(
        long operations,
        long workRequests,
        long doorbells,
        long merged,
        long chained,
        long waited,
        long refused,
        long bytesInFlight,
        long window) {
    /** Whether nothing was ever done, nor asked for. */
    public boolean isIdle() {
        return operations == 0 && refused == 0;
    }
}

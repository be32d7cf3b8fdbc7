package io.verbena;

/**
 * What the operations of a {@link RemoteRegion} were and cost since it was attached. With {@link Merging#OFF} each is a
 * request with a doorbell of its own, nothing waits, and refusals are not counted. A snapshot; its counts may be of
 * slightly different times.
 *
 * @param operations that were accepted; with {@link Merging#OFF} those that were posted
 * @param workRequests posted to the queue pair for them
 * @param doorbells rung for these
 * @param merged operations that shared a work request with others
 * @param chained work requests that shared a doorbell with an earlier one
 * @param waited operations that had to wait because the window was full
 * @param refused calls that were told {@link SendResult#BACK_PRESSURED} because too many operations had not ended,
 *     under way or waiting for the window: there was no room for more in the region's buffer or list
 * @param bytesInFlight bytes of operations under way now, of all regions that share the window: those of the tenant
 *     that lead to the same node
 * @param window bytes that may be under way; 0: there is no window
 * @param registered operations whose bytes went to or from the application's buffer without a copy, see
 *     {@link BufferPolicy}
 */
public record RegionStatistics(
        long operations,
        long workRequests,
        long doorbells,
        long merged,
        long chained,
        long waited,
        long refused,
        long bytesInFlight,
        long window,
        long registered) {
    /** The sum with those of another region to the same node, with which it shares what is under way and the window. */
    public RegionStatistics plus(RegionStatistics other) {
        return new RegionStatistics(
                operations + other.operations,
                workRequests + other.workRequests,
                doorbells + other.doorbells,
                merged + other.merged,
                chained + other.chained,
                waited + other.waited,
                refused + other.refused,
                bytesInFlight,
                Math.max(window, other.window),
                registered + other.registered);
    }

    /** The same with another number of {@link #registered} operations. */
    public RegionStatistics withRegistered(long operations) {
        return new RegionStatistics(
                this.operations,
                workRequests,
                doorbells,
                merged,
                chained,
                waited,
                refused,
                bytesInFlight,
                window,
                operations);
    }
}

package io.verbena.papers.etc;

import io.verbena.bench.Latency;
import java.util.List;

/**
 * What a run of one scheme came to.
 *
 * @param scheme its name as an option
 * @param label its name in tables
 * @param sent messages that the receiver has acknowledged; of senders that were killed, as far as they knew
 * @param unsent messages that were due when the time was over, and were not sent: the rate was missed
 * @param received messages that came
 * @param lost messages that did not come whole
 * @param duplicated messages that came again
 * @param torn what came and was no message
 * @param reordered messages that came after a later one of the same sender and queue pair
 * @param wantedRate messages a second that were scheduled
 * @param rate messages a second that came
 * @param calm latencies from the scheduled time, outside of stalls; the first 1/20 of the run is left out
 * @param stalled the same of messages scheduled in a stall, or within as long after it, or while a kill was in their
 *     way
 * @param notReady times that a sender was told to wait
 * @param held most bytes that the receiver held
 * @param kills what came of processes of senders that were killed
 * @param stalls what each stall did to memory
 * @param curve resident memory over the run
 */
record SchemeReport(
        String scheme,
        String label,
        long sent,
        long unsent,
        long received,
        long lost,
        long duplicated,
        long torn,
        long reordered,
        double wantedRate,
        double rate,
        Latency calm,
        Latency stalled,
        long notReady,
        long held,
        Kills kills,
        List<ResidentCurve.Stall> stalls,
        List<ResidentCurve.Sample> curve) {
    private static final double TOLERANCE = 0.01;

    /**
     * Processes of senders that were killed.
     *
     * @param count how many
     * @param holes messages that they began and did not end: padding in their places
     * @param longestNanos longest time from a death until the consumer had a message that was scheduled after it
     * @param inTime whether none of these was longer than it may be
     */
    record Kills(int count, long holes, long longestNanos, boolean inTime) {}

    boolean isSound() {
        return kills.inTime() && lost == 0 && duplicated == 0 && torn == 0 && reordered == 0;
    }

    boolean hasMissedRate() {
        return unsent > TOLERANCE * (sent + unsent);
    }
}

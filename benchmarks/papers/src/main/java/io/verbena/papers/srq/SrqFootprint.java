package io.verbena.papers.srq;

import io.verbena.papers.workload.SizeDistribution;

/**
 * The footprint of receive queues by Little's law (RIMA 3.2.1, Table 4). A shared receive queue takes messages of a
 * class of sizes, each into a buffer of the largest: its reserve must hold what comes while memory is allocated, in the
 * worst case messages of the class' smallest size at the rate of that size; its active part the messages that wait. An
 * append queue needs the bytes that come, whatever their sizes.
 *
 * <pre>
 *   class (lo, hi]:  reserve = rate(lo + 1) x L x hi     active = N x P(lo &lt; S &lt;= hi) x hi
 *   append queue:    reserve = line rate x L              active = N x E[S]
 * </pre>
 */
public final class SrqFootprint {
    private SrqFootprint() {}

    /**
     * Of one shared receive queue for each class of sizes.
     *
     * @param link at worst
     * @param sizes of the messages
     * @param messagesInQueue N, messages that wait: arrival rate times service time
     * @param classes of the queues
     */
    public static ReceiverMemory of(LinkModel link, SizeDistribution sizes, long messagesInQueue, SizeClasses classes) {
        ReceiverMemory sum = new ReceiverMemory(0, 0, 0);
        for (int i = 0; i < classes.count(); i++) {
            sum = sum.plus(ofClass(link, sizes, messagesInQueue, classes.above(i), classes.limit(i)));
        }
        return sum;
    }

    /** Of one queue, for sizes above one and up to another. */
    static ReceiverMemory ofClass(
            LinkModel link, SizeDistribution sizes, long messagesInQueue, long above, long limit) {
        double share = sizes.cdf(limit) - (above == 0 ? 0 : sizes.cdf(above)); // messages of no bytes take a buffer too
        return new ReceiverMemory(
                1, link.rate(above + 1) * link.allocationSeconds() * limit, messagesInQueue * share * limit);
    }

    /**
     * Of one append queue.
     *
     * @param link at worst
     * @param sizes of the messages
     * @param messagesInQueue N, messages that wait
     */
    public static ReceiverMemory rima(LinkModel link, SizeDistribution sizes, long messagesInQueue) {
        return new ReceiverMemory(1, link.bytesPerSecond() * link.allocationSeconds(), messagesInQueue * sizes.mean());
    }
}

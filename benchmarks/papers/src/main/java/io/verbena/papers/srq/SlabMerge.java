package io.verbena.papers.srq;

import io.verbena.papers.workload.SizeDistribution;

/**
 * Puts adjacent slab classes together as a person would who balances the queues (RIMA 5.1.2): so that the largest queue
 * is as small as can be. {@link SizeClassOptimizer} asks for the least of all queues together instead.
 */
public final class SlabMerge {
    private SlabMerge() {}

    /**
     * So many classes of which the largest queue is least.
     *
     * @param link at worst
     * @param sizes of the messages
     * @param messagesInQueue N, messages that wait
     * @param candidates whose adjacent classes may be put together
     * @param count of classes, 1 to as many as there are candidates
     */
    public static SizeClasses balanced(
            LinkModel link, SizeDistribution sizes, long messagesInQueue, SizeClasses candidates, int count) {
        return SizeClassOptimizer.merge(link, sizes, messagesInQueue, candidates, count, Math::max);
    }
}

package io.verbena.nic.append;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one peer may have in a queue that is full for several, which its groups share by their weights: each
 * {@link DynamicThreshold} is the group's part of the peer's. So groups of one sender are served by weight where the
 * queue is what is short, and a peer gets no more by having many of them.
 *
 * <p>Concurrency: as the queue's appender. Allocates nothing once it knows the peer's groups.
 */
public final class PeerShare {
    /** Groups that are told apart; those with higher numbers count as one. */
    static final int MAX_GROUPS = 256;

    private @Nullable DynamicThreshold[] groups = new @Nullable DynamicThreshold[1];

    /** Creates the share of a peer of which nothing is known yet. */
    public PeerShare() {}

    /**
     * The part of one of the peer's groups.
     *
     * @param group its number at the peer, at least 0
     * @param weight that it has now; 0 counts as 1
     */
    public DynamicThreshold of(int group, int weight) {
        int number = Math.min(group, MAX_GROUPS - 1);
        if (number >= groups.length) {
            groups = Arrays.copyOf(groups, number + 1);
        }
        DynamicThreshold part = groups[number];
        if (part == null) {
            part = new DynamicThreshold(this);
            groups[number] = part;
        }
        part.weight(Math.max(1, weight));
        return part;
    }

    /** The weights together of the groups that have asked for room since this many bytes were taken from the queue. */
    long weights(int queueKey, long head, int chunkLength, long bytes) {
        long sum = 0;
        for (DynamicThreshold part : groups) {
            if (part != null && part.hasAsked(queueKey, head, chunkLength, bytes)) {
                sum += part.weight();
            }
        }
        return sum;
    }
}

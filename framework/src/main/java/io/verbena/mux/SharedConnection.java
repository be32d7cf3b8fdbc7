package io.verbena.mux;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.collections.Object2IntCounterMap;
import org.jspecify.annotations.Nullable;

/**
 * A tenant's channels to one peer, and the queue pairs that they share.
 *
 * <p>Under the lock of whoever makes and ends channels.
 */
public final class SharedConnection {
    /** Channels on a queue pair from which on another one is made, as long as there may be more. */
    private static final int MANY = 64;

    private final boolean several;
    private final List<SharedQueuePair> queuePairs = new ArrayList<>();
    private int channels;
    private final Object2IntCounterMap<String> byInbox = new Object2IntCounterMap<>(0);
    private final Set<String> apart = new HashSet<>();
    private boolean refused;

    /**
     * Creates it, without channels.
     *
     * @param several whether to all inboxes of the peer, or to one that does not share with the others
     */
    public SharedConnection(boolean several) {
        this.several = several;
    }

    /** A channel to an inbox is added, whether or not it shares. */
    public void enter(String inbox) {
        channels++;
        byInbox.incrementAndGet(inbox);
    }

    /** A channel to an inbox is gone. @return whether it was the last */
    public boolean leave(String inbox) {
        byInbox.decrementAndGet(inbox);
        return --channels == 0;
    }

    /** Channels that it has, but for those that cannot share with the others. */
    public int channels() {
        int sharing = channels;
        for (String inbox : apart) {
            sharing -= byInbox.get(inbox);
        }
        return sharing;
    }

    /**
     * The peer does not want to share: none does from here on.
     *
     * @param inbox to which none does, and those to others do; null for all
     */
    public void refuse(@Nullable String inbox) {
        if (inbox != null && several) {
            apart.add(inbox);
        } else {
            refused = true;
        }
    }

    /** Whether channels to an inbox share among themselves at most. */
    public boolean isApart(String inbox) {
        return apart.contains(inbox);
    }

    /** Whether the peer does not want to share. */
    public boolean isRefused() {
        return refused;
    }

    /**
     * The queue pair for another channel.
     *
     * @param most queue pairs that there may be
     * @param known whether its peer must be known already
     * @return null if one is to be made
     */
    public @Nullable SharedQueuePair choose(int most, boolean known) {
        queuePairs.removeIf(pair -> !pair.hasRoom());
        SharedQueuePair best = null;
        for (SharedQueuePair pair : queuePairs) {
            if ((!known || pair.peerQp() != 0) && (best == null || pair.members() < best.members())) {
                best = pair;
            }
        }
        return best != null && best.members() >= MANY && queuePairs.size() < most ? null : best;
    }

    /** Adds a queue pair that was made. */
    public void add(SharedQueuePair pair) {
        queuePairs.add(pair);
    }
}

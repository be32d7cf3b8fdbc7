package io.verbena.connection;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2LongHashMap;

/** Peers whose links are gone, and how long they are waited for. Under the lock of {@link Connections}. */
final class LostPeers {
    private final Long2LongHashMap deadlines = new Long2LongHashMap(Long.MIN_VALUE);

    /** A peer's last link is gone. */
    void lost(long peerNic, long deadline) {
        deadlines.put(peerNic, deadline);
    }

    /** A peer has a link again. */
    void found(long peerNic) {
        deadlines.remove(peerNic);
    }

    boolean isEmpty() {
        return deadlines.isEmpty();
    }

    /** Forgets those that were waited for long enough. @return them */
    List<Long> giveUp(long now) {
        List<Long> gone = new ArrayList<>();
        deadlines.forEach((peer, deadline) -> {
            if (now - deadline >= 0) {
                gone.add(peer);
            }
        });
        gone.forEach(deadlines::remove);
        return gone;
    }
}

package io.verbena;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A node's channels by the number of their queue pair: a flat array, so that a message's sender is found without a map.
 *
 * <p>Written under the lock of {@link Connections}; {@link #find} is for any thread. A slot keeps its channel until the
 * queue pair's slot is used again, so that messages which are read after their channel was closed still name it.
 */
final class Channels {
    private final AtomicReferenceArray<@Nullable Channel> slots;
    private final int mask;

    Channels(int maxQueuePairs) {
        slots = new AtomicReferenceArray<>(maxQueuePairs);
        mask = maxQueuePairs - 1;
    }

    void put(Channel channel) {
        slots.setRelease(channel.queuePairNumber() & mask, channel);
    }

    @Nullable
    Channel find(int queuePair) {
        Channel channel = slots.getAcquire(queuePair & mask);
        return channel != null && channel.queuePairNumber() == queuePair ? channel : null;
    }
}

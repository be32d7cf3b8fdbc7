package io.verbena;

import io.verbena.connection.Connections;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A node's channels by the number of their queue pair: a flat array, so that a message's sender is found without a map.
 *
 * <p>Written under the lock of {@link Connections}; {@link #find} is for any thread. A slot keeps its channel until the
 * queue pair's slot is used again, so that messages which are read after their channel was closed still name it. Of those whose
 * queue pairs are gone the last {@value #RECENT} are kept, and others for as long as somebody else keeps them: each has tens of
 * kilobytes.
 */
final class Channels {
    private static final int RECENT = 8;

    /** A channel, or the weak reference to one. */
    private final AtomicReferenceArray<@Nullable Object> slots;

    private final ArrayDeque<Channel> recent = new ArrayDeque<>();
    private final ReferenceQueue<Channel> collected = new ReferenceQueue<>();
    private final int mask;

    Channels(int maxQueuePairs) {
        slots = new AtomicReferenceArray<>(maxQueuePairs);
        mask = maxQueuePairs - 1;
    }

    void put(Channel channel) {
        slots.setRelease(channel.queuePairNumber() & mask, channel);
    }

    /** A channel's queue pair is gone. */
    void retire(Channel channel) {
        recent.add(channel);
        if (recent.size() > RECENT) {
            Channel old = recent.remove();
            int slot = old.queuePairNumber() & mask;
            slots.compareAndSet(slot, old, new Retired(old, slot, collected));
        }
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            slots.compareAndSet(((Retired) gone).slot, gone, null);
        }
    }

    @Nullable
    Channel find(int queuePair) {
        Object kept = slots.getAcquire(queuePair & mask);
        Channel channel = kept instanceof Channel c ? c : retired(kept);
        return channel != null && channel.queuePairNumber() == queuePair ? channel : null;
    }

    private static @Nullable Channel retired(@Nullable Object kept) {
        return kept instanceof Retired reference ? reference.get() : null;
    }

    /** The weak reference to a channel, which leaves its slot when that is collected. */
    private static final class Retired extends WeakReference<Channel> {
        private final int slot;

        Retired(Channel channel, int slot, ReferenceQueue<Channel> collected) {
            super(channel, collected);
            this.slot = slot;
        }
    }
}

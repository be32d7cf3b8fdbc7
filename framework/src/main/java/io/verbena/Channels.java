package io.verbena;

import io.verbena.connection.Connections;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A node's channels by the numbers of their queue pair and of their stream on it, in flat arrays, so that a message's
 * sender is found without a map.
 *
 * <p>Written under the lock of {@link Connections}; {@link #find} is for any thread. A channel keeps its place until
 * the queue pair's slot is used again, so that messages which are read after their channel was closed still name it. Of
 * the channels whose queue pairs are gone, the last {@value #RECENT} are kept, since each takes tens of kilobytes;
 * others are found for as long as something else refers to them.
 */
final class Channels {
    private static final int RECENT = 8;

    private static final @Nullable Object[] NONE = new Object[0];

    /** An element of a queue pair's array. */
    private static final VarHandle STREAM = MethodHandles.arrayElementVarHandle(Object[].class);

    /** By queue pair: its channels, or weak references to them, each at the number of its stream. */
    private final AtomicReferenceArray<@Nullable Object[]> slots;

    private final ArrayDeque<Channel> recent = new ArrayDeque<>();
    private final ReferenceQueue<Channel> collected = new ReferenceQueue<>();
    private final int mask;

    Channels(int maxQueuePairs) {
        slots = new AtomicReferenceArray<>(maxQueuePairs);
        mask = maxQueuePairs - 1;
        for (int i = 0; i < maxQueuePairs; i++) {
            slots.setPlain(i, NONE);
        }
    }

    /** Adds a channel whose peer is known, and with it the stream of its messages. */
    void put(Channel channel) {
        int queuePair = channel.queuePairNumber();
        int stream = channel.stream();
        @Nullable Object[] streams = slots.getPlain(queuePair & mask);
        if (!isOf(queuePair, streams)) {
            streams = NONE;
        }
        if (stream < streams.length) {
            STREAM.setRelease(streams, stream, channel);
        } else {
            @Nullable Object[] next = Arrays.copyOf(streams, Math.max(stream + 1, streams.length * 3 / 2));
            next[stream] = channel;
            slots.setRelease(queuePair & mask, next);
        }
    }

    /** Whether they are not those of a queue pair that had the slot before. */
    private static boolean isOf(int queuePair, @Nullable Object[] streams) {
        for (Object kept : streams) {
            Channel channel = channel(kept);
            if (channel != null) {
                return channel.queuePairNumber() == queuePair;
            }
        }
        return false;
    }

    /** Removes a channel whose queue pair is gone. */
    void retire(Channel channel) {
        recent.add(channel);
        if (recent.size() > RECENT) {
            Channel old = recent.remove();
            int slot = old.queuePairNumber() & mask;
            replace(slot, old.stream(), old, new Retired(old, slot, collected));
        }
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            Retired retired = (Retired) gone;
            replace(retired.slot, retired.stream, retired, null);
        }
    }

    private void replace(int slot, int stream, Object old, @Nullable Object by) {
        @Nullable Object[] streams = slots.getPlain(slot);
        if (stream < streams.length && streams[stream] == old) {
            STREAM.setRelease(streams, stream, by);
            if (by == null && isEmpty(streams)) {
                slots.setRelease(slot, NONE);
            }
        }
    }

    private static boolean isEmpty(@Nullable Object[] streams) {
        for (Object kept : streams) {
            if (kept != null) {
                return false;
            }
        }
        return true;
    }

    /**
     * The channel of a message that arrived by a queue pair and a stream; null if there is none, or it is forgotten.
     */
    @Nullable
    Channel find(int queuePair, int stream) {
        @Nullable Object[] streams = slots.getAcquire(queuePair & mask);
        Channel channel = stream < streams.length ? channel(STREAM.getAcquire(streams, stream)) : null;
        return channel != null && channel.queuePairNumber() == queuePair ? channel : null;
    }

    private static @Nullable Channel channel(@Nullable Object kept) {
        return kept instanceof Channel channel ? channel : retired(kept);
    }

    private static @Nullable Channel retired(@Nullable Object kept) {
        return kept instanceof Retired reference ? reference.get() : null;
    }

    /** A weak reference to a channel; its place is freed when the channel is collected. */
    private static final class Retired extends WeakReference<Channel> {
        private final int slot;
        private final int stream;

        Retired(Channel channel, int slot, ReferenceQueue<Channel> collected) {
            super(channel, collected);
            this.slot = slot;
            this.stream = channel.stream();
        }
    }
}

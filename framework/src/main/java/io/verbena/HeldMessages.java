package io.verbena;

import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/** The messages of an inbox that may be held at a time: made as they are needed, and used again. Any thread. */
final class HeldMessages {
    private final Inbox inbox;
    private final Channels channels;
    private final int most;
    private final AtomicInteger made = new AtomicInteger();
    private volatile @Nullable ManyToManyConcurrentArrayQueue<HeldMessage> free; // an inbox that holds nothing has none

    HeldMessages(Inbox inbox, Channels channels, int most) {
        this.inbox = inbox;
        this.channels = channels;
        this.most = most;
    }

    /** Messages that may be held at a time. */
    int most() {
        return most;
    }

    /** One that holds nothing, or null if as many are held as may be. */
    @Nullable
    HeldMessage take() {
        HeldMessage message = free().poll();
        if (message != null) {
            return message;
        }
        if (made.get() >= most || made.incrementAndGet() > most) {
            return null;
        }
        return new HeldMessage(inbox, channels);
    }

    void give(HeldMessage message) {
        free().offer(message);
    }

    private ManyToManyConcurrentArrayQueue<HeldMessage> free() {
        ManyToManyConcurrentArrayQueue<HeldMessage> there = free;
        return there != null ? there : make();
    }

    private synchronized ManyToManyConcurrentArrayQueue<HeldMessage> make() {
        ManyToManyConcurrentArrayQueue<HeldMessage> there = free;
        if (there == null) {
            there = new ManyToManyConcurrentArrayQueue<>(Math.max(2, most));
            free = there;
        }
        return there;
    }
}

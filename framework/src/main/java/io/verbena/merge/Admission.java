package io.verbena.merge;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The account of a tenant's bytes in flight to one node: those of the work requests of all its queues there that are
 * posted and have not ended. Bytes are counted before a request is posted, and given back when it has ended, however it
 * ended. Nobody waits here: a queue that gets no room is drained again when there is some.
 *
 * <p>Thread-safe. A queue that finds the window full has published what waits before it looked; whoever gives room back
 * looks for what waits after that. So one of them sees the other.
 */
final class Admission {
    private final AtomicLong inFlight = new AtomicLong();
    private final AtomicInteger turn = new AtomicInteger();
    private volatile MergeQueue[] queues = {};

    /** Adds a queue that is to be drained when there is room. */
    synchronized void add(MergeQueue queue) {
        MergeQueue[] more = Arrays.copyOf(queues, queues.length + 1);
        more[more.length - 1] = queue;
        queues = more;
    }

    /** Removes it. @return whether there is no other */
    synchronized boolean remove(MergeQueue queue) {
        queues = Arrays.stream(queues).filter(each -> each != queue).toArray(MergeQueue[]::new);
        return queues.length == 0;
    }

    /** Takes room, if no more than the window is in flight then, or nothing was before. */
    boolean tryTake(long bytes, long window) {
        while (true) {
            long now = inFlight.get();
            if (now > 0 && bytes > window - now) {
                return false;
            }
            if (inFlight.compareAndSet(now, now + bytes)) {
                return true;
            }
        }
    }

    /**
     * Gives room back, and drains what waits for it: each time another queue first.
     *
     * @param except need not be drained, or null
     */
    void giveBack(long bytes, @Nullable MergeQueue except) {
        inFlight.addAndGet(-bytes);
        MergeQueue[] all = queues;
        int first = all.length > 1 ? turn.getAndIncrement() & Integer.MAX_VALUE : 0;
        for (int i = 0; i < all.length; i++) {
            MergeQueue queue = all[(first % all.length + i) % all.length];
            if (queue != except && queue.holdsUnposted()) {
                queue.drain();
            }
        }
    }

    /** The widest window of its queues. */
    long window() {
        long widest = 0;
        for (MergeQueue queue : queues) {
            widest = Math.max(widest, queue.window());
        }
        return widest;
    }

    /** Bytes in flight. */
    long inFlight() {
        return inFlight.get();
    }
}

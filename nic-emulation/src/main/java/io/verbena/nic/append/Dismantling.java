package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;

/**
 * The end of a destroyed queue: its consumer is waited for, what is left in it is taken and dropped, and when nobody
 * can touch its memory any more that is given back, and its id.
 *
 * <p>Under the queue's maintenance flag, but for {@link #isFreed}.
 */
final class Dismantling {
    /** Takes what is left in a destroyed queue. */
    static final AppendHandler DISCARD = (buffer, offset, length, qpNumber, immediate, flags) -> {};

    /** How long the consumer of a destroyed queue has time to say that it reads nothing of it any more. */
    private static final long LEAVE_NANOS = 1_000_000_000;

    private static final long NEVER = Long.MIN_VALUE;

    private final AppendQueue queue;
    private final TailPointerTable owner;
    private final QueueParts parts;
    private final RecordWalk walk;
    private final int chunkLength;

    private boolean walksAlone;
    private long goneSince = NEVER;
    private boolean begun;
    private boolean emptied; // nothing is left to take
    private boolean unmaps; // once begun: whether the consumer had left by then
    private volatile boolean freed;

    Dismantling(AppendQueue queue, TailPointerTable owner, QueueParts parts) {
        this.queue = queue;
        this.owner = owner;
        this.parts = parts;
        this.walk = parts.walk;
        this.chunkLength = queue.attributes().chunkLength();
    }

    /** Whether all memory has been given back. Any thread. */
    boolean isFreed() {
        return freed;
    }

    /** Plays the consumer until nothing is in flight, then gives the memory back. Returns the work done. */
    int run(long now) {
        if (freed) {
            return 0;
        }
        if (!walksAlone && !walk.enter()) {
            return 0; // a consumer of several is about to see that the queue is gone
        }
        walksAlone = true;
        if (goneSince == NEVER) {
            goneSince = now;
        }
        if (!begun) {
            unmaps = queue.hasSeveralConsumers() || walk.isLeft(); // what one of several reads, it holds
            if (!unmaps && now - goneSince < LEAVE_NANOS) {
                return 0;
            }
            if (!unmaps) {
                walk.abandon();
            }
            begun = true;
        }
        walk.dropSuspended();
        if (emptied) {
            return free(walk.head()); // records are held: the head's own chunk may have been given back
        }
        if (queue.isCorrupted()) {
            parts.largeMessages.abandon(); // what refers to them is not to be believed
            return free(walk.head());
        }
        long tail = queue.lastTail();
        parts.ring.chunks().adopt();
        if (parts.ring.chunks().isTaken(sequence(tail))) {
            return 0; // an engine adopts it just now
        }
        walk.take(DISCARD, Integer.MAX_VALUE);
        long head = walk.head();
        int work = 0;
        if (distance(head, tail, chunkLength) > 0) {
            work = parts.recovery.recover(head, tail, parts.ring, now);
            if (work == 0) {
                return 0;
            }
            walk.take(DISCARD, Integer.MAX_VALUE);
            head = walk.head();
        }
        emptied = distance(head, tail, chunkLength) <= 0;
        return emptied ? work + free(head) : work;
    }

    /** Frees what nobody uses any more; all of it, and the queue's id. */
    private int free(long head) {
        boolean drained = parts.largeMessages.drained(unmaps);
        drained = drained && parts.staging.drained();
        drained = drained && parts.ring.drain(sequence(head), unmaps, !queue.isCorrupted());
        if (drained) {
            freed = true;
            owner.freed(queue);
            return 1;
        }
        return 0;
    }
}

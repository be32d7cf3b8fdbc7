package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.HELD_RECORDS_OFFSET;
import static io.verbena.nic.append.AppendQueueDescriptor.RNR_OFFSET;
import static io.verbena.nic.append.AppendQueueDescriptor.STARVED_OFFSET;

import org.agrona.concurrent.AtomicBuffer;

/**
 * What comes of it when a queue is refused memory: an event when a sender is turned away meanwhile, and after {@value
 * Appender#SHORT_SECONDS} s a queue that its senders need not wait for.
 *
 * <p>Under the queue's maintenance flag.
 */
final class Shortage {
    private static final long SHORT_NANOS = Appender.SHORT_SECONDS * 1_000_000_000L;
    private static final long NEVER = Long.MIN_VALUE;

    private final AppendQueue queue;
    private final TailPointerTable owner;
    private final AtomicBuffer table;
    private final int queueOffset;
    private long since = NEVER;
    private long turnedAway; // senders, at the last look
    private boolean told;
    private int toldAt; // chunks that had been announced then

    Shortage(AppendQueue queue, TailPointerTable owner, AtomicBuffer table, int queueOffset) {
        this.queue = queue;
        this.owner = owner;
        this.table = table;
        this.queueOffset = queueOffset;
    }

    /**
     * Looks.
     *
     * @param refused whether memory was refused since the last look
     * @param isEmpty whether the queue has nothing to consume
     * @param announced chunks that were announced so far
     * @param now in nanoseconds
     */
    void note(boolean refused, boolean isEmpty, int announced, long now) {
        noteHopeless(refused && isEmpty && table.getLongVolatile(queueOffset + HELD_RECORDS_OFFSET) == 0, now);
        long before = turnedAway;
        turnedAway = table.getLongVolatile(queueOffset + RNR_OFFSET);
        if (refused && turnedAway != before && !(told && announced == toldAt)) { // once, until there is another chunk
            told = true;
            toldAt = announced;
            owner.turnedAway(queue);
        }
    }

    /**
     * Memory is short for good if it was refused in each turn for long, with nothing here that a consumer could give
     * back.
     */
    private void noteHopeless(boolean hopeless, long now) {
        if (!hopeless) {
            if (since != NEVER) {
                since = NEVER;
                table.putLongRelease(queueOffset + STARVED_OFFSET, 0);
            }
        } else if (since == NEVER) {
            since = now;
        } else if (now - since >= SHORT_NANOS) {
            table.putLongRelease(queueOffset + STARVED_OFFSET, 1);
        }
    }
}

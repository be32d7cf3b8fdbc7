package io.verbena.nic.append;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntToLongFunction;

/**
 * Which queue pairs have a message under way in parts to one queue. A sender's first one may take all the room that is
 * left; for a further one, room for a longest message has to stay for others.
 *
 * <p>Concurrency: a bit a queue pair, set and cleared by its engine and the allocator; the answer is as of a moment
 * ago.
 */
final class UnfinishedMessages {
    private final AtomicLongArray bits;
    private final int mask;
    private final IntToLongFunction senders;

    /**
     * Of none.
     *
     * @param maxQueuePairs a power of two
     * @param senders identity of the NIC that a queue pair is connected to, 0 if that is not known
     */
    UnfinishedMessages(int maxQueuePairs, IntToLongFunction senders) {
        this.bits = new AtomicLongArray((maxQueuePairs + Long.SIZE - 1) / Long.SIZE);
        this.mask = maxQueuePairs - 1;
        this.senders = senders;
    }

    /** A queue pair has one, or a place for one. */
    void begin(int qpNumber) {
        int slot = qpNumber & mask;
        long bit = 1L << slot;
        long word = bits.get(slot >>> 6);
        while ((word & bit) == 0 && !bits.compareAndSet(slot >>> 6, word, word | bit)) {
            word = bits.get(slot >>> 6);
        }
    }

    /** It has none any more. */
    void end(int qpNumber) {
        int slot = qpNumber & mask;
        long bit = 1L << slot;
        long word = bits.get(slot >>> 6);
        while ((word & bit) != 0 && !bits.compareAndSet(slot >>> 6, word, word & ~bit)) {
            word = bits.get(slot >>> 6);
        }
    }

    /**
     * Whether the sender behind a queue pair has one by another of its queue pairs; false if the sender is not known.
     */
    boolean hasAnother(int qpNumber) {
        long sender = senders.applyAsLong(qpNumber);
        for (int i = 0; sender != 0 && i < bits.length(); i++) {
            long word = bits.get(i);
            while (word != 0) {
                int slot = (i << 6) + Long.numberOfTrailingZeros(word);
                word &= word - 1;
                if (slot != (qpNumber & mask) && senders.applyAsLong(slot) == sender) {
                    return true;
                }
            }
        }
        return false;
    }
}

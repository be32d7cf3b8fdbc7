package io.verbena.papers.receive;

import io.verbena.nic.QueuePair;

/**
 * A sender's queue pair, and what its requests under way are of: the piece of source memory, and whether its end is the
 * end of a message. Requests end in order, so that counting them is enough. Not thread-safe.
 */
final class Lane {
    final QueuePair qp;
    private final int mask;
    private final long[] pieces;
    private final boolean[] messages;
    private long posted;
    private long completed;

    Lane(QueuePair qp) {
        this.qp = qp;
        int capacity = qp.maxSend(); // a power of two
        mask = capacity - 1;
        pieces = new long[capacity];
        messages = new boolean[capacity];
    }

    boolean isFull() {
        return posted - completed > mask;
    }

    void posted(long piece, boolean isMessage) {
        int slot = (int) posted++ & mask;
        pieces[slot] = piece;
        messages[slot] = isMessage;
    }

    /** Lets go of what has ended. @return messages among it */
    int progress(SourceRing source) {
        if (posted == completed) {
            return 0;
        }
        long ended = posted - qp.outstanding();
        int count = 0;
        while (completed < ended) {
            int slot = (int) completed++ & mask;
            if (pieces[slot] != SourceRing.NONE) {
                source.release(pieces[slot]);
            }
            if (messages[slot]) {
                count++;
            }
        }
        return count;
    }
}

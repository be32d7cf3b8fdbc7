package io.verbena.papers.etc;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntUnaryOperator;
import org.agrona.DirectBuffer;

/** Keeps account of what has come from each sender. For one thread. */
final class MessageCheck {
    private static final int MAX_SEQUENCE = 1 << 30;

    private final EtcMessageFlyweight message = new EtcMessageFlyweight();
    private final BitSet[] seen;
    private final long[][] last;
    private final long[] whole;
    private final IntUnaryOperator laneOf;
    private long received;
    private long duplicated;
    private long torn;
    private long reordered;

    /**
     * Of so many senders.
     *
     * @param lanes that a sender has
     * @param laneOf the lane of a length: messages of a sender's lane keep their order
     * @param expected messages of a sender; a hint
     */
    MessageCheck(int senders, int lanes, IntUnaryOperator laneOf, int expected) {
        this.laneOf = laneOf;
        seen = new BitSet[senders];
        last = new long[senders][lanes];
        whole = new long[senders];
        for (int i = 0; i < senders; i++) {
            seen[i] = new BitSet(expected);
            Arrays.fill(last[i], -1);
        }
    }

    /** Takes a message. @return whether it is whole, and new */
    boolean accept(DirectBuffer buffer, int offset, int length, int sender) {
        received++;
        if (!message.isWhole(buffer, offset, length, sender)) {
            torn++;
            return false;
        }
        long sequence = EtcMessageFlyweight.sequence(buffer, offset);
        if (sequence < 0 || sequence >= MAX_SEQUENCE) {
            torn++;
            return false;
        }
        if (seen[sender].get((int) sequence)) {
            duplicated++;
            return false;
        }
        seen[sender].set((int) sequence);
        whole[sender]++;
        long[] lanes = last[sender];
        int lane = laneOf.applyAsInt(length);
        if (sequence < lanes[lane]) {
            reordered++;
        }
        lanes[lane] = Math.max(lanes[lane], sequence);
        return true;
    }

    /** Messages that came, whatever they were. */
    long received() {
        return received;
    }

    /** Messages of a sender that came whole, each counted once. */
    long whole(int sender) {
        return whole[sender];
    }

    long duplicated() {
        return duplicated;
    }

    long torn() {
        return torn;
    }

    long reordered() {
        return reordered;
    }

    /** How many of the first messages of a sender have not come whole. */
    long missing(int sender, long sent) {
        return sent - seen[sender].get(0, (int) sent).cardinality();
    }
}

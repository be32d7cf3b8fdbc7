package io.verbena.merge;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Claims of a slot and of some bytes for each operation, both in rings: made by any thread, given back in the order in
 * which they were made.
 *
 * <p>Where the next claim begins is one word, so that slots and bytes are handed out in the same order:
 *
 * <pre>
 *   63      62 .. 32            31 .. 0
 *   closed  ticket (slot: its   position, in units of 8 bytes (offset in the memory: its low bits)
 *           low bits)
 * </pre>
 *
 * <p>Concurrency: {@code head} is advanced by compare-and-set of any thread, {@code tail} is written by the one thread
 * at a time that gives back. Tickets and positions wrap around; fewer than 2^30 are claimed at a time.
 */
final class ClaimRing {
    /** There is no room now. */
    static final long FULL = -1;

    /** There will be no claim any more. */
    static final long CLOSED = -2;

    private static final int TICKETS = Integer.MAX_VALUE; // a mask
    private static final long CLOSED_BIT = Long.MIN_VALUE;
    private static final int UNIT_SHIFT = 3;

    private final int depth;
    private final int units;
    private final AtomicLong head = new AtomicLong();
    private final AtomicLong tail = new AtomicLong();

    /**
     * Creates it, empty.
     *
     * @param depth claims at a time, a power of two
     * @param bytes of all claims at a time, a power of two, at least 8
     */
    ClaimRing(int depth, int bytes) {
        this.depth = depth;
        this.units = bytes >> UNIT_SHIFT;
    }

    /** The ticket of a claim, or of what {@link #head} returns. */
    static int ticket(long claim) {
        return (int) (claim >>> Integer.SIZE) & TICKETS;
    }

    /** The ticket after one. */
    static int after(int ticket) {
        return (ticket + 1) & TICKETS;
    }

    /** Tickets from one to a later one. */
    static int distance(int from, int to) {
        return (to - from) & TICKETS;
    }

    private static long word(int ticket, int position) {
        return ((long) ticket << Integer.SIZE) | (position & 0xffff_ffffL);
    }

    private static int unitsOf(int bytes) {
        return (bytes + (1 << UNIT_SHIFT) - 1) >>> UNIT_SHIFT;
    }

    /**
     * Claims the next slot and bytes that lie together. Any thread.
     *
     * @param bytes 0 to all that there are
     * @return the claim, or {@link #FULL} or {@link #CLOSED}
     */
    long tryClaim(int bytes) {
        while (true) {
            long free = tail.get(); // first: then it is not ahead of the head
            long next = head.get();
            if (next < 0) {
                return CLOSED;
            }
            int position = (int) next;
            int inRing = position & (units - 1);
            int wanted = unitsOf(bytes);
            int start = inRing + wanted > units ? position + units - inRing : position;
            int end = start + wanted;
            if (distance(ticket(free), ticket(next)) >= depth || end - (int) free > units) {
                return FULL;
            }
            if (head.compareAndSet(next, word(after(ticket(next)), end))) {
                return word(ticket(next), start);
            }
        }
    }

    /** Where the bytes of a claim begin in the memory. */
    int offset(long claim) {
        return ((int) claim & (units - 1)) << UNIT_SHIFT;
    }

    /** The position after a claim's bytes, for {@link #giveBack}. */
    static int end(long claim, int bytes) {
        return (int) claim + unitsOf(bytes);
    }

    /** Gives back the oldest claim, whose bytes end at a position. */
    void giveBack(int end) {
        tail.set(word(after(ticket(tail.get())), end));
    }

    /** The ticket of the oldest claim that was not given back. */
    int oldest() {
        return ticket(tail.get());
    }

    /** The ticket of the next claim. */
    int next() {
        return ticket(head.get());
    }

    /** Claims that were not given back. */
    int outstanding() {
        int oldest = oldest();
        return distance(oldest, next());
    }

    /** No claim is made any more. Any thread. */
    void close() {
        head.getAndUpdate(word -> word | CLOSED_BIT);
    }

    boolean isClosed() {
        return head.get() < 0;
    }
}

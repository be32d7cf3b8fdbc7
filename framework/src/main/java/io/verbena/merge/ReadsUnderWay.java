package io.verbena.merge;

/**
 * The ranges of READs under way. A WRITE or an atomic operation that is posted after a READ of the same bytes must wait
 * for it: the peer reads again if its answer is lost, and would find what was written since.
 *
 * <p>For whoever drains.
 */
final class ReadsUnderWay {
    private final int mask;
    private final int[] numbers; // of work requests, in order
    private final long[] offsets;
    private final long[] ends;
    private int first;
    private int next;

    /** Creates it; as many work requests may be under way as the depth says, a power of two. */
    ReadsUnderWay(int depth) {
        this.mask = depth - 1;
        this.numbers = new int[depth];
        this.offsets = new long[depth];
        this.ends = new long[depth];
    }

    /** A READ is posted: as one of the work requests below {@code ended} is over, there is room. */
    void add(int number, long offset, int length, int ended) {
        forget(ended);
        int at = next++ & mask;
        numbers[at] = number;
        offsets[at] = offset;
        ends[at] = offset + length;
    }

    /** Whether one that has not ended reads some of these bytes; those below {@code ended} have. */
    boolean overlap(long offset, int length, int ended) {
        forget(ended);
        for (int i = first; i != next; i++) {
            int at = i & mask;
            if (offset < ends[at] && offsets[at] < offset + length) {
                return true;
            }
        }
        return false;
    }

    private void forget(int ended) {
        while (first != next && numbers[first & mask] - ended < 0) {
            first++;
        }
    }
}

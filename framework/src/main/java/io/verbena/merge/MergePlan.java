package io.verbena.merge;

/**
 * What becomes of the operations that wait: runs, each of which is one work request, in the order in which they are to
 * be posted.
 *
 * <p>Operations whose bytes overlap keep their order unless both read, and nothing passes an atomic operation. Between
 * such points operations may be posted in any order. So those that read, and those that write, are sorted by address,
 * and what is adjacent then makes a run, whatever the order in which it came and whichever threads it came from. Runs
 * leave by the age of the oldest operation in each, so none is passed over for ever.
 *
 * <p>For whoever drains. Allocates nothing.
 */
final class MergePlan {
    private final MergeRequests requests;
    private final boolean merges;
    private int maxBytes; // of a run of several

    // Of each operation, by its index: the order in which they came.
    private final int[] tickets = new int[MergeSettings.BATCH];
    private final byte[] kinds = new byte[MergeSettings.BATCH];
    private final boolean[] alone = new boolean[MergeSettings.BATCH];
    private final long[] begins = new long[MergeSettings.BATCH];
    private final long[] ends = new long[MergeSettings.BATCH];

    private final int[] order = new int[MergeSettings.BATCH]; // indices: runs one after the other

    // Of each run.
    private final int[] runs = new int[MergeSettings.BATCH]; // where it begins in the order
    private final int[] sizes = new int[MergeSettings.BATCH];
    private final int[] lengths = new int[MergeSettings.BATCH];
    private final int[] oldest = new int[MergeSettings.BATCH]; // index
    private int count;

    /**
     * Creates it.
     *
     * @param merges whether there are runs of several operations
     */
    MergePlan(MergeRequests requests, boolean merges) {
        this.requests = requests;
        this.merges = merges;
    }

    /**
     * Makes it.
     *
     * @param waiting tickets of operations, oldest first
     * @param operations how many, at most {@link MergeSettings#BATCH}
     * @param mostBytes of a run of several
     */
    void make(int[] waiting, int operations, int mostBytes) {
        maxBytes = mostBytes;
        for (int i = 0; i < operations; i++) {
            int slot = requests.slot(waiting[i]);
            tickets[i] = waiting[i];
            kinds[i] = requests.kinds[slot];
            begins[i] = requests.offsets[slot];
            ends[i] = begins[i] + requests.lengths[slot];
            alone[i] = kinds[i] > MergeRequests.WRITE || begins[i] == ends[i] || requests.alone[slot];
            order[i] = i;
        }
        count = 0;
        if (!merges || operations == 1) {
            for (int i = 0; i < operations; i++) {
                addRun(i, 1);
            }
            return;
        }
        for (int from = 0; from < operations; ) {
            int to = from + 1;
            while (to < operations && mayPassAll(to, from)) {
                to++;
            }
            sort(from, to);
            int firstRun = count;
            makeRuns(from, to);
            sortRunsByAge(firstRun);
            from = to;
        }
    }

    /** Whether an operation may be posted before any of those from one on. */
    private boolean mayPassAll(int index, int from) {
        if (kinds[index] > MergeRequests.WRITE) {
            return false;
        }
        for (int i = from; i < index; i++) {
            boolean bothRead = kinds[i] == MergeRequests.READ && kinds[index] == MergeRequests.READ;
            boolean overlap = begins[index] < ends[i] && begins[i] < ends[index];
            if (kinds[i] > MergeRequests.WRITE || (overlap && !bothRead)) {
                return false;
            }
        }
        return true;
    }

    /** Sorts by kind and address, and what is equal by age. There are few, and most are in order. */
    private void sort(int from, int to) {
        for (int i = from + 1; i < to; i++) {
            int moved = order[i];
            int at = i;
            while (at > from && isBefore(moved, order[at - 1])) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = moved;
        }
    }

    private boolean isBefore(int a, int b) {
        return kinds[a] != kinds[b] ? kinds[a] < kinds[b] : begins[a] < begins[b];
    }

    private void makeRuns(int from, int to) {
        for (int i = from; i < to; ) {
            int length = (int) (ends[order[i]] - begins[order[i]]);
            int next = i + 1;
            while (next < to && next - i < MergeSettings.MAX_ENTRIES && joins(order[next - 1], order[next])) {
                long longer = length + ends[order[next]] - begins[order[next]];
                if (longer > maxBytes) {
                    break;
                }
                length = (int) longer;
                next++;
            }
            addRun(i, next - i);
            i = next;
        }
    }

    private boolean joins(int a, int b) {
        return kinds[a] == kinds[b] && !alone[a] && !alone[b] && ends[a] == begins[b];
    }

    private void addRun(int begin, int size) {
        int first = order[begin];
        for (int i = begin + 1; i < begin + size; i++) {
            first = Math.min(first, order[i]);
        }
        runs[count] = begin;
        sizes[count] = size;
        lengths[count] = (int) (ends[order[begin + size - 1]] - begins[order[begin]]);
        oldest[count++] = first;
    }

    private void sortRunsByAge(int from) {
        for (int i = from + 1; i < count; i++) {
            for (int at = i; at > from && oldest[at] < oldest[at - 1]; at--) {
                swap(runs, at);
                swap(sizes, at);
                swap(lengths, at);
                swap(oldest, at);
            }
        }
    }

    private static void swap(int[] array, int at) {
        int before = array[at - 1];
        array[at - 1] = array[at];
        array[at] = before;
    }

    /** Runs, in the order in which they are to be posted. */
    int runs() {
        return count;
    }

    /** Operations of a run. */
    int size(int run) {
        return sizes[run];
    }

    /** Bytes of a run. */
    int length(int run) {
        return lengths[run];
    }

    /** An operation of a run, as its index in what the plan was made of; in the order of their addresses. */
    int index(int run, int i) {
        return order[runs[run] + i];
    }

    /** The ticket of an operation of a run. */
    int ticket(int run, int i) {
        return tickets[index(run, i)];
    }
}

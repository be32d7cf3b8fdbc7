package io.verbena.papers.rima;

/** What had come by when: pairs of a time and a position, first in first out. Not thread-safe. */
final class ServiceLog {
    static final long NONE = Long.MAX_VALUE;

    private long[] entries = new long[1 << 12];
    private int head;
    private int tail;

    /** Adds a position reached at a time, at least the last one's. */
    void add(long nanos, long position) {
        if (tail - head == entries.length) {
            long[] larger = new long[entries.length * 2];
            for (int i = head; i != tail; i++) {
                larger[i & (larger.length - 1)] = entries[i & (entries.length - 1)];
            }
            entries = larger;
        }
        entries[tail++ & (entries.length - 1)] = nanos;
        entries[tail++ & (entries.length - 1)] = position;
    }

    /** Time of the first entry, or {@link #NONE}. */
    long firstNanos() {
        return head == tail ? NONE : entries[head & (entries.length - 1)];
    }

    /** Takes the first entry, and returns its position. */
    long take() {
        if (head == tail) {
            throw new IllegalStateException("nothing is logged");
        }
        long position = entries[(head + 1) & (entries.length - 1)];
        head += 2;
        return position;
    }
}

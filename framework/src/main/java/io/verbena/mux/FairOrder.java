package io.verbena.mux;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Self-clocked fair queueing (Golestani 1994): what arrives has a tag, and the least tag is served next; of equal ones
 * that which arrived first. A tag is the last one of the same flow, or the clock if that is later, and the cost of what
 * arrives: its bytes by the flow's weight. The clock is the tag of what was served last, so a flow that was idle has
 * saved nothing up.
 *
 * <pre>
 *   clock 0   a: 300 bytes, tag 300     b: 100, 100    b: 100, 200      served: b b a, or with weight 3 of a: a b b
 * </pre>
 *
 * <p>A flow's last tag is kept by whoever adds for it. A heap in arrays, which grow: nothing is allocated otherwise.
 * For one thread at a time.
 *
 * @param <T> what is served
 */
public final class FairOrder<T> {
    /** Of a tag in a byte of weight 1, so that weights divide few bytes too. Tags last for 2^59 bytes. */
    private static final int UNITS = 16;

    private long[] tags = new long[16];
    private long[] arrivals = new long[16];
    private @Nullable Object[] items = new Object[16];
    private int size;
    private long arrived;
    private long clock;

    /** Creates one in which nothing waits, at the time 0. */
    public FairOrder() {}

    /** Whether nothing waits. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** The virtual time: the tag of what was served last. */
    public long clock() {
        return clock;
    }

    /**
     * Something arrives.
     *
     * @param last the last tag of its flow, 0 for a flow's first
     * @param bytes what it is charged for; what is empty costs a little all the same, since it could go on for ever
     * @param weight of its flow, at least 1
     * @return its tag
     */
    public long add(T item, long last, long bytes, int weight) {
        return insert(item, Math.max(clock, last) + Math.max(1, bytes * UNITS / weight));
    }

    /** Something stands here that costs nothing. @return its tag, the clock */
    long addFree(T item) {
        return insert(item, clock);
    }

    private long insert(T item, long tag) {
        if (size == items.length) {
            tags = Arrays.copyOf(tags, 2 * size);
            arrivals = Arrays.copyOf(arrivals, 2 * size);
            items = Arrays.copyOf(items, 2 * size);
        }
        int at = size++;
        long arrival = arrived++;
        while (at > 0 && isBefore(tag, arrival, (at - 1) / 2)) {
            move((at - 1) / 2, at);
            at = (at - 1) / 2;
        }
        put(at, tag, arrival, item);
        return tag;
    }

    /** What is served next; null if nothing waits. */
    @SuppressWarnings("unchecked")
    public @Nullable T first() {
        return (T) items[0];
    }

    /** Serves what is first: the clock is at its tag. @return what was first; null if nothing waits */
    public @Nullable T take() {
        if (size > 0) {
            clock = tags[0];
        }
        return withdraw();
    }

    /** Takes out what is first, and does not serve it. @return what was first; null if nothing waits */
    public @Nullable T withdraw() {
        T was = first();
        if (size > 0) {
            size--;
            sink(tags[size], arrivals[size], items[size]);
            items[size] = null;
        }
        return was;
    }

    /** What was the last goes where the first was, and down from there. */
    private void sink(long tag, long arrival, @Nullable Object item) {
        int at = 0;
        int child;
        while ((child = lesserChild(at)) < size && !isBefore(tag, arrival, child)) {
            move(child, at);
            at = child;
        }
        put(at, tag, arrival, item);
    }

    private int lesserChild(int at) {
        int left = 2 * at + 1;
        return left + 1 < size && isBefore(tags[left + 1], arrivals[left + 1], left) ? left + 1 : left;
    }

    private boolean isBefore(long tag, long arrival, int other) {
        return tag < tags[other] || (tag == tags[other] && arrival < arrivals[other]);
    }

    private void move(int from, int to) {
        put(to, tags[from], arrivals[from], items[from]);
    }

    private void put(int at, long tag, long arrival, @Nullable Object item) {
        tags[at] = tag;
        arrivals[at] = arrival;
        items[at] = item;
    }
}

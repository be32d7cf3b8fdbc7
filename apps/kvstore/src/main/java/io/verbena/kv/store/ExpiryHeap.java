package io.verbena.kv.store;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The keys of a database that expire, soonest first: a heap of four children a node, in off-heap segments of 32 KiB. An
 * expired key is found without looking at others, and a random one for eviction is a random index.
 *
 * <pre>
 *   element                     and in the entry of the key
 *    0 expiry, Unix ms (8)       {@link Keyspace#EXPIRY}: index of its element plus 1, 0 if it does not expire
 *    8 entry (8)
 * </pre>
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class ExpiryHeap {
    private static final int ARITY_SHIFT = 2;
    private static final int ELEMENT_SHIFT = 4;
    private static final int ENTRY = 8;
    private static final int SEGMENT_SHIFT = 11;
    private static final int SEGMENT_MASK = (1 << SEGMENT_SHIFT) - 1;
    private static final int SEGMENT_LENGTH = 1 << (SEGMENT_SHIFT + ELEMENT_SHIFT);

    private final Memory memory;
    private final Allocator allocator;
    private long[] segments = new long[4];
    private int size;

    ExpiryHeap(Memory memory, Allocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
    }

    int size() {
        return size;
    }

    /** Expiry of a key in Unix milliseconds, or -1 if it does not expire. */
    long expiry(long entry) {
        int index = memory.getInt(entry + Keyspace.EXPIRY) - 1;
        return index < 0 ? -1 : memory.getLong(element(index));
    }

    /** Expiry of the key that expires first. There must be one. */
    long soonest() {
        return memory.getLong(element(0));
    }

    /** Entry of the key that expires first. There must be one. */
    long soonestEntry() {
        return memory.getLong(element(0) + ENTRY);
    }

    /** A random entry that expires. There must be one. */
    long random(SplittableRandom random) {
        return memory.getLong(element(random.nextInt(size)) + ENTRY);
    }

    /** Has room for one more key that expires, so that the next {@link #set} allocates nothing. */
    void prepare() {
        openSegment(size >>> SEGMENT_SHIFT);
    }

    /** Gives back the room that {@link #prepare} made, if no key expires. */
    void trim() {
        if (size == 0) {
            closeSegment(0);
        }
    }

    /** Makes a key that does not expire take the place of one that does. Allocates nothing. */
    void move(long from, long to) {
        int index = memory.getInt(from + Keyspace.EXPIRY) - 1;
        memory.putInt(from + Keyspace.EXPIRY, 0);
        place(index, memory.getLong(element(index)), to);
    }

    /** Sets when a key expires, whether it did before or not. */
    void set(long entry, long expiry) {
        int index = memory.getInt(entry + Keyspace.EXPIRY) - 1;
        if (index < 0) {
            index = size;
            openSegment(index >>> SEGMENT_SHIFT);
            size++;
            place(index, expiry, entry);
            up(index, expiry, entry);
            return;
        }
        long before = memory.getLong(element(index));
        if (expiry < before) {
            up(index, expiry, entry);
        } else {
            down(index, expiry, entry);
        }
    }

    /** Makes a key never expire. */
    void remove(long entry) {
        int index = memory.getInt(entry + Keyspace.EXPIRY) - 1;
        if (index < 0) {
            return;
        }
        memory.putInt(entry + Keyspace.EXPIRY, 0);
        size--;
        if (index != size) {
            long removed = memory.getLong(element(index));
            long expiry = memory.getLong(element(size));
            long last = memory.getLong(element(size) + ENTRY);
            if (expiry < removed) {
                up(index, expiry, last);
            } else {
                down(index, expiry, last);
            }
        }
        if ((size & SEGMENT_MASK) == 0) {
            // One empty segment is kept, lest a key that comes and goes moves one each time.
            closeSegment((size >>> SEGMENT_SHIFT) + 1);
            if (size == 0) {
                closeSegment(0);
            }
        }
    }

    /** Frees all memory without touching the entries. */
    void clear() {
        for (int i = 0; i < segments.length; i++) {
            closeSegment(i);
        }
        size = 0;
    }

    /** Forgets all memory, which is gone. */
    void forget() {
        Arrays.fill(segments, Memory.NULL);
        size = 0;
    }

    private void up(int from, long expiry, long entry) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) >>> ARITY_SHIFT;
            long at = element(parent);
            long other = memory.getLong(at);
            if (other <= expiry) {
                break;
            }
            place(index, other, memory.getLong(at + ENTRY));
            index = parent;
        }
        place(index, expiry, entry);
    }

    private void down(int from, long expiry, long entry) {
        int index = from;
        while (true) {
            long firstChild = ((long) index << ARITY_SHIFT) + 1;
            if (firstChild >= size) {
                break;
            }
            int end = (int) Math.min(size, firstChild + (1 << ARITY_SHIFT));
            int least = (int) firstChild;
            long leastExpiry = memory.getLong(element(least));
            for (int child = least + 1; child < end; child++) {
                long childExpiry = memory.getLong(element(child));
                if (childExpiry < leastExpiry) {
                    least = child;
                    leastExpiry = childExpiry;
                }
            }
            if (leastExpiry >= expiry) {
                break;
            }
            place(index, leastExpiry, memory.getLong(element(least) + ENTRY));
            index = least;
        }
        place(index, expiry, entry);
    }

    private void place(int index, long expiry, long entry) {
        long at = element(index);
        memory.putLong(at, expiry);
        memory.putLong(at + ENTRY, entry);
        memory.putInt(entry + Keyspace.EXPIRY, index + 1);
    }

    private long element(int index) {
        return segments[index >>> SEGMENT_SHIFT] + ((long) (index & SEGMENT_MASK) << ELEMENT_SHIFT);
    }

    private void openSegment(int segment) {
        if (segment >= segments.length) {
            segments = Arrays.copyOf(segments, segments.length * 2);
        }
        if (segments[segment] == Memory.NULL) {
            segments[segment] = allocator.allocate(SEGMENT_LENGTH);
        }
    }

    private void closeSegment(int segment) {
        if (segment < segments.length && segments[segment] != Memory.NULL) {
            allocator.free(segments[segment]);
            segments[segment] = Memory.NULL;
        }
    }
}

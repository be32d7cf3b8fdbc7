package io.verbena.papers.srq;

import java.util.Arrays;

/** Classes of message sizes: class i takes sizes above the limit of class i - 1 and up to its own. Immutable. */
public final class SizeClasses {
    /** Growth from one slab class of memcached to the next, by default. */
    public static final double SLAB_FACTOR = 1.25;

    /** memcached's smallest slab class in bytes, by default. */
    public static final int MIN_SLAB = 96;

    private static final int SLAB_ALIGNMENT = 8;

    private final long[] limits;

    private SizeClasses(long[] limits) {
        this.limits = limits;
    }

    /**
     * Classes with these limits.
     *
     * @param limits largest sizes in bytes, ascending, the first at least 1
     */
    public static SizeClasses of(long... limits) {
        if (limits.length == 0) {
            throw new IllegalArgumentException("0 classes < minimum 1");
        }
        for (int i = 0; i < limits.length; i++) {
            long least = i == 0 ? 1 : limits[i - 1] + 1;
            if (limits[i] < least) {
                throw new IllegalArgumentException("limit " + limits[i] + " of class " + i + " < minimum " + least);
            }
        }
        return new SizeClasses(limits.clone());
    }

    /** One class for all sizes up to the largest. */
    public static SizeClasses single(long max) {
        return of(max);
    }

    /**
     * Classes of equal width, whatever the sizes are distributed like.
     *
     * @param max the largest size
     * @param count of classes, 1 to {@code max}
     */
    public static SizeClasses equal(long max, int count) {
        if (count < 1 || count > max) {
            throw new IllegalArgumentException(count + " classes outside 1.." + max);
        }
        long[] limits = new long[count];
        for (int i = 0; i < count; i++) {
            limits[i] = max * (i + 1) / count;
        }
        return of(limits);
    }

    /**
     * The classes of memcached's slab allocator: each the factor times the one before, rounded up to 8 bytes, and the
     * largest size for what is left from {@code max / factor} on.
     *
     * @param factor above 1
     * @param smallest limit of the first class, rounded up to 8 bytes
     * @param max the largest size
     */
    public static SizeClasses slabs(double factor, int smallest, long max) {
        if (!(factor > 1)) {
            throw new IllegalArgumentException("factor " + factor + " not above 1");
        }
        long[] limits = new long[64];
        int count = 0;
        for (long size = align(smallest); size <= max / factor; size = align((long) (size * factor))) {
            if (count + 1 == limits.length) {
                limits = Arrays.copyOf(limits, 2 * count);
            }
            limits[count++] = size;
        }
        limits[count++] = max;
        return of(Arrays.copyOf(limits, count));
    }

    private static long align(long size) {
        return (size + SLAB_ALIGNMENT - 1) / SLAB_ALIGNMENT * SLAB_ALIGNMENT;
    }

    /** memcached's slab classes with its defaults. */
    public static SizeClasses slabs(long max) {
        return slabs(SLAB_FACTOR, MIN_SLAB, max);
    }

    /**
     * The same classes for messages up to a size: it is the limit of the last.
     *
     * @param max the largest size, at least 1; no effect if it is above {@link #max}
     */
    public SizeClasses truncated(long max) {
        if (max >= max()) {
            return this;
        }
        long[] kept = Arrays.copyOf(limits, classOf(max) + 1);
        kept[kept.length - 1] = max;
        return of(kept);
    }

    /** The first so many of these classes put together, then those up to the next end, and so on. */
    SizeClasses endingAt(int[] lastOfEach) {
        long[] merged = new long[lastOfEach.length];
        for (int i = 0; i < merged.length; i++) {
            merged[i] = limits[lastOfEach[i]];
        }
        return of(merged);
    }

    /** How many there are. */
    public int count() {
        return limits.length;
    }

    /** The largest size of a class in bytes. */
    public long limit(int index) {
        return limits[index];
    }

    /** The size above which a class begins: the limit of the class before, or 0. */
    public long above(int index) {
        return index == 0 ? 0 : limits[index - 1];
    }

    /** The largest size of all. */
    public long max() {
        return limits[limits.length - 1];
    }

    /**
     * The class of a size.
     *
     * @param bytes 0 to {@link #max}
     * @throws IllegalArgumentException if it is larger than that
     */
    public int classOf(long bytes) {
        if (bytes < 0 || bytes > max()) {
            throw new IllegalArgumentException("size " + bytes + " outside 0.." + max());
        }
        int found = Arrays.binarySearch(limits, bytes);
        return found >= 0 ? found : -found - 1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SizeClasses classes && Arrays.equals(limits, classes.limits);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(limits);
    }

    @Override
    public String toString() {
        return Arrays.toString(limits);
    }
}

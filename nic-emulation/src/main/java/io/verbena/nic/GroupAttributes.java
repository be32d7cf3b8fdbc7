package io.verbena.nic;

/**
 * What a {@link PerformanceGroup} is entitled to, and what its tenant may set for queue pairs. Mutable; not
 * thread-safe. A group hands out copies.
 */
public final class GroupAttributes {
    /** Largest weight of a group and of a queue pair. */
    public static final int MAX_WEIGHT = 65_535;

    /** Largest {@link #urgentLimit(int)}. */
    public static final int MAX_URGENT_LIMIT = 64 * 1024;

    /** Largest {@link #maxSendWindow(int)}. */
    public static final int MAX_SEND_WINDOW = 64 << 20;

    private static final int MAX_NAME = 64;
    private static final long MAX_RATE = 1L << 50;

    private String name = "";
    private int weight = 1;
    private int maxQueuePairWeight = 1024;
    private int maxQueuePairs = Integer.MAX_VALUE;
    private boolean mayBeUrgent = true;
    private int urgentLimit = 4096;
    private int maxSendWindow = 4 << 20;
    private long maxMemory = Long.MAX_VALUE;
    private int maxRegions = Integer.MAX_VALUE;
    private long ceiling;
    private long floor;

    /**
     * Creates the defaults: weight 1, queue pairs up to weight 1024, urgent messages up to 4 KiB, no ceiling, no floor.
     */
    public GroupAttributes() {}

    /** Creates a copy. */
    public GroupAttributes(GroupAttributes other) {
        name = other.name;
        weight = other.weight;
        maxQueuePairWeight = other.maxQueuePairWeight;
        maxQueuePairs = other.maxQueuePairs;
        mayBeUrgent = other.mayBeUrgent;
        urgentLimit = other.urgentLimit;
        maxSendWindow = other.maxSendWindow;
        maxMemory = other.maxMemory;
        maxRegions = other.maxRegions;
        ceiling = other.ceiling;
        floor = other.floor;
    }

    /**
     * Its name, unique in the NIC: 1 to 64 printable characters of ASCII without spaces, quotes and backslashes, so
     * that it can stand in a line of text. It never changes.
     */
    public GroupAttributes name(String text) {
        if (text.isEmpty() || text.length() > MAX_NAME) {
            throw new IllegalArgumentException("name of " + text.length() + " characters outside 1.." + MAX_NAME);
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c > '~' || c == '"' || c == '\\') {
                throw new IllegalArgumentException("name has character " + (int) c + " at " + i);
            }
        }
        name = text;
        return this;
    }

    /** Its weight among groups, 1 to {@value #MAX_WEIGHT}; 1 by default. */
    public GroupAttributes weight(int value) {
        weight = range("weight", value, MAX_WEIGHT);
        return this;
    }

    /** The largest weight that the tenant may give a queue pair, 1 to {@value #MAX_WEIGHT}; 1024 by default. */
    public GroupAttributes maxQueuePairWeight(int value) {
        maxQueuePairWeight = range("maxQueuePairWeight", value, MAX_WEIGHT);
        return this;
    }

    /** Queue pairs that the tenant may have at a time, at least 1; by default bounded only by the NIC's limit. */
    public GroupAttributes maxQueuePairs(int count) {
        maxQueuePairs = range("maxQueuePairs", count, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Whether the tenant may have urgent queue pairs, which it may by default: what they send counts against its own
     * share.
     */
    public GroupAttributes mayBeUrgent(boolean allowed) {
        mayBeUrgent = allowed;
        return this;
    }

    /** Bytes of the longest message of an urgent queue pair, 1 to {@value #MAX_URGENT_LIMIT}; 4096 by default. */
    public GroupAttributes urgentLimit(int bytes) {
        urgentLimit = range("urgentLimit", bytes, MAX_URGENT_LIMIT);
        return this;
    }

    /**
     * Bytes to which one sender of the tenant may let its window of unacknowledged messages grow, 1 to
     * {@value #MAX_SEND_WINDOW}; 4 MiB by default. The code that stages messages for queue pairs enforces it; the NIC
     * does not.
     */
    public GroupAttributes maxSendWindow(int bytes) {
        maxSendWindow = range("maxSendWindow", bytes, MAX_SEND_WINDOW);
        return this;
    }

    /**
     * Bytes of the NIC's memory that its protection domains may use, at least 1: allocated regions and append queues,
     * with the messages that lie there. By default bounded only by the memory. Memory that the caller registers and the
     * rings of queues do not count.
     */
    public GroupAttributes maxMemory(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("maxMemory " + bytes + " < minimum 1");
        }
        maxMemory = bytes;
        return this;
    }

    /**
     * Memory regions that may be registered in its protection domains at a time, and windows allocated, at least 1; by
     * default bounded only by the NIC's limit.
     */
    public GroupAttributes maxRegions(int count) {
        maxRegions = range("maxRegions", count, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Most bytes a second that it may send, over all engines; 0, the default, for no bound. If another unit is charged
     * ({@link NicContext#chargedUnit}), in that unit.
     */
    public GroupAttributes ceiling(long bytesPerSecond) {
        ceiling = rate("ceiling", bytesPerSecond);
        return this;
    }

    /**
     * Bytes a second, or of whatever unit is charged, that it may send before others are served by weight, over all
     * engines; 0, the default, for none. The floors of all groups together must not exceed {@link NicContext#capacity}.
     */
    public GroupAttributes floor(long bytesPerSecond) {
        floor = rate("floor", bytesPerSecond);
        return this;
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** Its weight among groups. */
    public int weight() {
        return weight;
    }

    /** The largest weight of a queue pair. */
    public int maxQueuePairWeight() {
        return maxQueuePairWeight;
    }

    /** Queue pairs at a time. */
    public int maxQueuePairs() {
        return maxQueuePairs;
    }

    /** Whether queue pairs may be urgent. */
    public boolean mayBeUrgent() {
        return mayBeUrgent;
    }

    /** Bytes of the longest message of an urgent queue pair. */
    public int urgentLimit() {
        return urgentLimit;
    }

    /** Bytes to which a sender's window may grow. */
    public int maxSendWindow() {
        return maxSendWindow;
    }

    /** Bytes of the NIC's memory. */
    public long maxMemory() {
        return maxMemory;
    }

    /** Memory regions and windows at a time. */
    public int maxRegions() {
        return maxRegions;
    }

    /** Most bytes a second, 0 for no such bound. */
    public long ceiling() {
        return ceiling;
    }

    /** Bytes a second before others, 0 for none. */
    public long floor() {
        return floor;
    }

    /** Refuses attributes that contradict each other. */
    void check() {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a group needs a name");
        }
        if (ceiling > 0 && floor > ceiling) {
            throw new IllegalArgumentException("floor " + floor + " > ceiling " + ceiling);
        }
    }

    @Override
    public String toString() {
        return "group " + name + " of weight " + weight;
    }

    private static long rate(String name, long bytesPerSecond) {
        if (bytesPerSecond < 0 || bytesPerSecond > MAX_RATE) {
            throw new IllegalArgumentException(name + " " + bytesPerSecond + " outside 0.." + MAX_RATE);
        }
        return bytesPerSecond;
    }

    private static int range(String name, int value, int maximum) {
        if (value < 1 || value > maximum) {
            throw new IllegalArgumentException(name + " " + value + " outside 1.." + maximum);
        }
        return value;
    }
}

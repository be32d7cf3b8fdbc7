package io.verbena.nic.append;

import io.verbena.nic.memory.ControlLimits;

/** What an append queue is made of; fluent setters, checked when the queue is created. Not thread-safe. */
public final class AppendQueueAttributes {
    /** Least length of a chunk in bytes. */
    public static final int MIN_CHUNK_LENGTH = 64 << 10;

    /** Largest length of a chunk in bytes. */
    public static final int MAX_CHUNK_LENGTH = 64 << 20;

    /** Largest message in bytes that a queue can be made to take. */
    public static final int MAX_MESSAGE = 1 << 30;

    private int chunkLength = 1 << 20;
    private int maxMessage = 16 << 20;
    private long memoryLimit;
    private int reserveChunks = 2;
    private long lowWatermark = -1;
    private long holeTimeoutNanos = 1_000_000_000L;
    private long surplusNanos = 1_000_000_000L;

    /** Attributes with the defaults that each setter names. */
    public AppendQueueAttributes() {}

    /** A copy, to change for {@link AppendQueue#modify}. */
    public AppendQueueAttributes(AppendQueueAttributes other) {
        chunkLength = other.chunkLength;
        maxMessage = other.maxMessage;
        memoryLimit = other.memoryLimit;
        reserveChunks = other.reserveChunks;
        lowWatermark = other.lowWatermark;
        holeTimeoutNanos = other.holeTimeoutNanos;
        surplusNanos = other.surplusNanos;
    }

    /**
     * Length of a chunk: a power of two, {@link #MIN_CHUNK_LENGTH} to {@link #MAX_CHUNK_LENGTH}; default 1 MiB. A message
     * above a quarter of it gets a mapping of its own.
     *
     * @param bytes length
     * @return this
     */
    public AppendQueueAttributes chunkLength(int bytes) {
        chunkLength = bytes;
        return this;
    }

    /** Length of a chunk in bytes. */
    public int chunkLength() {
        return chunkLength;
    }

    /**
     * Largest message: 0 to {@link #MAX_MESSAGE}; default 16 MiB.
     *
     * @param bytes length
     * @return this
     */
    public AppendQueueAttributes maxMessage(int bytes) {
        maxMessage = bytes;
        return this;
    }

    /** Largest message in bytes. */
    public int maxMessage() {
        return maxMessage;
    }

    /**
     * Most bytes that the queue may map at a time; default (0): as many chunks as the NIC's limits allow, and two
     * messages of the largest size.
     *
     * @param bytes at least one chunk, the reserve and (if it does not fit in chunks) one largest message; 0 for the default
     * @return this
     */
    public AppendQueueAttributes memoryLimit(long bytes) {
        memoryLimit = bytes;
        return this;
    }

    /** Most bytes mapped at a time; 0 for the default. */
    public long memoryLimit() {
        return memoryLimit;
    }

    /**
     * Clean chunks to keep announced ahead of the tail (RIMA: reserve = line rate x allocation latency); at least 1,
     * default 2.
     *
     * @param chunks number
     * @return this
     */
    public AppendQueueAttributes reserveChunks(int chunks) {
        reserveChunks = chunks;
        return this;
    }

    /** Clean chunks to keep announced ahead of the tail. */
    public int reserveChunks() {
        return reserveChunks;
    }

    /**
     * Free bytes ahead of the tail below which AQ_WATERMARK is raised, once each time; default (-1): the reserve less one chunk.
     *
     * @param bytes 0 to the length of the reserve; -1 for the default
     * @return this
     */
    public AppendQueueAttributes lowWatermark(long bytes) {
        lowWatermark = bytes;
        return this;
    }

    /** Free bytes ahead of the tail below which a watermark crossing is counted; -1 for the default. */
    public long lowWatermark() {
        return lowWatermark;
    }

    /**
     * How long the oldest claim of a direct initiator may stay open before the owner turns it into padding; default 1 s.
     *
     * @param nanos at least 1000
     * @return this
     */
    public AppendQueueAttributes holeTimeoutNanos(long nanos) {
        holeTimeoutNanos = nanos;
        return this;
    }

    /** How long a claim of a direct initiator may stay open, in nanoseconds. */
    public long holeTimeoutNanos() {
        return holeTimeoutNanos;
    }

    /**
     * How long a chunk may lie unused before its memory is given back, and a mapping for a large message wait for its
     * sender; default 1 s.
     *
     * @param nanos at least 1000
     * @return this
     */
    public AppendQueueAttributes surplusNanos(long nanos) {
        surplusNanos = nanos;
        return this;
    }

    /** How long a chunk may lie unused, in nanoseconds. */
    public long surplusNanos() {
        return surplusNanos;
    }

    /** Largest payload that goes into a chunk. */
    int recordLimit() {
        return Math.min(maxMessage, chunkLength / 4);
    }

    /** A checked copy without defaults left to fill in. */
    AppendQueueAttributes concluded(ControlLimits limits) {
        inRange("chunk length", chunkLength, MIN_CHUNK_LENGTH, MAX_CHUNK_LENGTH);
        if (Integer.bitCount(chunkLength) != 1) {
            throw new IllegalArgumentException("chunk length " + chunkLength + " is not a power of two; next is "
                    + Integer.highestOneBit(chunkLength) * 2L);
        }
        inRange("max message", maxMessage, 0, MAX_MESSAGE);
        inRange("reserve chunks", reserveChunks, 1, limits.maxChunksPerQueue() - 2);
        inRange("hole timeout", holeTimeoutNanos, 1000, Long.MAX_VALUE);
        inRange("surplus time", surplusNanos, 1000, Long.MAX_VALUE);
        long reserve = (long) reserveChunks * chunkLength;
        long large = maxMessage > recordLimit() ? maxMessage : 0;
        long least = chunkLength + reserve + large;
        long limit = memoryLimit == 0 ? (long) limits.maxChunksPerQueue() * chunkLength + 2 * large : memoryLimit;
        inRange("memory limit", limit, least, Long.MAX_VALUE);
        long watermark = lowWatermark == -1 ? reserve - chunkLength : lowWatermark;
        inRange("low watermark", watermark, 0, reserve);
        AppendQueueAttributes copy = new AppendQueueAttributes(this);
        copy.memoryLimit = limit;
        copy.lowWatermark = watermark;
        return copy;
    }

    private static void inRange(String name, long value, long minimum, long maximum) {
        if (value < minimum) {
            throw new IllegalArgumentException(name + " " + value + " < minimum " + minimum);
        }
        if (value > maximum) {
            throw new IllegalArgumentException(name + " " + value + " > maximum " + maximum);
        }
    }
}

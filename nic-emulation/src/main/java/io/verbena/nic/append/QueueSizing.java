package io.verbena.nic.append;

/**
 * How much memory an append queue needs (RIMA 3.2.1 and Table 4), by Little's law: what lies in it is the rate at which
 * messages come times how long each stays times how long each is, and what must be ready beside that is what can arrive
 * while more is being allocated. Stateless.
 */
public final class QueueSizing {
    private static final double NANOS = 1e9;

    private QueueSizing() {}

    /**
     * The active buffer: λ · W · s.
     *
     * @param messagesPerSecond λ, at least 0
     * @param serviceNanos W: how long a message stays in the queue, waiting and being handled, at least 0
     * @param meanRecordBytes s: bytes that a message takes there on average, at least 0
     * @return bytes, rounded up
     */
    public static long activeBytes(double messagesPerSecond, long serviceNanos, double meanRecordBytes) {
        atLeastZero("messages per second", messagesPerSecond);
        atLeastZero("service time", serviceNanos);
        atLeastZero("mean record", meanRecordBytes);
        return (long) Math.ceil(messagesPerSecond * serviceNanos / NANOS * meanRecordBytes);
    }

    /**
     * The reserve: line rate · L.
     *
     * @param bytesPerSecond the most that can arrive, at least 0
     * @param allocationNanos L: how long an allocation takes, by a high percentile, at least 0
     * @return bytes, rounded up
     */
    public static long reserveBytes(double bytesPerSecond, long allocationNanos) {
        atLeastZero("bytes per second", bytesPerSecond);
        atLeastZero("allocation time", allocationNanos);
        return (long) Math.ceil(bytesPerSecond * allocationNanos / NANOS);
    }

    /**
     * The reserve in whole chunks. Of each chunk only so much counts as is used when the longest record has just not
     * fitted in its rest.
     *
     * @param bytesPerSecond the most that can arrive, at least 0
     * @param allocationNanos how long an allocation takes, at least 0
     * @param chunkLength bytes of a chunk
     * @param longestRecord payload bytes of the longest message that goes into a chunk
     * @return chunks, at least 1
     */
    public static int reserveChunks(double bytesPerSecond, long allocationNanos, int chunkLength, int longestRecord) {
        return chunks(reserveBytes(bytesPerSecond, allocationNanos), chunkLength, longestRecord);
    }

    /** Whole chunks that hold this many bytes of records, at least 1. */
    static int chunks(long bytes, int chunkLength, int longestRecord) {
        long longest = RecordDescriptor.alignedLength(longestRecord);
        if (longest > chunkLength) {
            throw new IllegalArgumentException("record of " + longest + " bytes > chunk of " + chunkLength);
        }
        long used = chunkLength - longest + RecordDescriptor.ALIGNMENT;
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, (bytes + used - 1) / used));
    }

    /**
     * What a queue maps at most while its load is as given: the active buffer and the reserve in whole chunks, and one
     * more that is being filled or emptied.
     *
     * @param activeBytes of {@link #activeBytes}
     * @param reserveBytes of {@link #reserveBytes}
     * @param chunkLength bytes of a chunk
     * @return bytes
     */
    public static long memoryLimit(long activeBytes, long reserveBytes, int chunkLength) {
        atLeastZero("active bytes", activeBytes);
        atLeastZero("reserve bytes", reserveBytes);
        if (chunkLength < 1) {
            throw new IllegalArgumentException("chunk length " + chunkLength + " < minimum 1");
        }
        long active = (activeBytes + chunkLength - 1) / chunkLength;
        long reserve = (reserveBytes + chunkLength - 1) / chunkLength;
        return (active + reserve + 1) * chunkLength;
    }

    private static void atLeastZero(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " " + value + " < minimum 0");
        }
    }

    private static void atLeastZero(String name, double value) {
        if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(name + " " + value + " outside 0 to what is finite");
        }
    }
}

package io.verbena.nic.append;

import io.verbena.nic.memory.ControlLimits;
import org.jspecify.annotations.Nullable;

/** What an append queue is made of; fluent setters, checked when the queue is created. Not thread-safe. */
public final class AppendQueueAttributes {
    /** Least length of a chunk in bytes. */
    public static final int MIN_CHUNK_LENGTH = 64 << 10;

    /** Largest length of a chunk in bytes. */
    public static final int MAX_CHUNK_LENGTH = 64 << 20;

    /** Largest message in bytes that a queue can be made to take. */
    public static final int MAX_MESSAGE = 1 << 30;

    /** Most large messages that a queue can be made to have open or unread at a time. */
    public static final int MAX_LARGE_MESSAGES = 1 << 16;

    private static final int NOT_GIVEN = -1;
    /** Clean chunks that a queue keeps for itself unless a number is given, or it shares a reserve. */
    static final int DEFAULT_RESERVE = 2;

    private static final long MAX_RATE = 1_000_000_000_000_000L;
    private static final long MAX_NANOS = 3_600_000_000_000L;

    private int chunkLength = 1 << 20;
    private int maxMessage = 16 << 20;
    private long memoryLimit;
    private int reserveChunks = NOT_GIVEN;
    private long lowWatermark = NOT_GIVEN;
    private long holeTimeoutNanos = 1_000_000_000L;
    private long surplusNanos = 1_000_000_000L;
    private long unfinishedTimeoutNanos = 30_000_000_000L;
    private long lineRate;
    private long allocationNanos;
    private double arrivalRate;
    private long serviceNanos;
    private int meanMessage;
    private boolean measured;
    private int largeMessages = 1024;

    private @Nullable Conclusion conclusion; // of a checked copy

    /** What follows from what was given. */
    private record Conclusion(boolean sharesReserve, int reserve, int active, long watermark, long limit) {}

    /** Attributes with the defaults that each setter names. */
    public AppendQueueAttributes() {}

    /** A copy of what was set, to change for {@link AppendQueue#modify}; what follows from it follows anew. */
    public AppendQueueAttributes(AppendQueueAttributes other) {
        chunkLength = other.chunkLength;
        maxMessage = other.maxMessage;
        memoryLimit = other.memoryLimit;
        reserveChunks = other.reserveChunks;
        lowWatermark = other.lowWatermark;
        holeTimeoutNanos = other.holeTimeoutNanos;
        surplusNanos = other.surplusNanos;
        unfinishedTimeoutNanos = other.unfinishedTimeoutNanos;
        lineRate = other.lineRate;
        allocationNanos = other.allocationNanos;
        arrivalRate = other.arrivalRate;
        serviceNanos = other.serviceNanos;
        meanMessage = other.meanMessage;
        measured = other.measured;
        largeMessages = other.largeMessages;
    }

    /**
     * Length of a chunk: a power of two, {@link #MIN_CHUNK_LENGTH} to {@link #MAX_CHUNK_LENGTH}; default 1 MiB. A
     * message above a quarter of it gets a mapping of its own.
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
     * Most bytes that the queue may map at a time, chunks, large messages and messages that arrive in parts; default
     * (0): as many chunks as the NIC's limits allow, and two messages of the largest size.
     *
     * @param bytes at least the active buffer (one chunk, if none is given), the reserve and one largest message; 0 for
     *     the default
     * @return this
     */
    public AppendQueueAttributes memoryLimit(long bytes) {
        memoryLimit = bytes;
        return this;
    }

    /** Most bytes mapped at a time; 0 for the default. */
    public long memoryLimit() {
        Conclusion follows = conclusion;
        return follows == null ? memoryLimit : follows.limit;
    }

    /**
     * Clean chunks to keep announced ahead of the tail, for this queue alone; at least 1. Default: none if the NIC has
     * a reserve that its queues share and nothing else is given that asks for one of its own ({@link #lineRate},
     * {@link #arrivalRate}, {@link #measured}, {@link #lowWatermark}); else 2. A queue that shares the reserve maps
     * nothing while it is idle. Not to be given beside {@link #lineRate}, from which it follows.
     *
     * @param chunks number
     * @return this
     */
    public AppendQueueAttributes reserveChunks(int chunks) {
        reserveChunks = chunks;
        return this;
    }

    /** Clean chunks to keep announced ahead of the tail; 0 of a queue that shares the NIC's. */
    public int reserveChunks() {
        Conclusion follows = conclusion;
        if (follows != null) {
            return follows.reserve;
        }
        return reserveChunks == NOT_GIVEN ? DEFAULT_RESERVE : reserveChunks;
    }

    /**
     * Free bytes ahead of the tail below which AQ_WATERMARK is raised, once each time; default (-1): the reserve less
     * one chunk. It is looked at when the tail enters a chunk, so it is as fine as a chunk. Not to be given beside
     * {@link #measured}.
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
        Conclusion follows = conclusion;
        return follows == null ? lowWatermark : follows.watermark;
    }

    /**
     * How long the oldest claim of a direct initiator may stay open before the owner turns it into padding; default 1
     * s.
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
     * How long memory may lie unused before it is given back, of chunks and of what messages in parts have lain in, and
     * a mapping for a large message wait for its sender; default 1 s.
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

    /**
     * How long a message that arrives in parts may stand still before what has come of it is given up, and its memory
     * with it: nothing of it is delivered, and if its sender goes on after all, that fails (REM_ABORT_ERR). It is given
     * up after this time at the earliest (or two RNR delays of its queue pair, if those are longer), after twice as
     * long at the latest. Default 30 s, which is more than a sender with default timeouts itself waits for a broken
     * link, and more than one should wait for its turn.
     *
     * @param nanos at least 1000
     * @return this
     */
    public AppendQueueAttributes unfinishedTimeoutNanos(long nanos) {
        unfinishedTimeoutNanos = nanos;
        return this;
    }

    /** How long a message that arrives in parts may stand still, in nanoseconds. */
    public long unfinishedTimeoutNanos() {
        return unfinishedTimeoutNanos;
    }

    /**
     * The most that can arrive: the reserve then is what arrives while a chunk is allocated ({@link QueueSizing}), and
     * the low watermark follows it. Default (0): the reserve is given. On a direct path this is the rate at which
     * memory is copied.
     *
     * @param bitsPerSecond 0 to 10^15
     * @return this
     */
    public AppendQueueAttributes lineRate(long bitsPerSecond) {
        lineRate = bitsPerSecond;
        return this;
    }

    /** The most that can arrive, in bits a second; 0 if it is not given. */
    public long lineRate() {
        return lineRate;
    }

    /**
     * How long an allocation takes, by a high percentile, beside {@link #lineRate}; default (0): 1 ms.
     *
     * @param nanos 0 to an hour
     * @return this
     */
    public AppendQueueAttributes allocationNanos(long nanos) {
        allocationNanos = nanos;
        return this;
    }

    /** How long an allocation takes, in nanoseconds; 0 if it is not given. */
    public long allocationNanos() {
        return allocationNanos;
    }

    /**
     * Messages that come in a second. With {@link #serviceNanos} and {@link #meanMessage} it says how much lies in the
     * queue (RIMA: the active buffer, by Little's law), so that this much stays mapped when the queue is empty for a
     * while. All of the three or none.
     *
     * @param messagesPerSecond 0 to 10^15; 0, the default, if it is not given
     * @return this
     */
    public AppendQueueAttributes arrivalRate(double messagesPerSecond) {
        arrivalRate = messagesPerSecond;
        return this;
    }

    /** Messages that come in a second; 0 if it is not given. */
    public double arrivalRate() {
        return arrivalRate;
    }

    /**
     * How long a message stays in the queue, waiting and being handled; see {@link #arrivalRate}.
     *
     * @param nanos 0 to an hour
     * @return this
     */
    public AppendQueueAttributes serviceNanos(long nanos) {
        serviceNanos = nanos;
        return this;
    }

    /** How long a message stays in the queue, in nanoseconds; 0 if it is not given. */
    public long serviceNanos() {
        return serviceNanos;
    }

    /**
     * Bytes of a message on average; see {@link #arrivalRate}.
     *
     * @param bytes 0 to {@link #MAX_MESSAGE}
     * @return this
     */
    public AppendQueueAttributes meanMessage(int bytes) {
        meanMessage = bytes;
        return this;
    }

    /** Bytes of a message on average; 0 if it is not given. */
    public int meanMessage() {
        return meanMessage;
    }

    /**
     * Whether reserve and active buffer follow what the allocator measures: the recent peak of the rate, how long an
     * allocation takes, what lies in the queue. They stay between one chunk and the memory limit, and begin as given.
     * Default: no.
     *
     * @param follow whether
     * @return this
     */
    public AppendQueueAttributes measured(boolean follow) {
        measured = follow;
        return this;
    }

    /** Whether reserve and active buffer follow what is measured. */
    public boolean measured() {
        return measured;
    }

    /**
     * Messages with a mapping of their own that may be open or unread at a time; more are answered RNR. Default 1024.
     *
     * @param count 1 to {@link #MAX_LARGE_MESSAGES}
     * @return this
     */
    public AppendQueueAttributes largeMessages(int count) {
        largeMessages = count;
        return this;
    }

    /** Messages with a mapping of their own that may be open or unread at a time. */
    public int largeMessages() {
        return largeMessages;
    }

    /** Largest payload that goes into a chunk. */
    int recordLimit() {
        return Math.min(maxMessage, chunkLength / 4);
    }

    /** Chunks that are not given back while they are unused, beside the reserve; of a checked copy. */
    int activeChunks() {
        return checked().active;
    }

    /** Most chunks of active buffer and reserve together; of a checked copy. */
    int mostChunks(ControlLimits limits) {
        return (int) Math.min(limits.maxChunksPerQueue() - 1, (checked().limit - apart()) / chunkLength);
    }

    /**
     * Bytes that one longest message takes beside the chunks: in a mapping of its own, or while it arrives in parts.
     */
    long apart() {
        return maxMessage > recordLimit() ? maxMessage : Staging.capacity(maxMessage);
    }

    /** Whether the queue has no reserve but the NIC's; of a checked copy. */
    boolean sharesReserve() {
        return checked().sharesReserve;
    }

    private Conclusion checked() {
        Conclusion follows = conclusion;
        if (follows == null) {
            throw new IllegalStateException("these attributes are not checked");
        }
        return follows;
    }

    private boolean asksForReserve() {
        return reserveChunks != NOT_GIVEN || lineRate != 0 || arrivalRate != 0 || measured || lowWatermark != NOT_GIVEN;
    }

    /**
     * A checked copy without defaults left to fill in.
     *
     * @param limits of the NIC
     * @param hasSharedReserve whether the NIC has a reserve that its queues share
     */
    AppendQueueAttributes concluded(ControlLimits limits, boolean hasSharedReserve) {
        inRange("chunk length", chunkLength, MIN_CHUNK_LENGTH, MAX_CHUNK_LENGTH);
        if (Integer.bitCount(chunkLength) != 1) {
            throw new IllegalArgumentException("chunk length " + chunkLength + " is not a power of two; next is "
                    + Integer.highestOneBit(chunkLength) * 2L);
        }
        inRange("max message", maxMessage, 0, MAX_MESSAGE);
        inRange("hole timeout", holeTimeoutNanos, 1000, Long.MAX_VALUE);
        inRange("surplus time", surplusNanos, 1000, Long.MAX_VALUE);
        inRange("timeout of unfinished messages", unfinishedTimeoutNanos, 1000, Long.MAX_VALUE);
        inRange("large messages", largeMessages, 1, MAX_LARGE_MESSAGES);
        int given = concludedReserve(limits);
        boolean sharesReserve = hasSharedReserve && !asksForReserve();
        int reserve = sharesReserve ? 0 : given;
        int active = concludedActive(limits, reserve);
        long reserved = (long) reserve * chunkLength;
        long least = (long) active * chunkLength + reserved + apart();
        long limit = memoryLimit == 0 ? (long) limits.maxChunksPerQueue() * chunkLength + 2 * apart() : memoryLimit;
        inRange("memory limit", limit, least, Long.MAX_VALUE);
        if (measured && lowWatermark != NOT_GIVEN) {
            throw new IllegalArgumentException(
                    "low watermark " + lowWatermark + " given, and measured: it follows the reserve then");
        }
        long watermark = lowWatermark == NOT_GIVEN ? Math.max(0, reserved - chunkLength) : lowWatermark;
        inRange("low watermark", watermark, 0, reserved);
        AppendQueueAttributes copy = new AppendQueueAttributes(this);
        copy.conclusion = new Conclusion(sharesReserve, reserve, active, watermark, limit);
        return copy;
    }

    private int concludedReserve(ControlLimits limits) {
        inRange("line rate", lineRate, 0, MAX_RATE);
        inRange("allocation time", allocationNanos, 0, MAX_NANOS);
        int most = limits.maxChunksPerQueue() - 2;
        if (lineRate == 0) {
            if (allocationNanos != 0) {
                throw new IllegalArgumentException("allocation time " + allocationNanos + " given without a line rate");
            }
            int given = reserveChunks();
            inRange("reserve chunks", given, 1, most);
            return given;
        }
        long latency = allocationNanos == 0 ? 1_000_000 : allocationNanos;
        int follows = QueueSizing.reserveChunks(lineRate / 8.0, latency, chunkLength, recordLimit());
        if (reserveChunks != NOT_GIVEN) {
            throw new IllegalArgumentException("reserve chunks " + reserveChunks + " and line rate " + lineRate
                    + " given: the reserve follows from the line rate, " + follows);
        }
        inRange("reserve chunks for the line rate", follows, 1, most);
        return follows;
    }

    private int concludedActive(ControlLimits limits, int reserved) {
        if (!(arrivalRate >= 0 && arrivalRate <= MAX_RATE)) {
            throw new IllegalArgumentException("arrival rate " + arrivalRate + " outside 0 to " + MAX_RATE);
        }
        inRange("service time", serviceNanos, 0, MAX_NANOS);
        inRange("mean message", meanMessage, 0, MAX_MESSAGE);
        if (arrivalRate == 0 && serviceNanos == 0 && meanMessage == 0) {
            return 1;
        }
        if (arrivalRate == 0 || serviceNanos == 0) {
            throw new IllegalArgumentException("arrival rate " + arrivalRate + ", service time " + serviceNanos
                    + ", mean message " + meanMessage + ": all of the three or none");
        }
        long bytes = QueueSizing.activeBytes(
                arrivalRate, serviceNanos, (double) RecordDescriptor.alignedLength(meanMessage));
        int follows = QueueSizing.chunks(bytes, chunkLength, recordLimit());
        inRange("active chunks for the arrival rate", follows, 1, limits.maxChunksPerQueue() - 1 - reserved);
        return follows;
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

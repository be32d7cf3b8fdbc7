package io.verbena.kv.store;

import io.verbena.kv.protocol.ReadIndexDescriptor;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestDescriptor;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.function.IntFunction;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link Shard}. Set them before the shard is made; it reads them once. Not thread-safe.
 */
public final class ShardContext {
    /** Databases of a shard unless set otherwise. */
    public static final int DEFAULT_DATABASES = 16;
    /** Greatest length of a key in bytes. */
    public static final int MAX_KEY_LENGTH = 64 * 1024;
    /** Samples of an eviction unless set otherwise, as in Redis. */
    public static final int DEFAULT_EVICTION_SAMPLES = 5;

    /** Bytes for requests that are collected beside the data unless set otherwise. */
    public static final long DEFAULT_ARGUMENT_BUDGET = 16L << 20;

    /** Greatest reply in bytes unless set otherwise. */
    public static final int DEFAULT_MAX_REPLY_LENGTH = 256 << 20;
    /** Least limit on replies in bytes: errors always find room. */
    public static final int MIN_MAX_REPLY_LENGTH = 1024;

    private static final int MAX_DATABASES = 1 << 16;
    /** An entry names a slot by 43 bits. */
    private static final long MAX_OVERFLOW_END = 1L << 43;

    private int databases = DEFAULT_DATABASES;
    private long maxMemory;
    private long memoryBudget;
    private long argumentBudget = DEFAULT_ARGUMENT_BUDGET;
    private int maxReplyLength = DEFAULT_MAX_REPLY_LENGTH;
    private EvictionPolicy evictionPolicy = EvictionPolicy.REFUSE;
    private int evictionSamples = DEFAULT_EVICTION_SAMPLES;
    private int maxValueLength = RequestDescriptor.MAX_ARGUMENT_LENGTH;
    private IntFunction<ByteBuffer> memorySource = ByteBuffer::allocateDirect;
    private @Nullable OverflowRange overflow;
    private @Nullable UnsafeBuffer readIndex;
    private int readSlotLength;
    private long seed = new SecureRandom().nextLong();
    private long hashKey0 = new SecureRandom().nextLong();
    private long hashKey1 = new SecureRandom().nextLong();

    /** Creates the default settings, with a random seed. */
    public ShardContext() {}

    /**
     * @param count of databases, 1 to 65 536
     * @return this
     */
    public ShardContext databases(int count) {
        if (count < 1 || count > MAX_DATABASES) {
            throw new IllegalArgumentException("databases " + count + " is not in 1 to " + MAX_DATABASES);
        }
        databases = count;
        return this;
    }

    /** @return number of databases */
    public int databases() {
        return databases;
    }

    /**
     * @param bytes of blocks that the shard may use, 0 for no limit but the process'
     * @return this
     */
    public ShardContext maxMemory(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("maximum memory " + bytes + " < 0");
        }
        maxMemory = bytes;
        return this;
    }

    /** @return bytes of blocks that the shard may use, 0 for no limit */
    public long maxMemory() {
        return maxMemory;
    }

    /**
     * Limits the direct memory that the shard holds from the process, the free parts of it included. A request that
     * needs more is refused with an OOM error, or keys are evicted for it, by {@link #evictionPolicy}. Replies are not
     * part of it, nor those that are held until their client has read them.
     *
     * @param bytes held at most, 0 for no limit but the process'
     * @return this
     */
    public ShardContext memoryBudget(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("memory budget " + bytes + " < 0");
        }
        memoryBudget = bytes;
        return this;
    }

    /** @return bytes of direct memory that the shard may hold from the process, 0 for no limit */
    public long memoryBudget() {
        return memoryBudget;
    }

    /**
     * Sets memory apart in which requests longer than a message are collected while data leaves no room for them: those
     * that free memory are executed at the limit too. A request that this is too little for is refused with an OOM
     * error, or keys are evicted for it.
     *
     * @param bytes held at most beside {@link #memoryBudget}, 0 for none
     * @return this
     */
    public ShardContext argumentBudget(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("argument budget " + bytes + " < 0");
        }
        argumentBudget = bytes;
        return this;
    }

    /** @return bytes in which requests are collected beside the data */
    public long argumentBudget() {
        return argumentBudget;
    }

    /**
     * Limits a reply, that of a transaction too. A command whose reply would be longer is answered with an error and
     * changes nothing.
     *
     * @param bytes of a reply, {@value #MIN_MAX_REPLY_LENGTH} to {@link ReplyEncoder#MAX_CAPACITY}
     * @return this
     */
    public ShardContext maxReplyLength(int bytes) {
        if (bytes < MIN_MAX_REPLY_LENGTH || bytes > ReplyEncoder.MAX_CAPACITY) {
            throw new IllegalArgumentException("maximum reply length " + bytes + " is not in " + MIN_MAX_REPLY_LENGTH
                    + " to " + ReplyEncoder.MAX_CAPACITY);
        }
        maxReplyLength = bytes;
        return this;
    }

    /** @return bytes of a reply */
    public int maxReplyLength() {
        return maxReplyLength;
    }

    /**
     * @param policy when the limit is reached
     * @return this
     */
    public ShardContext evictionPolicy(EvictionPolicy policy) {
        evictionPolicy = policy;
        return this;
    }

    /** @return what happens when the limit is reached */
    public EvictionPolicy evictionPolicy() {
        return evictionPolicy;
    }

    /**
     * @param samples of each database that an eviction looks at, 1 to 64
     * @return this
     */
    public ShardContext evictionSamples(int samples) {
        if (samples < 1 || samples > 64) {
            throw new IllegalArgumentException("eviction samples " + samples + " is not in 1 to 64");
        }
        evictionSamples = samples;
        return this;
    }

    /** @return samples of each database that an eviction looks at */
    public int evictionSamples() {
        return evictionSamples;
    }

    /**
     * @param bytes that a value may have, 1 to 512 MiB
     * @return this
     */
    public ShardContext maxValueLength(int bytes) {
        if (bytes < 1 || bytes > RequestDescriptor.MAX_ARGUMENT_LENGTH) {
            throw new IllegalArgumentException("maximum value length " + bytes + " is not in 1 to maximum "
                    + RequestDescriptor.MAX_ARGUMENT_LENGTH);
        }
        maxValueLength = bytes;
        return this;
    }

    /** @return bytes that a value may have */
    public int maxValueLength() {
        return maxValueLength;
    }

    /**
     * Gives the shard memory in which it publishes short strings that do not expire, for clients that read them without
     * the shard; laid out as {@link ReadIndexDescriptor} says. Without, nothing is published.
     *
     * @param region of at least {@link ReadIndexDescriptor#regionLength} of one set; it is cleared, and the shard alone
     *     writes it, until it is closed
     * @param slotLength bytes of a key with its value and {@link ReadIndexDescriptor#KEY_OFFSET} more: a power of two,
     *     {@value ReadIndexDescriptor#MIN_SLOT_LENGTH} to {@value ReadIndexDescriptor#MAX_SLOT_LENGTH}
     * @return this
     */
    public ShardContext readIndex(UnsafeBuffer region, int slotLength) {
        if (ReadIndexDescriptor.setsBits(region.capacity(), slotLength) < 0) {
            throw new IllegalArgumentException("read index of " + region.capacity() + " bytes < minimum "
                    + ReadIndexDescriptor.regionLength(0, slotLength) + " for slots of " + slotLength);
        }
        readIndex = region;
        readSlotLength = slotLength;
        return this;
    }

    @Nullable
    UnsafeBuffer readIndex() {
        return readIndex;
    }

    int readSlotLength() {
        return readSlotLength;
    }

    /** A range of memory that values are moved to. */
    record OverflowRange(OverflowMemory memory, long offset, long length) {}

    /**
     * Gives the shard memory elsewhere to which it moves values, the longest idle first, when it is over
     * {@link #maxMemory} or {@link #memoryBudget}; {@link #evictionPolicy} says what happens when that is full, too.
     * Values of 64 bytes to 64 KiB and of up to 1,024 elements are moved.
     *
     * @param memory of which nobody else uses the range
     * @param offset of the range, a multiple of 4096
     * @param length of the range in bytes
     * @return this
     */
    public ShardContext overflow(OverflowMemory memory, long offset, long length) {
        if (offset < 0 || offset % OverflowSpace.PAGE != 0) {
            throw new IllegalArgumentException(
                    "overflow offset " + offset + " is no positive multiple of " + OverflowSpace.PAGE);
        }
        if (length < OverflowSpace.PAGE || offset + length > MAX_OVERFLOW_END) {
            throw new IllegalArgumentException("overflow length " + length + " from " + offset + " is not in "
                    + OverflowSpace.PAGE + " to " + (MAX_OVERFLOW_END - offset));
        }
        overflow = new OverflowRange(memory, offset, length);
        return this;
    }

    @Nullable
    OverflowRange overflow() {
        return overflow;
    }

    /**
     * Makes random choices and hashes repeatable. For tests only: with a known seed, keys can be chosen that collide.
     *
     * @param value of the seed
     * @return this
     */
    public ShardContext seed(long value) {
        seed = value;
        hashKey0 = value;
        hashKey1 = ~value;
        return this;
    }

    long seed() {
        return seed;
    }

    /**
     * Says where the shard's memory comes from: {@link ByteBuffer#allocateDirect} unless set otherwise. A mapping of a
     * file is a direct buffer, too.
     *
     * @param source makes a direct buffer of this many bytes, which is freed when the shard needs it no more, or throws
     *     OutOfMemoryError
     * @return this
     */
    public ShardContext memorySource(IntFunction<ByteBuffer> source) {
        memorySource = source;
        return this;
    }

    ByteBuffer allocate(int bytes) {
        return memorySource.apply(bytes);
    }

    SipHash newHash() {
        return new SipHash(hashKey0, hashKey1);
    }
}

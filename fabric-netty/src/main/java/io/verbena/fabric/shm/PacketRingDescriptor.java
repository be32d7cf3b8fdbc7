package io.verbena.fabric.shm;

import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Layout of a byte ring for one producer and one consumer, who may be in two processes.
 *
 * <pre>
 *     0      +-----------------------------------------------------------+
 *            | magic (8) | version (4) | capacity (4) | max packet (4)   |
 *            | number + 1 under which the consumer wants to be told, or  |
 *            | 0 if it looks by itself (4)                               |
 *    64      +-----------------------------------------------------------+
 *            | doorbell (4): 1 while a wake-up is on its way             |
 *   128      +-----------------------------------------------------------+
 *            | producer position (8), written at flush, for onlookers    |
 *   256      +-----------------------------------------------------------+
 *            | consumer position (8), written each eighth of a lap and   |
 *            | when the ring is found empty                              |
 *   384      +-----------------------------------------------------------+
 *            | records, capacity bytes (a power of two)                  |
 *            +-----------------------------------------------------------+
 *
 *   record, 8-byte aligned, never across the end
 *            +----------------+----------------+-------------------------+
 *            |  length (4)    |  unused (4)    | packet, padded to 8     |
 *            +----------------+----------------+-------------------------+
 * </pre>
 *
 * <p>The length is the commit: 0 is "nothing yet", positive a packet, negative padding of that many bytes up to the end
 * of the ring. Before the producer commits a record it writes 0 into the length word that follows it, so the consumer
 * never finds a stale length and need not clear what it has read: it reads a record's own cache lines and writes none.
 * For that the word after the last record is always free.
 */
public final class PacketRingDescriptor {
    /** "VBRING" with a format number. */
    public static final long MAGIC = 0x01_00_47_4E_49_52_42_56L;

    /** Version of the layout. */
    public static final int VERSION = 2;

    /** Offset of the magic number. */
    public static final int MAGIC_OFFSET = 0;

    /** Offset of the version. */
    public static final int VERSION_OFFSET = 8;

    /** Offset of the capacity. */
    public static final int CAPACITY_OFFSET = 12;

    /** Offset of the largest packet's length. */
    public static final int MAX_PACKET_OFFSET = 16;

    /** Offset of what the consumer wants to be told under: a number plus 1, or 0 for nothing. */
    public static final int ANNOUNCE_OFFSET = 24;

    /** Offset of the doorbell word; used between processes only. */
    public static final int DOORBELL_OFFSET = 64;

    /** Offset of the producer position. */
    public static final int PRODUCER_POSITION_OFFSET = 128;

    /** Offset of the consumer position. */
    public static final int CONSUMER_POSITION_OFFSET = 256;

    /** Bytes before the first record. */
    public static final int HEADER_LENGTH = 384;

    /** Bytes before a packet in its record. */
    public static final int RECORD_HEADER_LENGTH = 8;

    /** Records begin at multiples of this. */
    public static final int RECORD_ALIGNMENT = 8;

    /** The smallest ring, in bytes of records. */
    public static final int MIN_CAPACITY = 4096;

    /** The largest ring, in bytes of records. */
    public static final int MAX_CAPACITY = 1 << 29;

    /** Largest packets that a ring must be able to hold. */
    public static final int MIN_PACKETS = 4;

    private PacketRingDescriptor() {}

    /** Bytes that a packet of a length takes in the ring. */
    public static int recordLength(int packetLength) {
        return BitUtil.align(packetLength + RECORD_HEADER_LENGTH, RECORD_ALIGNMENT);
    }

    /** Bytes of memory that a ring of a capacity takes. */
    public static int totalLength(int capacity) {
        return HEADER_LENGTH + capacity;
    }

    /**
     * Checks a capacity.
     *
     * @param capacity bytes of records
     * @param maxPacket bytes of the largest packet
     * @throws IllegalArgumentException if it is no power of two, out of range, or holds too few packets
     */
    public static void checkCapacity(int capacity, int maxPacket) {
        if (capacity < MIN_CAPACITY || capacity > MAX_CAPACITY || !BitUtil.isPowerOfTwo(capacity)) {
            throw new IllegalArgumentException("ring of " + capacity + " bytes, expected a power of two from "
                    + MIN_CAPACITY + " to " + MAX_CAPACITY);
        }
        if (maxPacket < 1 || maxPacket > capacity || capacity < (long) MIN_PACKETS * recordLength(maxPacket)) {
            throw new IllegalArgumentException("ring of " + capacity + " bytes holds less than " + MIN_PACKETS
                    + " packets of " + maxPacket + " bytes; make it larger or the packets smaller");
        }
    }

    /** What a header says of the largest packet, brought to what a ring of a capacity can hold. */
    static int boundedMaxPacket(int maxPacket, int capacity) {
        return Math.max(0, Math.min(maxPacket, capacity / MIN_PACKETS - RECORD_HEADER_LENGTH));
    }

    /**
     * Lays a ring out in zeroed memory.
     *
     * @param buffer of {@link #totalLength} bytes
     * @param capacity bytes of records
     * @param maxPacket bytes of the largest packet
     */
    public static void initialize(AtomicBuffer buffer, int capacity, int maxPacket) {
        checkCapacity(capacity, maxPacket);
        if (buffer.capacity() != totalLength(capacity)) {
            throw new IllegalArgumentException(
                    "memory of " + buffer.capacity() + " bytes, expected " + totalLength(capacity));
        }
        buffer.putInt(VERSION_OFFSET, VERSION);
        buffer.putInt(CAPACITY_OFFSET, capacity);
        buffer.putInt(MAX_PACKET_OFFSET, maxPacket);
        buffer.putLongRelease(MAGIC_OFFSET, MAGIC);
    }

    /**
     * Says what is wrong with a ring that another process laid out.
     *
     * @param buffer holds it
     * @param capacity that it should have
     * @param maxPacket that it should have
     * @return the reason to refuse it, or null if it is sound
     */
    public static @Nullable String defect(AtomicBuffer buffer, int capacity, int maxPacket) {
        if (buffer.capacity() != totalLength(capacity)) {
            return "ring memory of " + buffer.capacity() + " bytes, expected " + totalLength(capacity);
        }
        if (buffer.getLongAcquire(MAGIC_OFFSET) != MAGIC) {
            return "ring without the magic number";
        }
        if (buffer.getInt(VERSION_OFFSET) != VERSION) {
            return "ring of version " + buffer.getInt(VERSION_OFFSET) + ", expected " + VERSION;
        }
        if (buffer.getInt(CAPACITY_OFFSET) != capacity) {
            return "ring of capacity " + buffer.getInt(CAPACITY_OFFSET) + ", expected " + capacity;
        }
        if (buffer.getInt(MAX_PACKET_OFFSET) != maxPacket) {
            return "ring for packets of " + buffer.getInt(MAX_PACKET_OFFSET) + " bytes, expected " + maxPacket;
        }
        return null;
    }
}

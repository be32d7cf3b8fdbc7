package io.verbena.fabric.shm;

import static io.verbena.fabric.shm.PacketRingDescriptor.ANNOUNCE_OFFSET;
import static io.verbena.fabric.shm.PacketRingDescriptor.CONSUMER_POSITION_OFFSET;
import static io.verbena.fabric.shm.PacketRingDescriptor.HEADER_LENGTH;
import static io.verbena.fabric.shm.PacketRingDescriptor.MAX_PACKET_OFFSET;
import static io.verbena.fabric.shm.PacketRingDescriptor.PRODUCER_POSITION_OFFSET;
import static io.verbena.fabric.shm.PacketRingDescriptor.RECORD_ALIGNMENT;
import static io.verbena.fabric.shm.PacketRingDescriptor.RECORD_HEADER_LENGTH;

import io.verbena.nic.port.Link;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The producer's end of a packet ring.
 *
 * <p>Concurrency: one thread at a time, handed over with a happens-before edge. It alone writes records; of the
 * consumer's it reads the position, and that only when the room it knows of is used up. A position that no consumer can
 * be at ends the ring: there is no room in it from then on, and {@link #fault} says why.
 */
public final class PacketRingWriter {
    private final AtomicBuffer buffer;
    private final int capacity;
    private final int maxPacket;
    private long position;
    private long published;
    private long consumerPosition;
    private int claimed;
    private int claimedLength;
    private boolean corrupt;
    private long corruptPosition;

    /**
     * Opens the producer's end.
     *
     * @param buffer a ring that was laid out by {@link PacketRingDescriptor#initialize} and never written to
     */
    public PacketRingWriter(AtomicBuffer buffer) {
        this.buffer = buffer;
        // What is mapped counts, not what the other side may have written into the header since it was looked at.
        this.capacity = buffer.capacity() - HEADER_LENGTH;
        this.maxPacket = PacketRingDescriptor.boundedMaxPacket(buffer.getInt(MAX_PACKET_OFFSET), capacity);
    }

    /** The largest packet in bytes. */
    public int maxPacket() {
        return maxPacket;
    }

    /** The ring's memory, in which claims lie. */
    public AtomicBuffer buffer() {
        return buffer;
    }

    /** Bytes written since the ring was made, padding and headers included. */
    public long position() {
        return position;
    }

    /**
     * Reserves room for one packet.
     *
     * @param length in bytes, 1 to {@link #maxPacket}
     * @return offset in {@link #buffer}, a multiple of 8; or {@link Link#NO_ROOM}
     * @throws IllegalArgumentException if the length is out of range
     */
    public int claim(int length) {
        if (length < 1 || length > maxPacket) {
            throw new IllegalArgumentException("packet of " + length + " bytes, expected 1 to " + maxPacket);
        }
        int recordLength = (length + RECORD_HEADER_LENGTH + RECORD_ALIGNMENT - 1) & -RECORD_ALIGNMENT;
        int index = (int) position & (capacity - 1);
        int toEnd = capacity - index;
        // A record needs its bytes, the padding before it if it does not fit before the end, and the word after it.
        int padding = recordLength > toEnd ? toEnd : 0;
        if (!hasRoom(padding + recordLength + RECORD_HEADER_LENGTH)) {
            return Link.NO_ROOM;
        }
        if (padding > 0) {
            buffer.putInt(HEADER_LENGTH, 0);
            buffer.putIntRelease(HEADER_LENGTH + index, -padding);
            position += padding;
            index = 0;
        }
        buffer.putInt(HEADER_LENGTH + ((index + recordLength) & (capacity - 1)), 0);
        claimed = HEADER_LENGTH + index;
        claimedLength = length;
        return HEADER_LENGTH + index + RECORD_HEADER_LENGTH;
    }

    private boolean hasRoom(int needed) {
        if (capacity - (position - consumerPosition) >= needed) {
            return true;
        }
        return look() && capacity - (position - consumerPosition) >= needed;
    }

    /** Looks where the consumer is. Returns whether that can be. */
    private boolean look() {
        if (corrupt) {
            return false;
        }
        long found = buffer.getLongAcquire(CONSUMER_POSITION_OFFSET);
        if (found - consumerPosition < 0 || found - position > 0) {
            corrupt = true; // for good: what it has read is not known any more
            corruptPosition = found;
            return false;
        }
        consumerPosition = found;
        return true;
    }

    /** Why no consumer has written what was found in the ring; null if all was well. There is no room any more then. */
    @Nullable
    String fault() {
        return corrupt
                ? "ring whose consumer says that it is at position " + corruptPosition + ", expected "
                        + consumerPosition + " to " + position
                : null;
    }

    /**
     * Bytes that the consumer has not said to have taken: up to an eighth of a lap more than there are, until there are
     * none.
     */
    int ahead() {
        look();
        return (int) (position - consumerPosition);
    }

    /** Makes the claimed packet visible to the consumer. */
    public void commit() {
        int length = claimedLength;
        claimedLength = 0;
        if (length == 0) {
            throw new IllegalStateException("commit without a claim");
        }
        position += (length + RECORD_HEADER_LENGTH + RECORD_ALIGNMENT - 1) & -RECORD_ALIGNMENT;
        buffer.putIntRelease(claimed, length);
    }

    /**
     * Writes the position where onlookers find it; the consumer does not need it.
     *
     * @return whether something was written since the last call
     */
    public boolean publishPosition() {
        if (published == position) {
            return false;
        }
        published = position;
        buffer.putLongOpaque(PRODUCER_POSITION_OFFSET, position);
        return true;
    }

    /** The number under which the consumer wants packets to be announced, or -1. */
    int announcedUnder() {
        return buffer.getIntVolatile(ANNOUNCE_OFFSET) - 1;
    }
}

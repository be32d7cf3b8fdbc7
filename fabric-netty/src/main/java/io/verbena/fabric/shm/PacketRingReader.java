package io.verbena.fabric.shm;

import static io.verbena.fabric.shm.PacketRingDescriptor.ANNOUNCE_OFFSET;
import static io.verbena.fabric.shm.PacketRingDescriptor.CONSUMER_POSITION_OFFSET;
import static io.verbena.fabric.shm.PacketRingDescriptor.HEADER_LENGTH;
import static io.verbena.fabric.shm.PacketRingDescriptor.MAX_PACKET_OFFSET;
import static io.verbena.fabric.shm.PacketRingDescriptor.RECORD_ALIGNMENT;
import static io.verbena.fabric.shm.PacketRingDescriptor.RECORD_HEADER_LENGTH;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import org.agrona.concurrent.AtomicBuffer;

/**
 * The consumer's end of a packet ring.
 *
 * <p>Concurrency: one thread at a time, handed over with a happens-before edge. It reads records and writes nothing but
 * its position, once an eighth of a lap, so that the producer always finds three quarters of an empty ring free, and
 * when it has found the ring empty, so that the producer can tell.
 */
public final class PacketRingReader {
    private final AtomicBuffer buffer;
    private final int capacity;
    private final int maxPacket;
    private final int publishInterval;
    private long position;
    private long published;
    private boolean corrupt;

    /**
     * Opens the consumer's end.
     *
     * @param buffer a ring that was laid out by {@link PacketRingDescriptor#initialize} and never read from
     */
    public PacketRingReader(AtomicBuffer buffer) {
        this.buffer = buffer;
        // What is mapped counts, not what the other side may have written into the header since it was looked at.
        this.capacity = buffer.capacity() - HEADER_LENGTH;
        this.maxPacket = PacketRingDescriptor.boundedMaxPacket(buffer.getInt(MAX_PACKET_OFFSET), capacity);
        this.publishInterval = capacity >> 3;
    }

    /**
     * Delivers packets.
     *
     * @param link passed on to the handler
     * @param handler takes each packet; may throw, the packet then counts as delivered
     * @param limit most packets
     * @return packets delivered
     */
    public int poll(Link link, PacketHandler handler, int limit) {
        int delivered = 0;
        while (delivered < limit) {
            int index = (int) position & (capacity - 1);
            int length = buffer.getIntAcquire(HEADER_LENGTH + index);
            if (length == 0 || corrupt) {
                break;
            }
            if (position - published >= publishInterval) {
                publish();
            }
            if (length < 0) {
                // No producer pads a whole ring; taken for padding it would be gone round for ever.
                if (index == 0 || -length != capacity - index) {
                    corrupt = true;
                    break;
                }
                position += -length;
                continue;
            }
            int recordLength = (length + RECORD_HEADER_LENGTH + RECORD_ALIGNMENT - 1) & -RECORD_ALIGNMENT;
            if (length > maxPacket || recordLength > capacity - index) {
                corrupt = true;
                break;
            }
            position += recordLength;
            delivered++;
            handler.onPacket(link, buffer, HEADER_LENGTH + index + RECORD_HEADER_LENGTH, length);
        }
        if (position != published && (delivered < limit || position - published >= publishInterval)) {
            publish();
        }
        return delivered;
    }

    private void publish() {
        published = position;
        buffer.putLongRelease(CONSUMER_POSITION_OFFSET, position);
    }

    /**
     * Tells the producer under which number its packets are to be announced, with a full fence.
     *
     * @param number at least 0, or -1: they are not
     */
    void announceUnder(int number) {
        buffer.getAndSetInt(ANNOUNCE_OFFSET, number + 1);
    }

    /** Whether {@link #poll} would find something. */
    public boolean hasNext() {
        return !corrupt && buffer.getIntAcquire(HEADER_LENGTH + ((int) position & (capacity - 1))) != 0;
    }

    /** Whether a length was found that no producer writes; nothing is delivered any more. */
    public boolean isCorrupt() {
        return corrupt;
    }

    /** Bytes read since the ring was made, padding and headers included. */
    public long position() {
        return position;
    }
}

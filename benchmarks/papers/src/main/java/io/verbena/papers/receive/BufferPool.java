package io.verbena.papers.receive;

import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.verification.RunException;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;

/**
 * A shared receive queue and buffers of one length, which it has posted unless a message is in them. Aliased buffers
 * are all the same memory: they count as if each had its own, but contents are worth nothing.
 *
 * <p>A receive's id is its pool's number in the upper half and the buffer's in the lower.
 */
final class BufferPool {
    private static final int REGION_BYTES = 1 << 30;

    private final ProtectionDomain domain;
    private final int number;
    private final int length;
    private final int stride;
    private final int count;
    private final boolean aliased;
    private final int buffersOfRegion;
    private final MemoryRegion[] regions;
    private final SharedReceiveQueue queue;

    /**
     * Allocates the buffers and posts them.
     *
     * @param domain of the regions and the queue
     * @param number of the pool
     * @param length of a buffer in bytes
     * @param count of buffers, 1 to {@link SharedReceiveQueue#MAX_DEPTH}
     * @param aliased whether all buffers are the same memory
     */
    BufferPool(ProtectionDomain domain, int number, int length, int count, boolean aliased) {
        this.domain = domain;
        this.number = number;
        this.length = length;
        this.count = count;
        this.aliased = aliased;
        stride = BitUtil.align(length, BitUtil.SIZE_OF_LONG);
        buffersOfRegion = aliased ? 1 : Math.max(1, Math.min(count, REGION_BYTES / stride));
        queue = domain.createSharedReceiveQueue(count, 1);
        regions = new MemoryRegion[aliased ? 1 : (count + buffersOfRegion - 1) / buffersOfRegion];
        for (int i = 0; i < regions.length; i++) {
            int buffers = Math.min(buffersOfRegion, aliased ? 1 : count - i * buffersOfRegion);
            regions[i] = domain.allocate(buffers * stride, Access.LOCAL_WRITE);
        }
        for (int i = 0; i < count; i++) {
            post(i);
        }
    }

    static int poolOf(long receive) {
        return (int) (receive >>> Integer.SIZE);
    }

    static int bufferOf(long receive) {
        return (int) receive;
    }

    SharedReceiveQueue queue() {
        return queue;
    }

    /** Gives a buffer to the next message. */
    void post(int buffer) {
        long id = (long) number << Integer.SIZE | buffer;
        if (queue.postReceive(id, region(buffer).key(), offset(buffer), length) != PostResult.POSTED) {
            throw new RunException("no room for buffer " + buffer + " of " + count + " in " + queue);
        }
    }

    private MemoryRegion region(int buffer) {
        return regions[aliased ? 0 : buffer / buffersOfRegion];
    }

    AtomicBuffer memory(int buffer) {
        return region(buffer).buffer();
    }

    int offset(int buffer) {
        return aliased ? 0 : buffer % buffersOfRegion * stride;
    }

    int length() {
        return length;
    }

    /** Bytes of all buffers. */
    long bytes() {
        return (long) count * stride;
    }

    /** Bytes of the buffers that wait for messages. */
    long postedBytes() {
        return (long) queue.size() * stride;
    }

    void close() {
        queue.close();
        for (MemoryRegion region : regions) {
            domain.deregister(region);
        }
    }
}

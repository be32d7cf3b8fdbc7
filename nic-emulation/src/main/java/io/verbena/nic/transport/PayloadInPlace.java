package io.verbena.nic.transport;

import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.queue.SendWqeDescriptor;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where the payload of a packet lies whole in one registered buffer, if it had better be sent from there than copied.
 *
 * <p>Pure state: used under the engine's baton.
 */
final class PayloadInPlace {
    /** Bytes of a payload that the link is given by reference. */
    private static final int MIN_BY_REFERENCE = 4 * 1024;

    private final TransportServices services;
    private final UnsafeBuffer wqes;
    private @Nullable MemoryRegion region;
    private int offset;

    PayloadInPlace(TransportServices services, UnsafeBuffer wqes) {
        this.services = services;
        this.wqes = wqes;
    }

    /**
     * Looks where a request's bytes lie.
     *
     * @param flags of the request
     * @param from the first byte of the message that the packet has
     * @return the buffer, or null if they are to be copied
     */
    @Nullable
    MemoryRegion find(int slot, int flags, int from, int payload) {
        region = null;
        if (payload >= MIN_BY_REFERENCE && (flags & SendWqeDescriptor.INLINE) == 0) {
            long found = ScatterGather.find(wqes, slot + SendWqeDescriptor.DATA, from, payload);
            if (found >= 0) {
                int entry = (int) (found >>> Integer.SIZE);
                region = services.region(wqes.getInt(entry + SendWqeDescriptor.SGE_KEY));
                offset = (int) wqes.getLong(entry + SendWqeDescriptor.SGE_OFFSET) + (int) found;
            }
        }
        return region;
    }

    /** Offset in that buffer. */
    int offset() {
        return offset;
    }
}

package io.verbena.nic.transport;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.queue.SendWqeDescriptor;
import java.lang.invoke.VarHandle;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

/** Copies between a message and the scatter/gather entries of a request. Static: no state, no allocation. */
final class ScatterGather {
    private ScatterGather() {}

    /** Whether every entry's key, range and permission hold. */
    static boolean check(
            TransportServices services, DirectBuffer ring, int entries, int count, int pd, int neededAccess) {
        for (int i = 0, entry = entries; i < count; i++, entry += SendWqeDescriptor.SGE_LENGTH) {
            int length = ring.getInt(entry + SendWqeDescriptor.SGE_BYTES);
            if (length == 0) {
                continue;
            }
            MemoryRegion region = services.region(ring.getInt(entry + SendWqeDescriptor.SGE_KEY));
            if (region == null
                    || region.check(pd, ring.getLong(entry + SendWqeDescriptor.SGE_OFFSET), length, neededAccess)
                            != MemoryRegion.OK) {
                return false;
            }
        }
        return true;
    }

    /**
     * Finds the entry that holds a part of a message whole.
     *
     * @return the entry's position in the upper half, where in the entry the part begins in the lower; or -1 if it is
     *     in several
     */
    static long find(DirectBuffer ring, int entries, int messageOffset, int length) {
        int skip = messageOffset;
        for (int entry = entries; ; entry += SendWqeDescriptor.SGE_LENGTH) {
            int bytes = ring.getInt(entry + SendWqeDescriptor.SGE_BYTES);
            if (skip < bytes) {
                return bytes - skip < length ? -1 : (long) entry << Integer.SIZE | skip;
            }
            skip -= bytes;
        }
    }

    /**
     * Gathers a part of a message from its entries.
     *
     * @return false if a region has gone
     */
    static boolean gather(
            TransportServices services,
            DirectBuffer ring,
            int entries,
            int messageOffset,
            int length,
            MutableDirectBuffer target,
            int targetOffset) {
        int skip = messageOffset;
        int left = length;
        int at = targetOffset;
        for (int entry = entries; left > 0; entry += SendWqeDescriptor.SGE_LENGTH) {
            int bytes = ring.getInt(entry + SendWqeDescriptor.SGE_BYTES);
            if (skip >= bytes) {
                skip -= bytes;
                continue;
            }
            MemoryRegion region = services.region(ring.getInt(entry + SendWqeDescriptor.SGE_KEY));
            if (region == null) {
                return false;
            }
            int n = Math.min(bytes - skip, left);
            target.putBytes(at, region.buffer(), (int) ring.getLong(entry + SendWqeDescriptor.SGE_OFFSET) + skip, n);
            at += n;
            left -= n;
            skip = 0;
        }
        return true;
    }

    /**
     * Copies a part of a request's message, inline or from its entries, which have been checked. If a region has gone
     * since the check, by another thread, zeros are sent, and nothing of anybody else's.
     */
    static void copy(
            TransportServices services,
            DirectBuffer ring,
            int slot,
            int messageOffset,
            int length,
            MutableDirectBuffer target,
            int at) {
        int data = slot + SendWqeDescriptor.DATA;
        if ((ring.getByte(slot + SendWqeDescriptor.FLAGS) & SendWqeDescriptor.INLINE) != 0) {
            target.putBytes(at, ring, data + messageOffset, length);
        } else if (!gather(services, ring, data, messageOffset, length, target, at)) {
            target.setMemory(at, length, (byte) 0);
        }
    }

    /**
     * Scatters a part of a message to its entries.
     *
     * @return false if a region has gone
     */
    static boolean scatter(
            TransportServices services,
            DirectBuffer ring,
            int entries,
            int messageOffset,
            int length,
            DirectBuffer source,
            int sourceOffset) {
        int skip = messageOffset;
        int left = length;
        int at = sourceOffset;
        for (int entry = entries; left > 0; entry += SendWqeDescriptor.SGE_LENGTH) {
            int bytes = ring.getInt(entry + SendWqeDescriptor.SGE_BYTES);
            if (skip >= bytes) {
                skip -= bytes;
                continue;
            }
            MemoryRegion region = services.region(ring.getInt(entry + SendWqeDescriptor.SGE_KEY));
            if (region == null || (region.access() & Access.LOCAL_WRITE) == 0) {
                return false;
            }
            int n = Math.min(bytes - skip, left);
            region.buffer().putBytes((int) ring.getLong(entry + SendWqeDescriptor.SGE_OFFSET) + skip, source, at, n);
            at += n;
            left -= n;
            skip = 0;
        }
        return true;
    }

    /**
     * Places the bytes of a WRITE: the last byte is released last, so that a reader that polls on it sees the rest.
     */
    static void place(AtomicBuffer target, int targetOffset, DirectBuffer source, int sourceOffset, int length) {
        if (length > 0) {
            target.putBytes(targetOffset, source, sourceOffset, length - 1);
            VarHandle.releaseFence();
            target.putByteVolatile(targetOffset + length - 1, source.getByte(sourceOffset + length - 1));
        }
    }
}

package io.verbena.papers.rima;

import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Memory that messages are sent from, one behind the other in a circle that is much longer than what is under way:
 * whether one was overwritten before it was sent shows where it is read.
 */
final class KvSource {
    private static final int BYTES = 4 << 20;

    private final MemoryRegion region;
    private int next;

    KvSource(ProtectionDomain domain) {
        region = domain.allocate(BYTES, Access.LOCAL_WRITE);
    }

    int key() {
        return region.key();
    }

    AtomicBuffer buffer() {
        return region.buffer();
    }

    /** Where the next message of a length goes. */
    int claim(int length) {
        int at = next + length > BYTES ? 0 : next;
        next = BitUtil.align(at + length, Long.BYTES);
        return at;
    }
}

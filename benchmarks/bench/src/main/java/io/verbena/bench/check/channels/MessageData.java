package io.verbena.bench.check.channels;

import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.SimRandom;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where all messages are sent from: random bytes, of which each message has those from a place on that its channel and
 * its number determine. So a message that is another's differs from its first word on.
 */
final class MessageData {
    private static final int PLACES = 1 << 16;
    private static final int LENGTH = PLACES * Long.BYTES + ChannelPlan.MAX_MESSAGE + Long.BYTES;
    private static final UnsafeBuffer BYTES = bytes();

    private final MemoryRegion region;

    MessageData(ProtectionDomain pd) {
        region = pd.allocate(BYTES.capacity(), 0);
        region.buffer().putBytes(0, BYTES, 0, BYTES.capacity());
    }

    private static UnsafeBuffer bytes() {
        UnsafeBuffer b = new UnsafeBuffer(new byte[(LENGTH + Long.BYTES - 1) & -Long.BYTES]);
        SimRandom random = new SimRandom(1);
        for (int i = 0; i < b.capacity(); i += Long.BYTES) {
            b.putLong(i, random.nextLong());
        }
        return b;
    }

    /** Key of the memory. */
    int key() {
        return region.key();
    }

    /** Where a message lies. */
    int offset(int channel, int sequence) {
        return ((channel * 40_503 + sequence * 10_007) & (PLACES - 1)) * Long.BYTES;
    }

    /** The first byte of a message that is not what it was; -1 if there is none. */
    int mismatch(DirectBuffer b, int at, int channel, int sequence, int length) {
        int own = offset(channel, sequence);
        int i = 0;
        while (i + Long.BYTES <= length && b.getLong(at + i) == BYTES.getLong(own + i)) {
            i += Long.BYTES;
        }
        while (i < length && b.getByte(at + i) == BYTES.getByte(own + i)) {
            i++;
        }
        return i < length ? i : -1;
    }
}

package io.verbena.papers.avatar;

import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.MemoryRegion;

/**
 * The memory that messages are sent from: a block a connection, in which each segment begins with the connection's
 * number and the segment's offset.
 */
final class Source {
    /** Bytes of a segment (PAPERS: the paper leaves it open, its figure 2 has the knee at 64 KB). */
    static final int SEGMENT = 16 << 10;

    private final MemoryRegion memory;
    private final int block;

    /**
     * Fills the memory.
     *
     * @param memory of so many blocks as there are connections
     * @param block bytes of the longest message
     */
    Source(MemoryRegion memory, int connections, int block) {
        this.memory = memory;
        this.block = block;
        for (int i = 0; i < connections; i++) {
            for (int at = 0; at <= block - 2 * Integer.BYTES; at += SEGMENT) {
                memory.buffer().putInt(i * block + at, i);
                memory.buffer().putInt(i * block + at + Integer.BYTES, at);
            }
        }
    }

    /** Adds the bytes of a segment to a request. */
    SendRequest local(SendRequest request, int connection, int offset, int bytes) {
        return request.local(memory.key(), (long) connection * block + offset, bytes);
    }

    /** Segments of a message. */
    static int segments(int bytes) {
        return Math.max(1, (bytes + SEGMENT - 1) / SEGMENT);
    }
}

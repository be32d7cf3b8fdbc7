package io.verbena.nic.append;

import io.verbena.nic.port.Segment;
import org.agrona.concurrent.AtomicBuffer;

/** A chunk's memory and where it is in its life. Handed from maintenance to the consumer and back with its sequence. */
final class Chunk {
    final Segment segment;
    final AtomicBuffer buffer;
    int sequence;
    /** Bytes from the beginning that have been written since it was clean. */
    int dirty;
    /** Of these, bytes that are zeroed again. */
    int zeroed;
    /** Whether a claim in it was closed by the owner in place of its claimer, who may write to it later still. */
    boolean suspect;

    Chunk(Segment segment) {
        this.segment = segment;
        this.buffer = segment.buffer();
    }

    boolean isClean() {
        return dirty == 0;
    }

    /** Zeroes at most so many bytes; returns how many. */
    int zero(int budget) {
        int length = Math.min(budget, dirty - zeroed);
        buffer.setMemory(zeroed, length, (byte) 0);
        zeroed += length;
        if (zeroed == dirty) {
            dirty = 0;
            zeroed = 0;
        }
        return length;
    }
}

package io.verbena.nic.append;

import io.verbena.nic.port.Segment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.agrona.concurrent.AtomicBuffer;

/**
 * A chunk's memory and where it is in its life. Handed from maintenance to the consumer and back with its sequence.
 *
 * <p>Records of it that outlive the poll that took them are counted: {@link #held} by whoever walks the queue, final
 * once the head has left the chunk; released ones by any thread, on lines of their own. The chunk is not used again,
 * nor its memory given back, before the two are equal. Neither is ever set back.
 */
final class Chunk {
    private static final VarHandle RELEASED = MethodHandles.arrayElementVarHandle(int[].class);
    private static final int LINE = 128 / Integer.BYTES;
    private static final Segment NO_SEGMENT = new Segment(-1, Appender.NOTHING);

    final Segment segment;
    final AtomicBuffer buffer;
    int sequence;
    /** Bytes from the beginning that have been written since it was clean. */
    int dirty;
    /** Of these, bytes that are zeroed again. */
    int zeroed;
    /** Whether a claim in it was closed by the owner in place of its claimer, who may write to it later still. */
    boolean suspect;
    /** Records that were handed out to stay, modulo 2^32. */
    int held;
    /** Set by maintenance while the chunk waits for the last of them. */
    private volatile boolean awaited;

    private final int[] released = new int[2 * LINE + 1];

    /** A place in the sequence without memory: an idle queue's head and tail are both at its end. */
    static Chunk empty() {
        return new Chunk(NO_SEGMENT);
    }

    Chunk(Segment segment) {
        this.segment = segment;
        this.buffer = segment.buffer();
    }

    /**
     * Puts a chunk on a stack.
     *
     * @param stack of chunks
     * @param count of them
     * @return the stack, or a longer one if that was full
     */
    static Chunk[] pushed(Chunk[] stack, int count, Chunk chunk) {
        Chunk[] room = count < stack.length ? stack : Arrays.copyOf(stack, count * 2);
        room[count] = chunk;
        return room;
    }

    boolean isEmpty() {
        return segment.id() == NO_SEGMENT.id();
    }

    boolean isClean() {
        return dirty == 0;
    }

    /** Zeroes at most this many bytes; returns how many. */
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

    /** Whether records of it are out. Of a chunk that the head has left. */
    boolean isHeld() {
        return held != (int) RELEASED.getVolatile(released, LINE);
    }

    /** As {@link #isHeld}; if so, the last release will say that it was the last. Under the maintenance flag. */
    boolean awaitsRelease() {
        if (!isHeld()) {
            awaited = false;
            return false;
        }
        awaited = true;
        if (isHeld()) { // again: the last one may not have seen it
            return true;
        }
        awaited = false;
        return false;
    }

    /**
     * Takes records back. Any thread; what it has read of them was read before.
     *
     * @return whether maintenance waits for the chunk and nothing of it is out any more
     */
    boolean release(int records) {
        int now = (int) RELEASED.getAndAdd(released, LINE, records) + records;
        return awaited && now == held;
    }
}

package io.verbena.kv.protocol;

import static io.verbena.kv.protocol.ReplyDescriptor.CORRELATION_OFFSET;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;

/**
 * The direct memory that a {@link ReplyEncoder} writes into. When it is handed over, a small spare piece takes its
 * place, so that there is always something to go on with, and nothing has to be allocated at that moment.
 *
 * <p>Not thread-safe.
 */
final class ReplyMemory implements AutoCloseable {
    /** Bytes of the spare piece: enough for an error. */
    private static final int SPARE_CAPACITY = 1024;

    private final ByteBuffer spare = allocate(SPARE_CAPACITY);
    private ByteBuffer present;

    ReplyMemory(int capacity) {
        present = allocate(capacity);
    }

    private static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** What is written into now. */
    ByteBuffer present() {
        return present;
    }

    /** Whether the spare piece is what is written into now. */
    @SuppressWarnings("ReferenceEquality")
    boolean isSpare() {
        return present == spare;
    }

    /** Takes memory in place of the spare piece; without any, the spare one does for short replies. */
    ByteBuffer replaceSpare(int capacity) {
        try {
            present = allocate(capacity);
        } catch (OutOfMemoryError e) {
            // Tried again with the next reply.
        }
        return present;
    }

    /**
     * Takes other memory, and frees the present one.
     *
     * @param capacity in bytes
     * @param kept bytes that are copied
     * @return what is written into from now on
     * @throws OutOfMemoryError if there is none; nothing has changed
     */
    ByteBuffer replace(int capacity, int kept) {
        ByteBuffer fresh = allocate(capacity);
        ByteBuffer old = present;
        boolean wasSpare = isSpare();
        old.limit(kept).position(0);
        fresh.put(old);
        fresh.clear();
        present = fresh;
        if (wasSpare) {
            old.clear();
        } else {
            BufferUtil.free(old);
        }
        return fresh;
    }

    /**
     * Gives the present memory away, and goes on with the spare piece, which gets the same correlation. If the present
     * one is the spare piece, gives a copy of what is in use.
     *
     * @param length bytes in use
     * @throws OutOfMemoryError if there is no memory for the copy; nothing has changed
     */
    ByteBuffer handOver(int length) {
        if (isSpare()) {
            ByteBuffer copy = allocate(length);
            copy.put(0, spare, 0, length);
            return copy;
        }
        ByteBuffer given = present;
        spare.putLong(CORRELATION_OFFSET, given.getLong(CORRELATION_OFFSET));
        present = spare;
        return given;
    }

    /** Frees all of it. */
    @Override
    public void close() {
        if (!isSpare()) {
            BufferUtil.free(present);
        }
        BufferUtil.free(spare);
    }
}

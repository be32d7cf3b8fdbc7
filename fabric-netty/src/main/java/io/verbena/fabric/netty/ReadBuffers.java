package io.verbena.fabric.netty;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What the links of a fabric read into where they read from their sockets themselves: a link has a buffer only for as long
 * as there are bytes in it to deliver, so one is enough unless a poll's limit leaves some.
 *
 * <p>Of the baton holder: all links of a fabric are of one engine.
 */
final class ReadBuffers {
    private final int length;
    private final ArrayDeque<UnsafeBuffer> free = new ArrayDeque<>();

    /**
     * Creates it; memory is allocated when it is needed.
     *
     * @param length bytes of a buffer
     */
    ReadBuffers(int length) {
        this.length = length;
    }

    /** Bytes of each. */
    int length() {
        return length;
    }

    UnsafeBuffer take() {
        UnsafeBuffer buffer = free.poll();
        return buffer == null ? new UnsafeBuffer(ByteBuffer.allocateDirect(length)) : buffer;
    }

    void giveBack(UnsafeBuffer buffer) {
        free.push(buffer);
    }
}

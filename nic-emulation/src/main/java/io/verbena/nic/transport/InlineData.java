package io.verbena.nic.transport;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where the data of a request lies that carries its own: in one buffer, or in two of which one follows the other.
 *
 * <p>Not thread-safe.
 */
public final class InlineData {
    private boolean present;
    private @Nullable DirectBuffer head; // stays when the data goes: mostly the next is in the same buffer
    private int headOffset;
    private int headLength;
    private @Nullable DirectBuffer body;
    private int bodyOffset;
    private int bodyLength;

    /** Holds no data. */
    public InlineData() {}

    /** Takes the data from nowhere. */
    public void clear() {
        present = false;
        if (body != null) {
            body = null;
        }
    }

    /** Takes the data from one buffer. */
    public void wrap(DirectBuffer buffer, int offset, int length) {
        buffer.boundsCheck(offset, length);
        clear();
        present = true;
        if (head != buffer) {
            head = buffer;
        }
        headOffset = offset;
        headLength = length;
        bodyLength = 0;
    }

    /** Takes what follows from another buffer. */
    public void follow(DirectBuffer buffer, int offset, int length) {
        buffer.boundsCheck(offset, length);
        body = buffer;
        bodyOffset = offset;
        bodyLength = length;
    }

    /** Whether a request carries its data. */
    public boolean isPresent() {
        return present;
    }

    /**
     * Whether the engine may read it: a buffer of the application's own class is not called under the baton, and one
     * that has shrunk is the poster's fault.
     *
     * @throws IndexOutOfBoundsException if a buffer has shrunk
     */
    boolean isReadable() {
        return present
                && isReadable(head, headOffset, headLength)
                && (body == null || isReadable(body, bodyOffset, bodyLength));
    }

    private static boolean isReadable(@Nullable DirectBuffer buffer, int offset, int length) {
        if (buffer == null) {
            return false;
        }
        buffer.boundsCheck(offset, length);
        return buffer instanceof UnsafeBuffer;
    }

    /** Copies all of it. */
    public void copyTo(MutableDirectBuffer target, int at) {
        DirectBuffer first = head;
        if (present && first != null) {
            target.putBytes(at, first, headOffset, headLength);
        }
        DirectBuffer second = body;
        if (second != null) {
            target.putBytes(at + headLength, second, bodyOffset, bodyLength);
        }
    }

    /**
     * Copies a part of it.
     *
     * @param from first byte
     * @param length in bytes
     */
    void copyTo(AtomicBuffer target, int at, int from, int length) {
        int ofHead = Math.max(0, Math.min(length, headLength - from));
        DirectBuffer first = head;
        if (present && first != null && ofHead > 0) {
            ScatterGather.place(target, at, first, headOffset + from, ofHead);
        }
        DirectBuffer second = body;
        if (second != null && ofHead < length) {
            ScatterGather.place(target, at + ofHead, second, bodyOffset + from + ofHead - headLength, length - ofHead);
        }
    }
}

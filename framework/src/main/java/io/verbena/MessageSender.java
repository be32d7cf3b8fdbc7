package io.verbena;

import io.netty.buffer.ByteBuf;
import io.verbena.fabric.Nanos;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sending on a {@link Channel} from other things than Agrona's buffers, and sending that waits for room. Nothing is
 * allocated, except for strings and for buffers in several pieces.
 *
 * <p>As {@link Channel}: for one thread at a time, or for several that send on a concurrent one.
 */
abstract class MessageSender {
    private static final byte[] NOTHING = {};
    private static final int SPINS = 100;
    private static final long ROOM_LOOK = TimeUnit.MICROSECONDS.toNanos(50);

    private static final ThreadLocal<UnsafeBuffer> VIEW = ThreadLocal.withInitial(() -> new UnsafeBuffer(NOTHING));

    /** Sends a message, see {@link Channel#offer(DirectBuffer, int, int)}. */
    public abstract SendResult offer(DirectBuffer buffer, int offset, int length);

    /** The channel's node. */
    abstract Node node();

    /** As {@link Channel#offer(DirectBuffer, int, int)}, of a whole array. */
    public SendResult offer(byte[] message) {
        return offer(message, 0, message.length);
    }

    /** As {@link Channel#offer(DirectBuffer, int, int)}, of a part of an array. */
    public SendResult offer(byte[] bytes, int offset, int length) {
        UnsafeBuffer view = VIEW.get();
        view.wrap(bytes, offset, length);
        return offerView(view, length);
    }

    /**
     * As {@link Channel#offer(DirectBuffer, int, int)}, of what remains in a buffer; its position moves if this returns
     * SENT.
     */
    public SendResult offer(ByteBuffer message) {
        UnsafeBuffer view = VIEW.get();
        view.wrap(message, message.position(), message.remaining());
        SendResult result = offerView(view, message.remaining());
        if (result == SendResult.SENT) {
            message.position(message.limit());
        }
        return result;
    }

    /**
     * As {@link Channel#offer(DirectBuffer, int, int)}, of what is readable in a buffer; its reader index moves if this
     * returns SENT. The caller keeps its reference.
     */
    public SendResult offer(ByteBuf message) {
        int length = message.readableBytes();
        UnsafeBuffer view = VIEW.get();
        if (message.hasArray()) {
            view.wrap(message.array(), message.arrayOffset() + message.readerIndex(), length);
        } else {
            ByteBuffer bytes = message.nioBufferCount() == 1
                    ? message.internalNioBuffer(message.readerIndex(), length)
                    : message.nioBuffer();
            view.wrap(bytes, bytes.position(), length);
        }
        SendResult result = offerView(view, length);
        if (result == SendResult.SENT) {
            message.skipBytes(length);
        }
        return result;
    }

    /** As {@link Channel#offer(DirectBuffer, int, int)}, of a text in UTF-8. Allocates. */
    public SendResult offer(String message) {
        return offer(message.getBytes(StandardCharsets.UTF_8));
    }

    private SendResult offerView(UnsafeBuffer view, int length) {
        try {
            return offer(view, 0, length);
        } finally {
            view.wrap(NOTHING); // the memory is its owner's again
        }
    }

    /**
     * Sends a message as soon as there is room. In the mode INVOKER this does the node's work meanwhile.
     *
     * @param buffer holds it
     * @param offset of its first byte
     * @param length in bytes, 0 to {@link Channel#maxMessage}
     * @param timeout most time to wait for room
     * @return SENT, CLOSED, or BACK_PRESSURED if there was no room in time: nothing was sent then
     * @throws IllegalStateException within a callback of the node, because the node makes the room; call {@code offer}
     *     there
     */
    public SendResult send(DirectBuffer buffer, int offset, int length, Duration timeout) {
        Room room = new Room(timeout);
        SendResult result;
        do {
            result = offer(buffer, offset, length);
        } while (result == SendResult.BACK_PRESSURED && room.await());
        return result;
    }

    /** As {@link #send(DirectBuffer, int, int, Duration)}, of a whole array. */
    public SendResult send(byte[] message, Duration timeout) {
        return send(new UnsafeBuffer(message), 0, message.length, timeout);
    }

    /**
     * As {@link #send(DirectBuffer, int, int, Duration)}, of what remains in a buffer; its position moves if this
     * returns SENT.
     */
    public SendResult send(ByteBuffer message, Duration timeout) {
        Room room = new Room(timeout);
        SendResult result;
        do {
            result = offer(message);
        } while (result == SendResult.BACK_PRESSURED && room.await());
        return result;
    }

    /**
     * As {@link #send(DirectBuffer, int, int, Duration)}, of what is readable in a buffer; its reader index moves if
     * this returns SENT.
     */
    public SendResult send(ByteBuf message, Duration timeout) {
        Room room = new Room(timeout);
        SendResult result;
        do {
            result = offer(message);
        } while (result == SendResult.BACK_PRESSURED && room.await());
        return result;
    }

    /** As {@link #send(DirectBuffer, int, int, Duration)}, of a text in UTF-8. */
    public SendResult send(String message, Duration timeout) {
        return send(message.getBytes(StandardCharsets.UTF_8), timeout);
    }

    /** A bounded wait for room: spins a little, then sleeps in short pieces. */
    private final class Room {
        private final long deadline;
        private int spins;

        Room(Duration timeout) {
            node().driver().refuseInCallback("send");
            deadline = Nanos.fromNow(timeout);
        }

        /** Waits a little. @return whether there is time left */
        boolean await() {
            if (++spins < SPINS) {
                Thread.onSpinWait();
                return true;
            }
            long left = deadline - System.nanoTime();
            if (left > 0) {
                node().driver().workOrWait(Math.min(left, ROOM_LOOK), () -> false);
            }
            return left > 0;
        }
    }
}

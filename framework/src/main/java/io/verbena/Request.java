package io.verbena;

import io.verbena.call.CallFlyweight;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor on a request that came to a {@link Responder}: valid during {@link RequestHandler#onRequest} only, unless it
 * is held.
 */
public final class Request {
    private static final DirectBuffer NOTHING = new UnsafeBuffer(new byte[0]);

    private final Responder responder;
    private @Nullable Channel channel;
    private @Nullable Message message;
    private long correlationId;
    private DirectBuffer buffer = NOTHING;
    private int offset;
    private int length;

    Request(Responder responder) {
        this.responder = responder;
    }

    void wrap(Message carrier, Channel from, long id, DirectBuffer memory, int at, int bytes) {
        message = carrier;
        channel = from;
        correlationId = id;
        buffer = memory;
        offset = at;
        length = bytes;
    }

    void unwrap() {
        channel = null;
        message = null;
        buffer = NOTHING;
        length = 0;
    }

    /** The memory that holds the request. */
    public DirectBuffer buffer() {
        return buffer;
    }

    /** Where its payload begins, a multiple of 8. */
    public int offset() {
        return offset;
    }

    /** Bytes of its payload. */
    public int length() {
        return length;
    }

    /** A copy of the payload. */
    public byte[] bytes() {
        return Payload.bytes(buffer, offset, length);
    }

    /** The payload, read as UTF-8; allocates. */
    public String text() {
        return Payload.text(buffer, offset, length);
    }

    /** The channel back; keep it with {@link #correlationId} if the answer comes later. */
    public Channel channel() {
        Channel from = channel;
        if (from == null) {
            throw new IllegalStateException("a request is valid during its handler's call only");
        }
        return from;
    }

    /** Names the request to {@link Responder#reply}; unique on its channel only. */
    public long correlationId() {
        return correlationId;
    }

    /**
     * Answers now.
     *
     * @return BACK_PRESSURED if the requester does not keep up: try again, or keep the answer for later
     */
    public SendResult reply(DirectBuffer answer, int answerOffset, int answerLength) {
        return responder.answer(channel(), correlationId, answer, answerOffset, answerLength);
    }

    /** As {@link #reply(DirectBuffer, int, int)}, with a whole array. Allocates. */
    public SendResult reply(byte[] answer) {
        return reply(new UnsafeBuffer(answer), 0, answer.length);
    }

    /** As {@link #reply(DirectBuffer, int, int)}, with a text in UTF-8. Allocates. */
    public SendResult reply(String answer) {
        return reply(answer.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * As {@link #reply(DirectBuffer, int, int)}, but the answer may stay until the handlers of the requests that came
     * with this one have returned: for handlers that are short, whose answers then cost one doorbell.
     */
    public SendResult enqueue(DirectBuffer answer, int answerOffset, int answerLength) {
        return responder.enqueue(channel(), correlationId, answer, answerOffset, answerLength);
    }

    /** Leaves the request, as {@link Message#again}: its handler gets it again with the next poll. */
    public void again() {
        Message carrier = message;
        if (carrier == null) {
            throw new IllegalStateException("a request is valid during its handler's call only");
        }
        carrier.again();
    }

    /**
     * Keeps the request where it lies after its handler has returned, for an answer that is given later by
     * {@link Responder#reply} with {@link #channel} and {@link #correlationId}.
     *
     * @return the request's payload, to be released; null if as many are held as {@link InboxOptions#maxHeld} allows
     */
    public @Nullable HeldMessage hold() {
        Message carrier = message;
        if (carrier == null) {
            throw new IllegalStateException("a request is valid during its handler's call only");
        }
        return carrier.hold(CallFlyweight.HEADER_LENGTH);
    }

    @Override
    public String toString() {
        return "request of " + length + " bytes to " + responder;
    }
}

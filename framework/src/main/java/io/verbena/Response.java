package io.verbena;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A cursor on the end of a call: valid during {@link ResponseHandler#onResponse} only. */
public final class Response {
    private static final DirectBuffer NOTHING = new UnsafeBuffer(new byte[0]);

    private Outcome outcome = Outcome.CLOSED;
    private @Nullable Channel channel;
    private long correlationId;
    private DirectBuffer buffer = NOTHING;
    private int offset;
    private int length;

    Response() {}

    void payload(DirectBuffer memory, int at, int bytes) {
        buffer = memory;
        offset = at;
        length = bytes;
    }

    void end(Outcome how, Channel called, long id) {
        outcome = how;
        channel = called;
        correlationId = id;
    }

    void unwrap() {
        channel = null;
        buffer = NOTHING;
        offset = 0;
        length = 0;
    }

    /** How the call ended. Only with DONE and FAILED there is a payload. */
    public Outcome outcome() {
        return outcome;
    }

    /** The id that the caller gave with the call. */
    public long correlationId() {
        return correlationId;
    }

    /** Where the request was sent. */
    public Channel channel() {
        Channel called = channel;
        if (called == null) {
            throw new IllegalStateException("a response is valid during its handler's call only");
        }
        return called;
    }

    /** The memory that holds the response. */
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

    /** Why there is no result, for a log; allocates. */
    public String failure() {
        switch (outcome) {
            case FAILED:
                return text();
            case EXPIRED:
                return "no response within the deadline";
            case CLOSED:
                return String.valueOf(channel().closeReason());
            default:
                return "";
        }
    }

    @Override
    public String toString() {
        Channel called = channel;
        return "response " + outcome + " of " + length + " bytes" + (called == null ? "" : ", " + called);
    }
}

package io.verbena.kv.protocol;

import static io.verbena.kv.protocol.ReplyDescriptor.CORRELATION_OFFSET;
import static io.verbena.kv.protocol.ReplyDescriptor.COUNT_OFFSET;
import static io.verbena.kv.protocol.ReplyDescriptor.HEADER_LENGTH;
import static io.verbena.kv.protocol.ReplyDescriptor.VALUE_ALIGNMENT;
import static io.verbena.kv.protocol.ReplyDescriptor.VALUE_HEADER_LENGTH;
import static io.verbena.kv.protocol.TransferDescriptor.STREAM_PAYLOAD_LENGTH;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads a reply in place, value after value in pre-order. Reusable; allocates nothing but on {@link #text()}.
 *
 * <p>{@link #next()} knows how many values are still due, so that a tree which promises more than it holds is an error
 * and a walker needs no stack: a translator to RESP writes each value as it comes.
 *
 * <p>Not thread-safe.
 */
public final class ReplyCursor {
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private int length;
    private int position;
    private long due;
    private ReplyType type = ReplyType.NIL;
    private int count;
    private int payload;

    /**
     * Starts to read a reply. The first {@link #next()} moves to the root.
     *
     * @param source that holds the reply; it must stay unchanged while this cursor is used
     * @param offset of its first byte
     * @param bytes of the reply
     * @return this
     * @throws ProtocolException if the reply is too short
     */
    public ReplyCursor wrap(DirectBuffer source, int offset, int bytes) {
        if (offset < 0 || bytes < 0 || offset > source.capacity() - bytes) {
            throw new ProtocolException(
                    "reply at " + offset + " of " + bytes + " bytes exceeds its buffer of " + source.capacity());
        }
        if (bytes < HEADER_LENGTH) {
            throw new ProtocolException("reply of " + bytes + " bytes < header of " + HEADER_LENGTH);
        }
        buffer.wrap(source, offset, bytes);
        length = bytes;
        return rewind();
    }

    /**
     * Goes back to before the root.
     *
     * @return this
     */
    public ReplyCursor rewind() {
        position = HEADER_LENGTH;
        due = 1;
        type = ReplyType.NIL;
        count = 0;
        return this;
    }

    /** @return correlation of the request that this answers */
    public long correlation() {
        return buffer.getLong(CORRELATION_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** @return true if the reply's root is a HELD: the reply itself is still at the shard */
    public boolean isHeld() {
        return length >= HEADER_LENGTH + VALUE_HEADER_LENGTH
                && ReplyType.byTag(buffer.getByte(HEADER_LENGTH) & 0xff) == ReplyType.HELD;
    }

    /**
     * Moves to the next value.
     *
     * @return false if the tree is complete
     * @throws ProtocolException if the tree is incomplete, a length exceeds the reply, or bytes follow the tree
     */
    public boolean next() {
        if (due == 0) {
            if (position != length) {
                throw new ProtocolException("reply of " + length + " bytes ends its tree at " + position);
            }
            return false;
        }
        int left = length - position;
        if (left < VALUE_HEADER_LENGTH) {
            throw new ProtocolException("reply of " + length + " bytes ends with " + due + " values due");
        }
        int at = position;
        ReplyType found = ReplyType.byTag(buffer.getByte(at) & 0xff);
        int number = buffer.getInt(at + COUNT_OFFSET, ByteOrder.LITTLE_ENDIAN);
        int room = left - VALUE_HEADER_LENGTH;
        due--;
        int bytes = payloadLength(found, at, number, room);
        type = found;
        count = number;
        payload = at + VALUE_HEADER_LENGTH;
        position = payload + bytes;
        return true;
    }

    /** Checks a value against the {@code room} bytes behind its header, and says how many of them it takes. */
    private int payloadLength(ReplyType found, int at, int number, int room) {
        return switch (found) {
            case BULK, STATUS, ERROR, VERBATIM -> {
                if (number < 0 || number > room) {
                    throw new ProtocolException(
                            "reply text at " + at + " has length " + number + " with " + room + " bytes left");
                }
                yield (int) Math.min(BitUtil.align((long) number, VALUE_ALIGNMENT), room);
            }
            case INTEGER, DOUBLE -> {
                if (room < Long.BYTES) {
                    throw new ProtocolException("reply number at " + at + " has " + room + " bytes left");
                }
                yield Long.BYTES;
            }
            case STREAM, HELD -> {
                if (number != STREAM_PAYLOAD_LENGTH || room < STREAM_PAYLOAD_LENGTH) {
                    throw new ProtocolException(
                            "reply stream at " + at + " has length " + number + " with " + room + " bytes left");
                }
                if (found == ReplyType.HELD && at != HEADER_LENGTH) {
                    throw new ProtocolException("reply HELD at " + at + " is not the root");
                }
                if (buffer.getLong(at + VALUE_HEADER_LENGTH + Long.BYTES, ByteOrder.LITTLE_ENDIAN) < 0) {
                    throw new ProtocolException("reply stream at " + at + " has a negative length");
                }
                yield STREAM_PAYLOAD_LENGTH;
            }
            case ARRAY, SET, MAP -> {
                long values = found == ReplyType.MAP ? 2L * number : number;
                if (values < 0 || due + values > room / VALUE_HEADER_LENGTH) {
                    throw new ProtocolException(
                            "reply aggregate at " + at + " has count " + number + " with " + room + " bytes left");
                }
                due += values;
                yield 0;
            }
            case BOOLEAN -> {
                if (number != 0 && number != 1) {
                    throw new ProtocolException("reply boolean at " + at + " is " + number);
                }
                yield 0;
            }
            case NIL, NIL_ARRAY -> 0;
        };
    }

    /**
     * Moves past the descendants of the current value, so that {@link #next()} finds its sibling.
     *
     * @throws ProtocolException as {@link #next()}
     */
    public void skip() {
        long inside = type == ReplyType.MAP ? 2L * count : type.isAggregate() ? count : 0;
        while (inside > 0) {
            next();
            inside += (type == ReplyType.MAP ? 2L * count : type.isAggregate() ? count : 0) - 1;
        }
    }

    /** @return type of the current value */
    public ReplyType type() {
        return type;
    }

    /** @return number of elements of an ARRAY or SET, of pairs of a MAP */
    public int count() {
        require(type.isAggregate(), "an aggregate");
        return count;
    }

    /** @return value of an INTEGER */
    public long integer() {
        require(type == ReplyType.INTEGER, "INTEGER");
        return buffer.getLong(payload, ByteOrder.LITTLE_ENDIAN);
    }

    /** @return value of a DOUBLE */
    public double doubleValue() {
        require(type == ReplyType.DOUBLE, "DOUBLE");
        return Double.longBitsToDouble(buffer.getLong(payload, ByteOrder.LITTLE_ENDIAN));
    }

    /** @return value of a BOOLEAN */
    public boolean booleanValue() {
        require(type == ReplyType.BOOLEAN, "BOOLEAN");
        return count != 0;
    }

    /** @return the buffer that {@link #textOffset()} refers to */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** @return offset in {@link #buffer()} of the bytes of a BULK, STATUS, ERROR or VERBATIM */
    public int textOffset() {
        require(type.isText(), "a text");
        return payload;
    }

    /** @return bytes of a BULK, STATUS, ERROR or VERBATIM */
    public int textLength() {
        require(type.isText(), "a text");
        return count;
    }

    /** @return id of a STREAM or HELD, for READ_STREAM */
    public long streamId() {
        require(type.isStream(), "a stream");
        return buffer.getLong(payload, ByteOrder.LITTLE_ENDIAN);
    }

    /** @return bytes of a STREAM or HELD */
    public long streamLength() {
        require(type.isStream(), "a stream");
        return buffer.getLong(payload + Long.BYTES, ByteOrder.LITTLE_ENDIAN);
    }

    /** @return the bytes of a text as a string; allocates, for logs and tests */
    public String text() {
        return buffer.getStringWithoutLengthUtf8(textOffset(), textLength());
    }

    /** @return the bytes of a text; allocates, for tools and tests */
    public byte[] bytes() {
        byte[] copy = new byte[textLength()];
        buffer.getBytes(textOffset(), copy);
        return copy;
    }

    private void require(boolean holds, String wanted) {
        if (!holds) {
            throw new IllegalStateException("the current value is " + type + ", not " + wanted);
        }
    }

    @Override
    public String toString() {
        return "ReplyCursor{" + type + (type.isText() ? " " + new String(bytes(), StandardCharsets.UTF_8) : "") + "}";
    }
}

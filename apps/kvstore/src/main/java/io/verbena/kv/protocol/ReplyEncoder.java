package io.verbena.kv.protocol;

import static io.verbena.kv.protocol.ReplyDescriptor.CORRELATION_OFFSET;
import static io.verbena.kv.protocol.ReplyDescriptor.COUNT_OFFSET;
import static io.verbena.kv.protocol.ReplyDescriptor.HEADER_LENGTH;
import static io.verbena.kv.protocol.ReplyDescriptor.TAG_OFFSET;
import static io.verbena.kv.protocol.ReplyDescriptor.VALUE_HEADER_LENGTH;
import static io.verbena.kv.protocol.TransferDescriptor.STREAM_PAYLOAD_LENGTH;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes a reply into a growable off-heap buffer of its own, value after value in pre-order. Reusable: allocates only
 * while the buffer grows, and gives the memory of an exceptionally large reply back after a run of small ones. A reply
 * can be {@linkplain #handOver handed over} with the memory that it lies in, which takes no memory.
 *
 * <p>{@link #buffer()} and the bytes in it are valid until the next call of a writing method. Not thread-safe.
 */
public final class ReplyEncoder implements AutoCloseable {
    /** Bytes of the buffer at the start, and the least that is kept. */
    public static final int INITIAL_CAPACITY = 64 * 1024;
    /** Greatest reply in bytes: what does not fit is an error reply. */
    public static final int MAX_CAPACITY = 1 << 30;

    private static final int RETAINED_CAPACITY = 1024 * 1024;
    private static final int SMALL_REPLIES_TO_SHRINK = 256;
    private static final int MAX_DECIMAL_LENGTH = 20;

    private static final DirectBuffer NOTHING = new UnsafeBuffer(0, 0);

    private final int maxCapacity;
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private final ReplyMemory memory = new ReplyMemory(INITIAL_CAPACITY);
    private int capacity;
    /** Greatest length of the present reply. */
    private int limit;
    /** The lesser of capacity and limit: what can be written without further ado. */
    private int bound;

    private int position = HEADER_LENGTH;
    /** Where the bytes of a BULK lie that ends the reply and is not in the buffer. */
    private DirectBuffer tail = NOTHING;

    private int tailOffset;
    private int tailLength;
    private int smallReplies;
    private boolean closed;

    /** Creates an encoder for replies of up to {@link #MAX_CAPACITY} bytes. */
    public ReplyEncoder() {
        this(MAX_CAPACITY);
    }

    /**
     * Creates an encoder.
     *
     * @param maxCapacity greatest reply in bytes, {@link #INITIAL_CAPACITY} to {@link #MAX_CAPACITY}
     */
    public ReplyEncoder(int maxCapacity) {
        if (maxCapacity < INITIAL_CAPACITY || maxCapacity > MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "maximum capacity " + maxCapacity + " is not in " + INITIAL_CAPACITY + " to " + MAX_CAPACITY);
        }
        this.maxCapacity = maxCapacity;
        limit = maxCapacity;
        adopt(memory.present());
    }

    private void adopt(ByteBuffer fresh) {
        buffer.wrap(fresh);
        capacity = fresh.capacity();
        bound = Math.min(capacity, limit);
    }

    /**
     * Limits this reply and those that follow; what would exceed the limit throws {@link ReplyTooLargeException}.
     *
     * @param length of a reply in bytes, correlation included; not less than {@link #length()}. More than the encoder's
     *     maximum is that maximum
     * @return this
     */
    public ReplyEncoder limit(int length) {
        limit = Math.min(length, maxCapacity);
        bound = Math.min(capacity, limit);
        return this;
    }

    /** @return greatest length of a reply in bytes */
    public int limit() {
        return limit;
    }

    /** @return bytes that the reply can still take */
    public int room() {
        return limit - position;
    }

    /**
     * Starts a reply; what was in the buffer is gone.
     *
     * @param correlation of the request
     * @return this
     */
    public ReplyEncoder begin(long correlation) {
        if (closed) {
            throw new IllegalStateException("reply encoder is closed");
        }
        shrink();
        discard();
        if (memory.isSpare()) {
            adopt(memory.replaceSpare(INITIAL_CAPACITY));
        }
        buffer.putLong(CORRELATION_OFFSET, correlation, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /** Drops the values written since {@link #begin}; used to replace half a reply by an error. */
    public void discard() {
        position = HEADER_LENGTH;
        dropTail();
    }

    /**
     * Drops the values written since an earlier {@link #length()}.
     *
     * @param length that the reply had, with no {@link #begin} since
     */
    public void discardTo(int length) {
        if (length < HEADER_LENGTH || length > position) {
            throw new IllegalArgumentException("length " + length + " is not in " + HEADER_LENGTH + " to " + position);
        }
        position = length;
        dropTail();
    }

    private void dropTail() {
        tail = NOTHING;
        tailOffset = 0;
        tailLength = 0;
    }

    /**
     * Gives the reply away with the memory that it lies in, and goes on as after {@link #begin}, for the same request.
     * A reply that is long takes no memory for that.
     *
     * @return what holds the reply from offset 0; the caller's to {@linkplain BufferUtil#free free}
     * @throws OutOfMemoryError if the reply is so short that it is copied, and there is no memory for the copy
     */
    public ByteBuffer handOver() {
        if (tailLength > 0) {
            throw new IllegalStateException(
                    "a reply whose last " + tailLength + " bytes lie elsewhere is not handed over");
        }
        ByteBuffer given = memory.handOver(position);
        adopt(memory.present());
        position = HEADER_LENGTH;
        return given;
    }

    private void shrink() {
        if (capacity <= RETAINED_CAPACITY || position > RETAINED_CAPACITY) {
            smallReplies = 0;
        } else if (++smallReplies == SMALL_REPLIES_TO_SHRINK) {
            smallReplies = 0;
            adopt(memory.replace(INITIAL_CAPACITY, 0));
        }
    }

    /** @return the buffer that holds the reply from offset 0, but for the {@linkplain #tail tail} */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** @return bytes of the reply so far, correlation and {@linkplain #tail tail} included */
    public int length() {
        return position + tailLength;
    }

    /** @return what holds the last bytes of the reply, see {@link #bulkByReference} */
    public DirectBuffer tail() {
        return tail;
    }

    /** @return offset of the first byte in {@link #tail()} */
    public int tailOffset() {
        return tailOffset;
    }

    /** @return bytes of the reply that lie in {@link #tail()}, behind those in {@link #buffer()}; mostly 0 */
    public int tailLength() {
        return tailLength;
    }

    /** @return bytes of memory that the encoder holds */
    public int capacity() {
        return capacity;
    }

    /** Writes a NIL. */
    public void nil() {
        header(ReplyType.NIL, 0, 0);
    }

    /** Writes a NIL_ARRAY. */
    public void nilArray() {
        header(ReplyType.NIL_ARRAY, 0, 0);
    }

    /**
     * Writes an INTEGER.
     *
     * @param value of it
     */
    public void integer(long value) {
        int at = header(ReplyType.INTEGER, Long.BYTES, Long.BYTES);
        buffer.putLong(at, value, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Writes a DOUBLE.
     *
     * @param value of it
     */
    public void doubleValue(double value) {
        int at = header(ReplyType.DOUBLE, Double.BYTES, Double.BYTES);
        buffer.putLong(at, Double.doubleToRawLongBits(value), ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Writes a BOOLEAN.
     *
     * @param value of it
     */
    public void booleanValue(boolean value) {
        header(ReplyType.BOOLEAN, value ? 1 : 0, 0);
    }

    /**
     * Writes a BULK.
     *
     * @param source of its bytes
     * @param offset of the first byte
     * @param length in bytes
     */
    public void bulk(DirectBuffer source, int offset, int length) {
        int at = claimText(ReplyType.BULK, length);
        buffer.putBytes(at, source, offset, length);
    }

    /**
     * Makes the reply a BULK whose bytes stay where they are; whoever sends the reply takes them from there.
     *
     * @param source of its bytes, which must not change until the reply is sent
     * @param offset of the first byte
     * @param length in bytes
     */
    public void bulkByReference(DirectBuffer source, int offset, int length) {
        if (position != HEADER_LENGTH) {
            throw new IllegalStateException("a BULK by reference is a reply of its own, and this one has begun");
        }
        if ((long) position + VALUE_HEADER_LENGTH + length > limit) {
            throw new ReplyTooLargeException((long) position + VALUE_HEADER_LENGTH + length, limit);
        }
        header(ReplyType.BULK, length, 0);
        tail = source;
        tailOffset = offset;
        tailLength = length;
    }

    /**
     * Writes a BULK.
     *
     * @param bytes of it
     */
    public void bulk(byte[] bytes) {
        text(ReplyType.BULK, bytes);
    }

    /**
     * Writes a number as a BULK of decimal text.
     *
     * @param value of it
     */
    public void bulkInteger(long value) {
        ensure(VALUE_HEADER_LENGTH + MAX_DECIMAL_LENGTH + VALUE_HEADER_LENGTH);
        int at = position + VALUE_HEADER_LENGTH;
        // The digits first, for only they tell the length; the padding then behind them.
        int length = buffer.putLongAscii(at, value);
        buffer.putLong(at + length, 0L);
        header(ReplyType.BULK, length, 0);
        position = at + ((length + 7) & ~7);
    }

    /**
     * Opens a BULK whose bytes the caller writes into {@link #buffer()} before it writes the next value.
     *
     * @param length in bytes
     * @return offset in {@link #buffer()} of its first byte
     */
    public int claimBulk(int length) {
        return claimText(ReplyType.BULK, length);
    }

    /**
     * Writes a STATUS.
     *
     * @param ascii its text
     */
    public void status(byte[] ascii) {
        text(ReplyType.STATUS, ascii);
    }

    /**
     * Writes an ERROR.
     *
     * @param text code and text, without the dash of RESP
     */
    public void error(byte[] text) {
        text(ReplyType.ERROR, text);
    }

    /**
     * Writes an ERROR; for errors with text that is not constant.
     *
     * @param text code and text, without the dash of RESP
     */
    public void error(String text) {
        error(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes a VERBATIM.
     *
     * @param bytes three characters of format, a colon and the text
     */
    public void verbatim(byte[] bytes) {
        text(ReplyType.VERBATIM, bytes);
    }

    /**
     * Writes a STREAM.
     *
     * @param id by which it is read
     * @param length of its bytes
     */
    public void stream(long id, long length) {
        stream(ReplyType.STREAM, id, length);
    }

    /**
     * Writes a HELD, which must be the root.
     *
     * @param id by which the reply is read
     * @param length of the reply in bytes, header included
     */
    public void held(long id, long length) {
        stream(ReplyType.HELD, id, length);
    }

    private void stream(ReplyType type, long id, long length) {
        int at = header(type, STREAM_PAYLOAD_LENGTH, STREAM_PAYLOAD_LENGTH);
        buffer.putLong(at, id, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(at + Long.BYTES, length, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Writes the head of an ARRAY; the elements follow.
     *
     * @param count of elements
     */
    public void array(int count) {
        header(ReplyType.ARRAY, count, 0);
    }

    /**
     * Writes the head of a MAP; the pairs follow.
     *
     * @param count of pairs
     */
    public void map(int count) {
        header(ReplyType.MAP, count, 0);
    }

    /**
     * Writes the head of a SET; the elements follow.
     *
     * @param count of elements
     */
    public void set(int count) {
        header(ReplyType.SET, count, 0);
    }

    /**
     * Writes the head of an aggregate whose count is not known yet.
     *
     * @param type ARRAY, MAP or SET
     * @return where to set the count with {@link #closeAggregate}
     */
    public int openAggregate(ReplyType type) {
        int at = position;
        header(type, 0, 0);
        return at;
    }

    /**
     * Sets the count of an aggregate.
     *
     * @param at what {@link #openAggregate} returned
     * @param count of elements or pairs that were written
     */
    public void closeAggregate(int at, int count) {
        buffer.putInt(at + COUNT_OFFSET, count, ByteOrder.LITTLE_ENDIAN);
    }

    private void text(ReplyType type, byte[] bytes) {
        int at = claimText(type, bytes.length);
        buffer.putBytes(at, bytes);
    }

    private int claimText(ReplyType type, int length) {
        int at = header(type, length, (length + 7L) & ~7L);
        if ((length & 7) != 0) {
            buffer.putLong(position - Long.BYTES, 0L);
        }
        return at;
    }

    private int header(ReplyType type, int count, long payload) {
        ensure(VALUE_HEADER_LENGTH + payload);
        int at = position;
        buffer.putInt(at + TAG_OFFSET, type.tag(), ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(at + COUNT_OFFSET, count, ByteOrder.LITTLE_ENDIAN);
        position = at + VALUE_HEADER_LENGTH + (int) payload;
        return at + VALUE_HEADER_LENGTH;
    }

    /**
     * Makes sure that this many bytes more can be written.
     *
     * @param bytes that follow
     * @throws ReplyTooLargeException if they cannot
     */
    public void reserve(long bytes) {
        ensure(bytes);
    }

    private void ensure(long bytes) {
        if (bytes > bound - position) {
            grow(position + bytes);
        }
    }

    private void grow(long required) {
        if (required > limit) {
            throw new ReplyTooLargeException(required, limit);
        }
        long doubled = Math.max(INITIAL_CAPACITY, 2L * capacity);
        try {
            adopt(memory.replace((int) Math.max(required, Math.min(limit, doubled)), position));
        } catch (OutOfMemoryError e) {
            // The process has no direct memory left: an error of this reply, and not the end of the shard.
            throw new ReplyTooLargeException(required, capacity);
        }
    }

    /** Frees the buffer. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            buffer.wrap(0, 0);
            capacity = 0;
            bound = 0;
            memory.close();
        }
    }
}

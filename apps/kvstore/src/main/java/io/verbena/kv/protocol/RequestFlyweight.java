package io.verbena.kv.protocol;

import static io.verbena.kv.protocol.RequestDescriptor.ARGC_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.ARGUMENT_HEADER_LENGTH;
import static io.verbena.kv.protocol.RequestDescriptor.CORRELATION_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.DATABASE_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.FLAGS_MASK;
import static io.verbena.kv.protocol.RequestDescriptor.FLAGS_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.FLAG_RESP3;
import static io.verbena.kv.protocol.RequestDescriptor.HEADER_LENGTH;
import static io.verbena.kv.protocol.RequestDescriptor.MAX_ARGUMENTS;
import static io.verbena.kv.protocol.RequestDescriptor.OP_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.VERSION;
import static io.verbena.kv.protocol.RequestDescriptor.VERSION_OFFSET;

import java.nio.ByteOrder;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A request, read in place. {@link #wrap} checks the header and finds every argument once, so that later access needs
 * no check and costs an array read. Reusable; allocates only while its index of arguments grows.
 *
 * <p>Argument lengths are bounded by the message, not by {@link RequestDescriptor#MAX_ARGUMENT_LENGTH}: a value beyond
 * the limit is the request's error and not the protocol's, and the shard answers it with one.
 *
 * <p>Not thread-safe.
 */
public final class RequestFlyweight {
    private static final int INITIAL_ARGUMENTS = 16;
    private static final int RETAINED_ARGUMENTS = 4096;

    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private int[] offsets = new int[INITIAL_ARGUMENTS];
    private int[] lengths = new int[INITIAL_ARGUMENTS];
    private int argc;
    private int uploads;

    /**
     * Reads a request.
     *
     * @param source that holds the request; it must stay unchanged while this flyweight is used
     * @param offset of its first byte
     * @param length of the request in bytes
     * @return this
     * @throws ProtocolException if the request is malformed
     */
    public RequestFlyweight wrap(DirectBuffer source, int offset, int length) {
        argc = 0;
        uploads = 0;
        if (offset < 0 || length < 0 || offset > source.capacity() - length) {
            throw new ProtocolException(
                    "request at " + offset + " of " + length + " bytes exceeds its buffer of " + source.capacity());
        }
        if (length < HEADER_LENGTH) {
            throw new ProtocolException("request of " + length + " bytes < header of " + HEADER_LENGTH);
        }
        buffer.wrap(source, offset, length);
        if (version() != VERSION) {
            throw new ProtocolException("request version " + version() + " is not " + VERSION);
        }
        if ((flags() & ~FLAGS_MASK) != 0) {
            throw new ProtocolException("request flags " + flags() + " has bits outside " + FLAGS_MASK);
        }
        int count = buffer.getInt(ARGC_OFFSET, ByteOrder.LITTLE_ENDIAN);
        if (count < 0 || count > MAX_ARGUMENTS) {
            throw new ProtocolException("number of arguments " + count + " is not in 0 to maximum " + MAX_ARGUMENTS);
        }
        // Checked before the index grows: an argument takes at least its length field.
        if (count > (length - HEADER_LENGTH) / ARGUMENT_HEADER_LENGTH) {
            throw new ProtocolException("number of arguments " + count + " does not fit in " + length + " bytes");
        }
        index(count, length);
        argc = count;
        return this;
    }

    private void index(int count, int length) {
        if (count > offsets.length || (offsets.length > RETAINED_ARGUMENTS && count <= INITIAL_ARGUMENTS)) {
            int capacity = Math.max(INITIAL_ARGUMENTS, Integer.highestOneBit(Math.max(1, count)) << 1);
            offsets = Arrays.copyOf(offsets, capacity);
            lengths = Arrays.copyOf(lengths, capacity);
        }
        int position = HEADER_LENGTH;
        for (int i = 0; i < count; i++) {
            if (length - position < ARGUMENT_HEADER_LENGTH) {
                throw new ProtocolException(
                        "argument " + i + " of " + count + " starts beyond the request's " + length + " bytes");
            }
            int bytes = buffer.getInt(position, ByteOrder.LITTLE_ENDIAN);
            position += ARGUMENT_HEADER_LENGTH;
            if (bytes == RequestDescriptor.UPLOADED && length - position >= Long.BYTES) {
                offsets[i] = position;
                lengths[i] = bytes;
                position += Long.BYTES;
                uploads++;
                continue;
            }
            if (bytes < 0 || bytes > length - position) {
                throw new ProtocolException(
                        "argument " + i + " has length " + bytes + " with " + (length - position) + " bytes left");
            }
            offsets[i] = position;
            lengths[i] = bytes;
            // The sender may leave out the padding of the last argument.
            position += Math.min(RequestDescriptor.argumentLength(bytes) - ARGUMENT_HEADER_LENGTH, length - position);
        }
        if (position != length) {
            throw new ProtocolException(
                    "request of " + length + " bytes has " + (length - position) + " bytes behind its last argument");
        }
    }

    /** @return the version byte */
    public int version() {
        return buffer.getByte(VERSION_OFFSET) & 0xff;
    }

    /** @return the flags of {@link RequestDescriptor} */
    public int flags() {
        return buffer.getByte(FLAGS_OFFSET) & 0xff;
    }

    /** @return true if the caller speaks RESP3 */
    public boolean isResp3() {
        return (flags() & FLAG_RESP3) != 0;
    }

    /** @return true if the caller expects a reply */
    public boolean isReplyWanted() {
        return (flags() & RequestDescriptor.FLAG_NO_REPLY) == 0;
    }

    /** @return code of the operation, known or not */
    public int opCode() {
        return buffer.getShort(OP_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xffff;
    }

    /** @return the operation, or null if its code is unknown */
    public @Nullable KvOp op() {
        return KvOp.byCode(opCode());
    }

    /** @return what the reply must carry */
    public long correlation() {
        return buffer.getLong(CORRELATION_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** @return number of the database, 0 to 65535 */
    public int database() {
        return buffer.getShort(DATABASE_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xffff;
    }

    /** @return number of arguments after the name */
    public int argc() {
        return argc;
    }

    /** @return the buffer that argument offsets refer to */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /**
     * @param index of the argument, 0 to argc - 1
     * @return offset of its first byte in {@link #buffer()}
     */
    public int argumentOffset(int index) {
        return offsets[checked(index)];
    }

    /**
     * @param index of the argument, 0 to argc - 1
     * @return its length in bytes; {@link RequestDescriptor#UPLOADED} if it was uploaded before
     */
    public int argumentLength(int index) {
        return lengths[checked(index)];
    }

    /**
     * @param index of an argument of 8 bytes, 0 to argc - 1
     * @return the number in it
     * @throws ProtocolException if it has another length
     */
    public long argumentLong(int index) {
        int bytes = argumentLength(index);
        if (bytes != Long.BYTES) {
            throw new ProtocolException("argument " + index + " has length " + bytes + " and is no number of 8 bytes");
        }
        return buffer.getLong(offsets[index], ByteOrder.LITTLE_ENDIAN);
    }

    /** @return number of arguments that were uploaded before */
    public int uploads() {
        return uploads;
    }

    /**
     * @param index of the argument, 0 to argc - 1
     * @return true if it was uploaded before and only {@link #uploadId} is here
     */
    public boolean isUploaded(int index) {
        return argumentLength(index) == RequestDescriptor.UPLOADED;
    }

    /**
     * @param index of an argument that was uploaded before
     * @return the upload's id
     */
    public long uploadId(int index) {
        if (!isUploaded(index)) {
            throw new IllegalStateException("argument " + index + " was not uploaded");
        }
        return buffer.getLong(offsets[index], ByteOrder.LITTLE_ENDIAN);
    }

    private int checked(int index) {
        if (index < 0 || index >= argc) {
            throw new IndexOutOfBoundsException("argument " + index + " of " + argc);
        }
        return index;
    }
}

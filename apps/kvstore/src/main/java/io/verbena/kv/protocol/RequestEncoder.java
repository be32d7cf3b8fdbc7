package io.verbena.kv.protocol;

import static io.verbena.kv.protocol.RequestDescriptor.ARGC_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.ARGUMENT_HEADER_LENGTH;
import static io.verbena.kv.protocol.RequestDescriptor.CORRELATION_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.DATABASE_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.FLAGS_MASK;
import static io.verbena.kv.protocol.RequestDescriptor.FLAGS_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.HEADER_LENGTH;
import static io.verbena.kv.protocol.RequestDescriptor.MAX_ARGUMENTS;
import static io.verbena.kv.protocol.RequestDescriptor.MAX_ARGUMENT_LENGTH;
import static io.verbena.kv.protocol.RequestDescriptor.OP_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.RESERVED_OFFSET;
import static io.verbena.kv.protocol.RequestDescriptor.UPLOADED;
import static io.verbena.kv.protocol.RequestDescriptor.UPLOADED_ARGUMENT_LENGTH;
import static io.verbena.kv.protocol.RequestDescriptor.VERSION;
import static io.verbena.kv.protocol.RequestDescriptor.VERSION_OFFSET;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes a request, argument by argument, into a buffer of the caller. Reusable; allocates nothing. The layout is that
 * of {@link RequestDescriptor}.
 *
 * <p>After {@link #begin} and after each argument the bytes from the offset up to {@link #length()} are a whole
 * request.
 *
 * <p>Not thread-safe.
 */
public final class RequestEncoder {
    private static final int MAX_DECIMAL_LENGTH = 20;

    private MutableDirectBuffer buffer = new UnsafeBuffer(0, 0);
    private int offset;
    private int position;
    private int argc;

    /**
     * Starts a request without arguments.
     *
     * @param target to write into, with room for the header and the arguments that follow
     * @param at offset of the request's first byte
     * @param op to execute
     * @param database 0 to 65535
     * @param correlation comes back in the reply
     * @param flags of {@link RequestDescriptor}
     * @return this
     */
    public RequestEncoder begin(
            MutableDirectBuffer target, int at, KvOp op, int database, long correlation, int flags) {
        if (database < 0 || database > 0xffff) {
            throw new IllegalArgumentException("database " + database + " is not in 0 to 65535");
        }
        if ((flags & ~FLAGS_MASK) != 0) {
            throw new IllegalArgumentException("flags " + flags + " has bits outside " + FLAGS_MASK);
        }
        buffer = target;
        offset = at;
        argc = 0;
        target.putByte(at + VERSION_OFFSET, (byte) VERSION);
        target.putByte(at + FLAGS_OFFSET, (byte) flags);
        target.putShort(at + OP_OFFSET, (short) op.code(), ByteOrder.LITTLE_ENDIAN);
        target.putInt(at + ARGC_OFFSET, 0, ByteOrder.LITTLE_ENDIAN);
        target.putLong(at + CORRELATION_OFFSET, correlation, ByteOrder.LITTLE_ENDIAN);
        target.putShort(at + DATABASE_OFFSET, (short) database, ByteOrder.LITTLE_ENDIAN);
        target.putShort(at + RESERVED_OFFSET, (short) 0, ByteOrder.LITTLE_ENDIAN);
        target.putInt(at + RESERVED_OFFSET + Short.BYTES, 0, ByteOrder.LITTLE_ENDIAN);
        position = at + HEADER_LENGTH;
        return this;
    }

    /**
     * Appends an argument whose bytes the caller writes into the buffer afterwards.
     *
     * @param length of the argument in bytes, 0 to {@link RequestDescriptor#MAX_ARGUMENT_LENGTH}
     * @return offset in the buffer where its bytes go
     */
    public int claimArgument(int length) {
        if (length < 0 || length > MAX_ARGUMENT_LENGTH) {
            throw new IllegalArgumentException(
                    "argument length " + length + " is not in 0 to maximum " + MAX_ARGUMENT_LENGTH);
        }
        checkCount();
        int end = position + RequestDescriptor.argumentLength(length);
        if (end < 0) {
            throw new IllegalArgumentException("request of " + (end & 0xffff_ffffL) + " bytes > maximum 2147483647");
        }
        if (length > 0) {
            // The padding lies in the last 4 bytes: zeroed first, overwritten in part by the argument's bytes.
            buffer.putInt(end - Integer.BYTES, 0);
        }
        buffer.putInt(position, length, ByteOrder.LITTLE_ENDIAN);
        int at = position + ARGUMENT_HEADER_LENGTH;
        position = end;
        argc++;
        buffer.putInt(offset + ARGC_OFFSET, argc, ByteOrder.LITTLE_ENDIAN);
        return at;
    }

    /**
     * Appends an argument.
     *
     * @param source of the bytes
     * @param sourceOffset of the first byte
     * @param length in bytes
     * @return this
     */
    public RequestEncoder argument(DirectBuffer source, int sourceOffset, int length) {
        int at = claimArgument(length);
        buffer.putBytes(at, source, sourceOffset, length);
        return this;
    }

    /**
     * Appends an argument.
     *
     * @param source of the bytes
     * @param sourceOffset of the first byte
     * @param length in bytes
     * @return this
     */
    public RequestEncoder argument(byte[] source, int sourceOffset, int length) {
        int at = claimArgument(length);
        buffer.putBytes(at, source, sourceOffset, length);
        return this;
    }

    /**
     * Appends an argument.
     *
     * @param source the bytes
     * @return this
     */
    public RequestEncoder argument(byte[] source) {
        return argument(source, 0, source.length);
    }

    /**
     * Appends a number as decimal text.
     *
     * @param value to write
     * @return this
     */
    public RequestEncoder argument(long value) {
        int length = decimalLength(value);
        int at = claimArgument(length);
        buffer.putLongAscii(at, value);
        return this;
    }

    /**
     * Appends a number as 8 bytes, little-endian.
     *
     * @param value to write
     * @return this
     */
    public RequestEncoder argumentLong(long value) {
        int at = claimArgument(Long.BYTES);
        buffer.putLong(at, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * Appends an argument whose bytes were uploaded before, see {@link TransferDescriptor}.
     *
     * @param uploadId of the upload
     * @return this
     */
    public RequestEncoder uploadedArgument(long uploadId) {
        checkCount();
        buffer.putInt(position, UPLOADED, ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(position + ARGUMENT_HEADER_LENGTH, uploadId, ByteOrder.LITTLE_ENDIAN);
        position += UPLOADED_ARGUMENT_LENGTH;
        argc++;
        buffer.putInt(offset + ARGC_OFFSET, argc, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * Ends the request with the length of an argument whose bytes follow behind it from elsewhere, without padding.
     *
     * @param length of the argument in bytes, 0 to {@link RequestDescriptor#MAX_ARGUMENT_LENGTH}
     * @return this
     */
    public RequestEncoder lastArgumentLength(int length) {
        if (length < 0 || length > MAX_ARGUMENT_LENGTH) {
            throw new IllegalArgumentException(
                    "argument length " + length + " is not in 0 to maximum " + MAX_ARGUMENT_LENGTH);
        }
        checkCount();
        buffer.putInt(position, length, ByteOrder.LITTLE_ENDIAN);
        position += ARGUMENT_HEADER_LENGTH;
        argc++;
        buffer.putInt(offset + ARGC_OFFSET, argc, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    private void checkCount() {
        if (argc == MAX_ARGUMENTS) {
            throw new IllegalArgumentException("number of arguments " + (argc + 1L) + " > maximum " + MAX_ARGUMENTS);
        }
    }

    /** @return bytes of the request so far */
    public int length() {
        return position - offset;
    }

    /** @return number of arguments so far */
    public int argumentCount() {
        return argc;
    }

    private static int decimalLength(long value) {
        if (value == Long.MIN_VALUE) {
            return MAX_DECIMAL_LENGTH;
        }
        int length = value < 0 ? 2 : 1;
        for (long rest = Math.abs(value); rest >= 10; rest /= 10) {
            length++;
        }
        return length;
    }
}

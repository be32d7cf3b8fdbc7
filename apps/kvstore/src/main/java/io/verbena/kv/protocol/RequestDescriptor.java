package io.verbena.kv.protocol;

import org.agrona.BitUtil;

/**
 * Layout of a request. Little-endian; offsets are from the request's first byte, which should be 8-byte aligned.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------+---------------+-------------------------------+
 *  0|    version    |     flags     |          operation            |
 *   +---------------+---------------+-------------------------------+
 *  4|                  number of arguments (argc)                   |
 *   +---------------------------------------------------------------+
 *  8|                         correlation                           |
 *   |                                                               |
 *   +-------------------------------+-------------------------------+
 * 16|           database            |          reserved (0)         |
 *   +-------------------------------+-------------------------------+
 * 20|                         reserved (0)                          |
 *   +---------------------------------------------------------------+
 * 24|  argc times: length (4 bytes), bytes, zeros up to a multiple  |
 *   |  of 4                                                        ...
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * <p>A length of -1 stands for an argument whose bytes were uploaded before, see {@link TransferDescriptor}; the 8
 * bytes of the upload's id follow it.
 */
public final class RequestDescriptor {
    /** Version that this code writes and reads. */
    public static final int VERSION = 1;
    /** Flag: the caller speaks RESP3, and replies whose shape depends on the protocol take RESP3's shape. */
    public static final int FLAG_RESP3 = 1;
    /** Flag: the request gets no reply at all, not even an error. */
    public static final int FLAG_NO_REPLY = 2;
    /** All flags that this version knows. */
    public static final int FLAGS_MASK = FLAG_RESP3 | FLAG_NO_REPLY;

    /** Offset of the version, u8. */
    public static final int VERSION_OFFSET = 0;
    /** Offset of the flags, u8. */
    public static final int FLAGS_OFFSET = 1;
    /** Offset of the operation's code, u16. */
    public static final int OP_OFFSET = 2;
    /** Offset of the number of arguments, i32. */
    public static final int ARGC_OFFSET = 4;
    /** Offset of the correlation, i64. */
    public static final int CORRELATION_OFFSET = 8;
    /** Offset of the database number, u16. */
    public static final int DATABASE_OFFSET = 16;
    /** Offset of the reserved bytes. */
    public static final int RESERVED_OFFSET = 18;
    /** Length of the header in bytes; the arguments follow. */
    public static final int HEADER_LENGTH = 24;

    /** Bytes of an argument's length field. */
    public static final int ARGUMENT_HEADER_LENGTH = 4;
    /** Alignment of arguments. */
    public static final int ARGUMENT_ALIGNMENT = 4;
    /** Greatest number of arguments; Redis has the same limit on a command. */
    public static final int MAX_ARGUMENTS = 1024 * 1024;
    /** Greatest length of one argument in bytes; that of a string of Redis. */
    public static final int MAX_ARGUMENT_LENGTH = 512 * 1024 * 1024;
    /** What stands in the length field of an argument that was uploaded before: the upload's id (i64) follows. */
    public static final int UPLOADED = -1;
    /** Bytes that an argument takes in a request that was uploaded before. */
    public static final int UPLOADED_ARGUMENT_LENGTH = ARGUMENT_HEADER_LENGTH + Long.BYTES;

    private RequestDescriptor() {}

    /**
     * @param length of the argument in bytes, 0 to {@link #MAX_ARGUMENT_LENGTH}
     * @return bytes that the argument takes in a request, with its length and padding
     */
    public static int argumentLength(int length) {
        return ARGUMENT_HEADER_LENGTH + BitUtil.align(length, ARGUMENT_ALIGNMENT);
    }
}

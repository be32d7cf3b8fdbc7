package io.verbena.kv.protocol;

import org.agrona.BitUtil;

/**
 * Layout of a reply: a correlation and one tree of values in pre-order. Little-endian, every value 8-byte aligned.
 *
 * <pre>
 *   +---------------------------------------------------------------+
 *  0|                       correlation (i64)                       |
 *   +---------------+-----------------------------------------------+
 *  8|    tag (u8)   |  zeros        |  length or count (i32)        |
 *   +---------------+---------------+-------------------------------+
 * 16|  INTEGER: i64 · DOUBLE: f64 · text: bytes, zeros to 8         |
 *   |  STREAM, HELD: id (i64), length (i64)                         |
 *   +---------------------------------------------------------------+
 *    ... the next value
 * </pre>
 *
 * <p>The i32 holds the bytes of a text, the elements of an ARRAY or SET, the pairs of a MAP, 8 for INTEGER and DOUBLE,
 * 16 for STREAM and HELD, the value 0 or 1 of a BOOLEAN, and 0 for NIL and NIL_ARRAY.
 */
public final class ReplyDescriptor {
    /** Offset of the correlation, i64. */
    public static final int CORRELATION_OFFSET = 0;
    /** Length of the header in bytes; the tree follows. */
    public static final int HEADER_LENGTH = 8;
    /** Offset of the tag in a value, u8. */
    public static final int TAG_OFFSET = 0;
    /** Offset of the length or count in a value, i32. */
    public static final int COUNT_OFFSET = 4;
    /** Length of a value's header in bytes; its payload follows. */
    public static final int VALUE_HEADER_LENGTH = 8;
    /** Alignment of values. */
    public static final int VALUE_ALIGNMENT = 8;

    private ReplyDescriptor() {}

    /**
     * @param length of a text in bytes
     * @return bytes that it takes in a reply
     */
    public static long textLength(int length) {
        return VALUE_HEADER_LENGTH + BitUtil.align((long) length, VALUE_ALIGNMENT);
    }
}

package io.verbena.nic.append;

import io.verbena.nic.wire.AppendEthFlyweight;

/**
 * Layout of a record in a chunk of an append queue.
 *
 * <pre>
 *    0        4        8           12           16                             multiple of 8
 *   +--------+--------+-----------+------------+-- - - - - - - --+-------------+
 *   | length | flags  | QP number | immediate  |     payload     | to 8 bytes  |
 *   +--------+--------+-----------+------------+-- - - - - - - --+-------------+
 * </pre>
 *
 * Length counts the 16 bytes of header and the payload, not the rest up to a multiple of 8. Length and flags are one
 * 64-bit word and change together: 0 is not written yet (a direct initiator that has claimed it says so in its slot), a
 * negative length is in flight on the owner's side, a positive one is committed. A direct initiator commits by
 * compare-and-set from 0, because the owner may have turned its claim into padding.
 *
 * <p>The flags say also of which stream of the queue pair the record is, and against which quota it counts:
 *
 * <pre>
 *    0                4                16                    31
 *   +----------------+----------------+---------------------+---+
 *   | flags          | stream         | quota               | 0 |   bits
 *   +----------------+----------------+---------------------+---+
 * </pre>
 *
 * <p>Padding has only that word, so that it fits in the least remainder of a chunk, 8 bytes.
 */
public final class RecordDescriptor {
    /** Bytes of a record's header. */
    public static final int HEADER_LENGTH = 16;

    /** Records begin at multiples of this. */
    public static final int ALIGNMENT = 8;

    /** Offset of length (low half) and flags (high half), one word. */
    public static final int WORD_OFFSET = 0;

    /** Offset of the number of the queue pair by which the record came. */
    public static final int QP_NUMBER_OFFSET = 8;

    /** Offset of the immediate value. */
    public static final int IMMEDIATE_OFFSET = 12;

    /** Offset of the payload. */
    public static final int PAYLOAD_OFFSET = HEADER_LENGTH;

    /** Flag: no message; skipped. */
    public static final int PADDING = 1;

    /** Flag: the payload is a reference to a message in a mapping of its own. */
    public static final int LARGE = 2;

    /** Flag: the immediate value counts. */
    public static final int HAS_IMMEDIATE = 4;

    /** Flag, with PADDING: the rest of the chunk, which nobody has written. */
    public static final int END_OF_CHUNK = 8;

    /** From this bit on the flags are the number of the stream that the record is of. */
    private static final int STREAM_SHIFT = 4;

    /** What a handler gets of the flags: whether there is an immediate value, and the stream. */
    static final int DELIVERED = HAS_IMMEDIATE | AppendEthFlyweight.MAX_STREAM << STREAM_SHIFT;

    /**
     * From this bit on the flags are the number of the {@link SenderQuota} against which the record counts, 0 for none.
     */
    static final int QUOTA_SHIFT = 16;

    /** The largest number of a quota; the sign of the flags stays clear. */
    static final int MAX_QUOTA = 0x7FFF;

    /** Payload of a LARGE record: index (4 bytes), nothing (4), length of the message (8). */
    static final int REFERENCE_LENGTH = 16;

    private RecordDescriptor() {}

    /**
     * Bytes that a message takes in a chunk.
     *
     * @param payloadLength at least 0
     */
    public static int alignedLength(int payloadLength) {
        return (payloadLength + HEADER_LENGTH + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /**
     * The word of a committed record.
     *
     * @param payloadLength at least 0
     * @param flags {@link #HAS_IMMEDIATE} or 0, {@link #streamFlags} and {@link SenderQuota#flags}
     */
    public static long committed(int payloadLength, int flags) {
        return word(payloadLength + HEADER_LENGTH, flags);
    }

    /** What stands in the flags of a stream's records; bits that no stream has are dropped. */
    public static int streamFlags(int stream) {
        return (stream & AppendEthFlyweight.MAX_STREAM) << STREAM_SHIFT;
    }

    /** The number of the stream, of a record's flags or of those that a handler gets. */
    public static int stream(int flags) {
        return flags >>> STREAM_SHIFT & AppendEthFlyweight.MAX_STREAM;
    }

    /**
     * The word of padding that takes this many bytes.
     *
     * @param length a multiple of {@link #ALIGNMENT}
     */
    public static long padding(int length) {
        return word(length, PADDING);
    }

    /** The word at {@link #QP_NUMBER_OFFSET}: queue pair number and immediate value. */
    public static long source(int qpNumber, int immediate) {
        return (qpNumber & 0xFFFF_FFFFL) | ((long) immediate << 32);
    }

    /** Whether a word that is not 0 and not negative is of a record or padding that ends within this many bytes. */
    static boolean isSound(long word, int room) {
        int length = length(word);
        return length <= room && (length >= HEADER_LENGTH || (length >= ALIGNMENT && (flags(word) & PADDING) != 0));
    }

    static int align(int length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
    }

    static long word(int length, int flags) {
        return (length & 0xFFFF_FFFFL) | ((long) flags << 32);
    }

    static int length(long word) {
        return (int) word;
    }

    static int flags(long word) {
        return (int) (word >>> 32);
    }
}

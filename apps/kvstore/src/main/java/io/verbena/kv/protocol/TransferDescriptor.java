package io.verbena.kv.protocol;

/**
 * How values that are longer than a message travel: in pieces, each in an ordinary request or reply, so that no message
 * exceeds {@link #MAX_MESSAGE}.
 *
 * <pre>
 *   client                                                       shard
 *   ── UPLOAD id, total, offset 0, bytes ────────────────────▶  takes memory
 *   ── UPLOAD id, total, offset n, bytes ────────────────────▶  fills it
 *   ── SET key, uploaded argument id ────────────────────────▶  adopts the memory as the value
 *   ◀─ OK ─────────────────────────────────────────────────────
 *
 *   ── UPLOAD_REQUEST id, total, offset n, bytes ─────────────▶  as UPLOAD, but a whole request
 *   ── EXECUTE_UPLOADED id ──────────────────────────────────▶  executes it, and frees the memory
 *   ◀─ its reply ──────────────────────────────────────────────
 *
 *   ── GET key ──────────────────────────────────────────────▶  pins the value
 *   ◀─ STREAM id, length ──────────────────────────────────────
 *   ── READ_STREAM id, offset 0, length ─────────────────────▶
 *   ── READ_STREAM id, offset n, length ─────────────────────▶  several may be under way
 *   ◀─ BULK ───────────────────────────────────────────────────
 *   ◀─ BULK ───────────────────────────────────────────────────  the last byte ends the stream: the value is unpinned
 * </pre>
 *
 * <p>Arguments of the requests, in order; numbers are {@linkplain RequestEncoder#argumentLong 8 bytes, little-endian}:
 *
 * <pre>
 *   UPLOAD            id · total length · offset · bytes, at most {@link #PIECE_LENGTH}    no reply
 *   UPLOAD_REQUEST    as UPLOAD                                                            no reply
 *   DISCARD_UPLOAD    id                                                                   no reply
 *   EXECUTE_UPLOADED  id                                                                   that of the uploaded request
 *   READ_STREAM       id · offset · length, at most {@link #PIECE_LENGTH}                  BULK, or ERROR
 *   CLOSE_STREAM      id                                                                   no reply
 * </pre>
 *
 * <p>"No reply" is what {@link RequestDescriptor#FLAG_NO_REPLY} makes of them; without it they are answered with OK or
 * an error. The client chooses the ids of uploads, each once a channel; the shard those of streams, each once
 * a shard. Both belong to the client's channel, and go with it. Pieces of an upload come in order; a stream is read in
 * order.
 *
 * <p>The first piece takes memory for the total if there is some without evicting keys. Else keys are evicted for the
 * bytes that have come, and less than as many again: the memory of the upload doubles with them, up to the total. Where
 * nothing may be evicted the upload is refused at once. Before keys are evicted for a request, or it is refused, it is
 * collected in memory that the shard keeps for that beside its data: it may be one that frees memory.
 *
 * <p>An upload that the shard has no memory for, or that is one too many, is remembered as refused and its later pieces
 * are dropped: the request that uses it is answered with the error and not executed. A request uses up its uploads,
 * whatever becomes of it.
 *
 * <p>A {@link ReplyType#STREAM} stands where a BULK would, for a value that lies in a block of its own; its bytes are
 * those of the moment at which the request was executed. A reply whose tree as a whole exceeds {@link #MAX_MESSAGE}
 * stays at the shard too: a {@link ReplyType#HELD} names the stream that holds it, header and correlation included. A
 * HELD that is closed before it was read to its end closes the streams that its reply tells of.
 */
public final class TransferDescriptor {
    /** Greatest number of bytes of a value in one message. */
    public static final int PIECE_LENGTH = 64 * 1024;
    /** Greatest length of a request or a reply in bytes. */
    public static final int MAX_MESSAGE = 128 * 1024;
    /** Greatest length of an upload in bytes: a whole request may be longer than its longest argument. */
    public static final int MAX_UPLOAD_LENGTH = (1 << 30) - PIECE_LENGTH;
    /** Bytes of the payload of a STREAM or HELD value: its id and its length, i64 each. */
    public static final int STREAM_PAYLOAD_LENGTH = 2 * Long.BYTES;

    private static final int NUMBER_LENGTH = RequestDescriptor.argumentLength(Long.BYTES);

    private TransferDescriptor() {}

    /**
     * @param bytes of the value in it, 0 to {@link #PIECE_LENGTH}
     * @return length of an UPLOAD request
     */
    public static int uploadLength(int bytes) {
        return RequestDescriptor.HEADER_LENGTH + 3 * NUMBER_LENGTH + RequestDescriptor.argumentLength(bytes);
    }

    /** @return length of a READ_STREAM request */
    public static int readStreamLength() {
        return RequestDescriptor.HEADER_LENGTH + 3 * NUMBER_LENGTH;
    }

    /** @return length of a DISCARD_UPLOAD, EXECUTE_UPLOADED or CLOSE_STREAM request */
    public static int idLength() {
        return RequestDescriptor.HEADER_LENGTH + NUMBER_LENGTH;
    }

    /**
     * @param length of a STREAM or HELD in bytes
     * @param offset that has been read up to
     * @return bytes that the next READ_STREAM should ask for
     */
    public static int nextPiece(long length, long offset) {
        return (int) Math.min(PIECE_LENGTH, length - offset);
    }
}

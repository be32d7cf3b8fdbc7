package io.verbena.redis;

import io.netty.buffer.ByteBufAllocator;
import io.verbena.SendResult;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.protocol.TransferDescriptor;
import io.verbena.redis.backend.Backend;
import java.util.ArrayDeque;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A worker's way of requests to the shards, bounded by {@link InFlight}. A command's request is begun, encoded where it
 * travels from, and ended; nothing else is sent in between. One that is too long for a message is encoded apart ({@link
 * LargeRequest}) and travels in pieces, as values of clients do that are uploaded while they are received.
 *
 * <pre>
 *   {@link #begin} ─▶ {@link #encode} ... arguments ─▶ {@link #end} ─┬─▶ a message
 *                                                     └─▶ a large request, for {@link #send(LargeRequest)}
 *   {@link #upload} ... ─▶ a request that names the upload
 * </pre>
 *
 * <p>For one worker's thread; nothing blocks.
 */
final class RequestSender {
    private static final int NO_SHARD = -1;
    private static final long NO_REPLY = -1;

    /** The shard has received a piece. If it was refused, the request that uses the upload reports that. */
    private static final PieceTaker ARRIVED = new PieceTaker() {
        @Override
        public void onPiece(ReplyCursor cursor) {}

        @Override
        public void onLost() {}
    };

    /** Something at a shard that nobody needs any more. */
    private record Release(KvOp op, int shard, long id) {}

    private final Backend backend;
    private final InFlight inFlight;
    private final ByteBufAllocator allocator;
    private final RequestEncoder encoder = new RequestEncoder();
    /** What stands before the bytes of a piece. */
    private final UnsafeBuffer pieceHead = new UnsafeBuffer(new byte[TransferDescriptor.uploadLength(0)]);

    private final ArrayDeque<Release> releases = new ArrayDeque<>();
    private long lastUploadId;
    private int openUploads;
    private int openStreams;

    private int begun = NO_SHARD;
    private long begunCorrelation;
    private @Nullable LargeRequest large;

    RequestSender(Backend backend, InFlight inFlight, ByteBufAllocator allocator) {
        this.backend = backend;
        this.inFlight = inFlight;
        this.allocator = allocator;
    }

    // ---- commands' requests -----------------------------------------------------------------------------------------

    /**
     * Begins a request.
     *
     * @param shard that is to execute it
     * @param length of the request in bytes
     * @return SENT if there is room, and {@link #encode} and {@link #end} follow; BACK_PRESSURED: not now; CLOSED: the
     *     shard cannot be reached
     */
    SendResult begin(int shard, int length) {
        if (begun != NO_SHARD) {
            throw new IllegalStateException("a request to shard " + begun + " is being encoded");
        }
        if (length > TransferDescriptor.MAX_MESSAGE) {
            if (!inFlight.hasRoom(0)) {
                return SendResult.BACK_PRESSURED;
            }
            large = new LargeRequest(allocator, shard, length, nextUploadId());
        } else {
            SendResult room = claim(shard, length);
            if (room != SendResult.SENT) {
                return room;
            }
        }
        begun = shard;
        begunCorrelation = NO_REPLY;
        return SendResult.SENT;
    }

    private SendResult claim(int shard, int length) {
        return inFlight.hasRoom(length) ? backend.claim(shard, length) : SendResult.BACK_PRESSURED;
    }

    /** Where the request that was begun is encoded. */
    MutableDirectBuffer buffer() {
        return large == null ? backend.claimBuffer() : large.buffer();
    }

    /** Starts the request that was begun; its arguments follow. */
    RequestEncoder encode(KvOp op, ClientSession session, long correlation) {
        begunCorrelation = correlation;
        LargeRequest apart = large;
        int flags = session.protocol() >= 3 ? RequestDescriptor.FLAG_RESP3 : 0;
        if (apart != null) {
            apart.correlation(correlation);
            return encoder.begin(apart.buffer(), 0, op, session.database(), correlation, flags);
        }
        return encoder.begin(backend.claimBuffer(), backend.claimOffset(), op, session.database(), correlation, flags);
    }

    /**
     * The request that was begun is encoded.
     *
     * @return null if it is sent; else what is to be sent in pieces before anything else of its client
     */
    @Nullable
    LargeRequest end() {
        LargeRequest apart = large;
        large = null;
        begun = NO_SHARD;
        if (apart == null) {
            backend.commit();
        }
        return apart;
    }

    /**
     * Something went wrong after {@link #begin}: the request that was begun, if any, is not sent, and no reply awaited.
     */
    void abort() {
        if (begun != NO_SHARD) {
            begun = NO_SHARD;
            int row = inFlight.find(begunCorrelation);
            if (row >= 0) {
                inFlight.remove(row);
            }
            if (large != null) {
                large.release();
                large = null;
            } else {
                backend.abort();
            }
        }
    }

    // ---- pieces -----------------------------------------------------------------------------------------------------

    private long nextUploadId() {
        return ++lastUploadId;
    }

    /** A client begins to upload a value; returns its number. {@link #uploadEnded} follows. */
    long openUpload() {
        openUploads++;
        return nextUploadId();
    }

    /** A value that a client uploaded is used, or given up. */
    void uploadEnded() {
        openUploads--;
    }

    /** Values that clients are uploading. */
    int openUploads() {
        return openUploads;
    }

    /**
     * Goes on with a large request.
     *
     * @return SENT if all is sent, and its memory is let go; BACK_PRESSURED: not all yet; CLOSED: the shard is gone
     */
    SendResult send(LargeRequest request) {
        while (request.sent() < request.length()) {
            int length = TransferDescriptor.nextPiece(request.length(), request.sent());
            SendResult sent = sendPiece(
                    KvOp.UPLOAD_REQUEST,
                    request.shard(),
                    request.uploadId(),
                    request.length(),
                    request.sent(),
                    request.buffer(),
                    request.sent(),
                    length);
            if (sent != SendResult.SENT) {
                return sent;
            }
            request.sent(length);
        }
        // The row of its reply is counted already.
        SendResult room = backend.claim(request.shard(), TransferDescriptor.idLength());
        if (room == SendResult.SENT) {
            encodeTransfer(KvOp.EXECUTE_UPLOADED, request.correlation(), 0).argumentLong(request.uploadId());
            backend.commit();
            request.release();
        }
        return room;
    }

    /**
     * Sends a piece of a value.
     *
     * @return SENT, BACK_PRESSURED: not now; CLOSED: the shard is gone
     */
    SendResult upload(int shard, long id, long total, long position, DirectBuffer source, int offset, int length) {
        return sendPiece(KvOp.UPLOAD, shard, id, total, position, source, offset, length);
    }

    private SendResult sendPiece(
            KvOp op, int shard, long id, long total, long position, DirectBuffer source, int offset, int length) {
        int requestLength = TransferDescriptor.uploadLength(length);
        if (!inFlight.hasRoomForPiece(requestLength)) {
            return SendResult.BACK_PRESSURED;
        }
        long correlation = inFlight.add(ARRIVED, shard, requestLength);
        encoder.begin(pieceHead, 0, op, 0, correlation, 0)
                .argumentLong(id)
                .argumentLong(total)
                .argumentLong(position)
                .lastArgumentLength(length);
        SendResult sent = backend.send(shard, pieceHead, encoder.length(), source, offset, length);
        if (sent != SendResult.SENT) {
            inFlight.remove(inFlight.find(correlation));
        }
        return sent;
    }

    /**
     * Asks for a piece of a stream.
     *
     * @return SENT, BACK_PRESSURED: not now; CLOSED: the shard is gone, and the stream with it
     */
    SendResult read(PieceTaker taker, int shard, long id, long position, int length) {
        SendResult room = inFlight.hasRoomForPiece(length)
                ? backend.claim(shard, TransferDescriptor.readStreamLength())
                : SendResult.BACK_PRESSURED;
        if (room == SendResult.SENT) {
            encodeTransfer(KvOp.READ_STREAM, inFlight.add(taker, shard, length), 0)
                    .argumentLong(id)
                    .argumentLong(position)
                    .argumentLong(length);
            backend.commit();
        }
        return room;
    }

    private RequestEncoder encodeTransfer(KvOp op, long correlation, int flags) {
        return encoder.begin(backend.claimBuffer(), backend.claimOffset(), op, 0, correlation, flags);
    }

    /** A shard keeps a value for a client that is yet to read it. {@link #streamEnded} follows. */
    void streamOpened() {
        openStreams++;
    }

    /** A value was read to its end, or is not needed any more. */
    void streamEnded() {
        openStreams--;
    }

    /** Values that shards keep for clients that are yet to read them. */
    int openStreams() {
        return openStreams;
    }

    // ---- what nobody needs ------------------------------------------------------------------------------------------

    /** An upload will not be used. */
    void discardUpload(int shard, long id) {
        release(new Release(KvOp.DISCARD_UPLOAD, shard, id));
    }

    /** The rest of a stream will not be read. */
    void closeStream(int shard, long id) {
        release(new Release(KvOp.CLOSE_STREAM, shard, id));
    }

    /** Not at once: this may be the middle of something else. */
    private void release(Release release) {
        releases.addLast(release);
    }

    /** Tells the shards what nobody needs any more, as far as there is room. */
    void sendReleases() {
        for (Release next = releases.peekFirst(); next != null; next = releases.peekFirst()) {
            SendResult room = backend.claim(next.shard(), TransferDescriptor.idLength());
            if (room == SendResult.BACK_PRESSURED) {
                return;
            }
            releases.removeFirst();
            if (room == SendResult.SENT) { // else it has gone with the shard
                encodeTransfer(next.op(), 0, RequestDescriptor.FLAG_NO_REPLY).argumentLong(next.id());
                backend.commit();
            }
        }
    }

    /** Whether shards have not been told yet what nobody needs any more. */
    boolean hasReleases() {
        return !releases.isEmpty();
    }
}

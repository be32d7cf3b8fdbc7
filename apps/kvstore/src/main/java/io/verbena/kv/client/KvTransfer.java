package io.verbena.kv.client;

import io.verbena.SendResult;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.protocol.TransferDescriptor;
import org.agrona.DirectBuffer;

/**
 * Composes the requests by which a {@link KvClient} moves values that are longer than a message, see {@link
 * TransferDescriptor}: pieces of uploads, and reads of streams. Each method claims and commits one request, which goes
 * out with {@link KvClient#flush}, and returns what the claim or commit returned; after BACK_PRESSURED poll and call it
 * again.
 *
 * <p>It keeps no state but the next upload's id. For the thread that uses the client.
 */
public final class KvTransfer {
    private final KvClient client;
    private final RequestEncoder request = new RequestEncoder();
    private long nextUpload = 1;

    /**
     * Creates the composer of a client's transfers; one a client, since it chooses the ids of its uploads.
     *
     * @param client to send with
     */
    public KvTransfer(KvClient client) {
        this.client = client;
    }

    /** An id for an upload, not used before. */
    public long newUpload() {
        return nextUpload++;
    }

    /**
     * Sends the next piece of an argument's upload.
     *
     * @param shard that is to use it
     * @param uploadId from {@link #newUpload}
     * @param total bytes of the whole, the same for each piece
     * @param position of this piece in the whole; pieces are sent in order
     * @param source of the bytes
     * @param offset of the first byte in the source
     * @param length of the piece in bytes, at most {@link TransferDescriptor#PIECE_LENGTH}
     */
    public SendResult upload(
            int shard, long uploadId, long total, long position, DirectBuffer source, int offset, int length) {
        return piece(KvOp.UPLOAD, shard, uploadId, total, position, source, offset, length);
    }

    /** As {@link #upload}, but what is uploaded is a whole request, for {@link #execute}. */
    public SendResult uploadRequest(
            int shard, long uploadId, long total, long position, DirectBuffer source, int offset, int length) {
        return piece(KvOp.UPLOAD_REQUEST, shard, uploadId, total, position, source, offset, length);
    }

    private SendResult piece(
            KvOp op, int shard, long uploadId, long total, long position, DirectBuffer source, int offset, int length) {
        SendResult result = client.claim(shard, TransferDescriptor.uploadLength(length));
        if (result != SendResult.SENT) {
            return result;
        }
        begin(op, 0, RequestDescriptor.FLAG_NO_REPLY)
                .argumentLong(uploadId)
                .argumentLong(total)
                .argumentLong(position)
                .argument(source, offset, length);
        return client.commit();
    }

    /** Gives an upload up that no request will use. */
    public SendResult discard(int shard, long uploadId) {
        return one(shard, KvOp.DISCARD_UPLOAD, uploadId, 0, RequestDescriptor.FLAG_NO_REPLY);
    }

    /**
     * Executes a request that was {@linkplain #uploadRequest uploaded}.
     *
     * @param correlation of the uploaded request: if the upload was refused, nothing else tells whose error it is
     */
    public SendResult execute(int shard, long uploadId, long correlation) {
        return one(shard, KvOp.EXECUTE_UPLOADED, uploadId, correlation, 0);
    }

    /**
     * Asks for the next bytes of a stream, which come as a BULK. Several may be asked for before the first has come.
     *
     * @param position of the first byte; a stream is read in order
     * @param length in bytes, see {@link TransferDescriptor#nextPiece}
     * @param correlation comes back in the reply
     */
    public SendResult read(int shard, long streamId, long position, int length, long correlation) {
        SendResult result = client.claim(shard, TransferDescriptor.readStreamLength());
        if (result != SendResult.SENT) {
            return result;
        }
        begin(KvOp.READ_STREAM, correlation, 0)
                .argumentLong(streamId)
                .argumentLong(position)
                .argumentLong(length);
        return client.commit();
    }

    /** Gives a stream up that will not be read to its end. */
    public SendResult close(int shard, long streamId) {
        return one(shard, KvOp.CLOSE_STREAM, streamId, 0, RequestDescriptor.FLAG_NO_REPLY);
    }

    private SendResult one(int shard, KvOp op, long id, long correlation, int flags) {
        SendResult result = client.claim(shard, TransferDescriptor.idLength());
        if (result != SendResult.SENT) {
            return result;
        }
        begin(op, correlation, flags).argumentLong(id);
        return client.commit();
    }

    private RequestEncoder begin(KvOp op, long correlation, int flags) {
        return request.begin(client.claimBuffer(), client.claimOffset(), op, 0, correlation, flags);
    }
}

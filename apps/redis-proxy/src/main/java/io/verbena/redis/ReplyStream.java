package io.verbena.redis;

import io.verbena.SendResult;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.TransferDescriptor;
import io.verbena.redis.resp.StreamedBody;
import org.jspecify.annotations.Nullable;

/**
 * A value of a reply whose bytes are still at the shard: they are fetched, a few pieces ahead, while the client takes
 * them. For one worker's thread.
 */
final class ReplyStream implements PieceTaker, StreamedBody {
    /**
     * Pieces that are asked for before the first has come, of all values under way. They leave by one system call, and
     * each call wakes the reader.
     */
    private static final int PIECES_AHEAD = 16;

    /** Pieces of one value, however many there are. */
    private static final int MIN_PIECES_AHEAD = 4;

    private final RequestSender sender;
    private final int shard;
    private final long id;
    private final long length;
    private @Nullable ClientConnection reader;
    private long asked;
    private long received;
    private boolean closed;

    ReplyStream(RequestSender sender, int shard, long id, long length) {
        this.sender = sender;
        this.shard = shard;
        this.id = id;
        this.length = length;
        sender.streamOpened();
    }

    @Override
    public long length() {
        return length;
    }

    /** Its bytes are next on their way to the client. */
    void begin(ClientConnection connection) {
        reader = connection;
    }

    /** Whether bytes have been asked for, and none has come yet. */
    boolean isFirstPieceDue() {
        return received == 0 && asked > 0;
    }

    /** Whether all bytes have come. */
    boolean isComplete() {
        return received == length;
    }

    /**
     * Asks for the next pieces.
     *
     * @return BACK_PRESSURED: there is no room for it now; CLOSED: the shard is gone; else SENT
     */
    SendResult ask() {
        int pieces = Math.max(MIN_PIECES_AHEAD, PIECES_AHEAD / Math.max(1, sender.openStreams()));
        while (asked < length && asked - received < (long) pieces * TransferDescriptor.PIECE_LENGTH) {
            int piece = TransferDescriptor.nextPiece(length, asked);
            SendResult sent = sender.read(this, shard, id, asked, piece);
            if (sent != SendResult.SENT) {
                return sent;
            }
            asked += piece;
        }
        return SendResult.SENT;
    }

    @Override
    public void onPiece(ReplyCursor cursor) {
        ClientConnection connection = reader;
        if (closed || connection == null) {
            return;
        }
        if (cursor.type() != ReplyType.BULK || cursor.textLength() > asked - received) {
            connection.bodyLost("shard " + shard + " did not answer with a piece of the value");
            return;
        }
        received += cursor.textLength();
        if (isComplete()) {
            sender.streamEnded();
        }
        try {
            connection.body(cursor.buffer(), cursor.textOffset(), cursor.textLength());
        } catch (RuntimeException | Error e) {
            connection.failed(e); // a byte that is missing would make all that follows wrong
        }
    }

    @Override
    public void onLost() {
        ClientConnection connection = reader;
        if (!closed && connection != null) {
            connection.bodyLost("shard " + shard + " was lost");
        }
    }

    /** Nobody takes the rest. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (!isComplete()) {
                sender.streamEnded();
            }
            if (asked < length) { // else the shard lets go by itself
                sender.closeStream(shard, id);
            }
        }
    }
}

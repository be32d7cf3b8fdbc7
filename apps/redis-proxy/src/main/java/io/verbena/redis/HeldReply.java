package io.verbena.redis;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.verbena.SendResult;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.TransferDescriptor;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A reply that was too long for a message, on its way here in pieces. Once it is whole it is read as if it had come at
 * once. For one worker's thread.
 */
final class HeldReply implements PieceTaker {
    /** Pieces that are asked for before the first has come. */
    private static final int MAX_PIECES_AHEAD = 8;

    /** Takes what becomes of it. */
    interface Listener {
        /** The reply is whole. */
        void onHeld(HeldReply reply);

        /** The reply is not available. */
        void onHeldLost(HeldReply reply);
    }

    private final RequestSender sender;
    private final Listener listener;
    private final ClientConnection owner;
    private final int shard;
    private final long id;
    private final int length;
    private final long correlation;
    private final ByteBuf memory;
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private int asked;
    private int received;
    private boolean over;

    HeldReply(
            RequestSender sender,
            Listener listener,
            ClientConnection owner,
            ByteBufAllocator allocator,
            int shard,
            long id,
            int length,
            long correlation) {
        this.sender = sender;
        this.listener = listener;
        this.owner = owner;
        this.shard = shard;
        this.id = id;
        this.length = length;
        this.correlation = correlation;
        this.memory = allocator.directBuffer(length, length);
        ByteBuffer nio = memory.internalNioBuffer(0, length);
        buffer.wrap(nio, nio.position(), length);
        owner.held(length);
    }

    /** What the request waits for. */
    long correlation() {
        return correlation;
    }

    /** The reply, once it is whole. */
    UnsafeBuffer buffer() {
        return buffer;
    }

    int length() {
        return length;
    }

    /**
     * Asks for the next pieces.
     *
     * @return false if there is more to ask for, and no room for it now
     */
    boolean ask() {
        while (!over && asked < length && asked - received < MAX_PIECES_AHEAD * TransferDescriptor.PIECE_LENGTH) {
            int piece = TransferDescriptor.nextPiece(length, asked);
            SendResult sent = sender.read(this, shard, id, asked, piece);
            if (sent == SendResult.BACK_PRESSURED) {
                return false;
            }
            if (sent == SendResult.CLOSED) {
                onLost();
                return true;
            }
            asked += piece;
        }
        return true;
    }

    /** Whether pieces are still to be asked for. */
    boolean isAsking() {
        return !over && asked < length;
    }

    @Override
    public void onPiece(ReplyCursor cursor) {
        if (over) {
            return;
        }
        if (cursor.type() != ReplyType.BULK || cursor.textLength() > asked - received) {
            onLost();
            return;
        }
        buffer.putBytes(received, cursor.buffer(), cursor.textOffset(), cursor.textLength());
        received += cursor.textLength();
        if (received == length) {
            over = true;
            try {
                listener.onHeld(this);
            } finally {
                release();
            }
        }
    }

    @Override
    public void onLost() {
        if (!over) {
            over = true;
            release();
            listener.onHeldLost(this);
        }
    }

    private void release() {
        owner.held(-length);
        buffer.wrap(0, 0);
        memory.release();
    }
}

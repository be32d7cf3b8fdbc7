package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Manner.End;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.SplittableRandom;

/** Requests that a connection has still to send, in pieces as the batch's manner says. For its loop's thread. */
final class PlayerOutput {
    private static final int BUFFER = 64 << 10;
    private static final int MAX_FRAGMENT = 7;

    private final ArrayDeque<PlayerRequest> unsent = new ArrayDeque<>();
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).flip();
    private final SplittableRandom pieces;
    private long position; // bytes of the first unsent request that are in the buffer
    private long sent;

    PlayerOutput(SplittableRandom pieces) {
        this.pieces = pieces;
    }

    /** Begins with a batch. */
    void begin(Batch batch) {
        sent = 0;
        unsent.addAll(batch.requests());
    }

    boolean isEmpty() {
        return !buffer.hasRemaining() && unsent.isEmpty();
    }

    /** Bytes of the batch that the socket has taken. */
    long sent() {
        return sent;
    }

    /** Requests of which not all bytes are in the buffer. */
    int unsent() {
        return unsent.size();
    }

    /** Requests of which the server cannot have a byte. */
    int untouched() {
        return unsent.size() - (position > 0 ? 1 : 0);
    }

    /** Bytes of the batch that the socket has not taken. */
    long unsentBytes() {
        return buffer.remaining()
                + unsent.stream().mapToLong(PlayerRequest::length).sum()
                - position;
    }

    /** Writes one piece; false if the socket has no room for all of it. */
    boolean write(SocketChannel channel, Manner manner) throws IOException {
        fill();
        int limit = buffer.limit();
        int most = buffer.remaining();
        if (sent < manner.fragments()) {
            most = Math.min(most, 1 + pieces.nextInt(MAX_FRAGMENT));
        }
        if (manner.end() == End.DIE_SENDING) {
            most = (int) Math.min(most, manner.endAfter() - sent);
        }
        buffer.limit(buffer.position() + most);
        int written = channel.write(buffer);
        buffer.limit(limit);
        sent += Math.max(0, written);
        return written >= most;
    }

    private void fill() {
        buffer.compact();
        while (buffer.hasRemaining() && !unsent.isEmpty()) {
            PlayerRequest request = unsent.element();
            position = request.copy(position, buffer);
            if (position == request.length()) {
                unsent.remove();
                position = 0;
            }
        }
        buffer.flip();
    }
}

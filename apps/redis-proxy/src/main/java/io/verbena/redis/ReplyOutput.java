package io.verbena.redis;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.verbena.SendResult;
import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.resp.RespWriter;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What goes to a client: its replies in the order of its commands, and between them the bytes of large values, which
 * are fetched from their shard as fast as the client takes them. For one worker's thread.
 */
final class ReplyOutput {
    private final Worker worker;
    private final ClientConnection connection;
    private final Channel channel;
    private final RespWriter out;
    private final ReplyQueue replies;
    private @Nullable ChannelHandlerContext context;
    /** The value whose bytes are next on their way to the client. */
    private @Nullable ReplyStream body;

    private boolean unflushed;
    private boolean fetchesLater;
    private long overLimitSince;

    ReplyOutput(Worker worker, ClientConnection connection, Channel channel) {
        this.worker = worker;
        this.connection = connection;
        this.channel = channel;
        this.out = new RespWriter(channel.alloc());
        this.replies = new ReplyQueue(out, worker.writers());
    }

    /** What writes to the socket. */
    void context(ChannelHandlerContext ctx) {
        context = ctx;
    }

    ReplyQueue replies() {
        return replies;
    }

    /** Bytes of replies that are complete and have not been sent. */
    int length() {
        return out.length();
    }

    /** Values of complete replies whose bytes have not come, since the client has not taken what is before them. */
    int bodies() {
        return out.bodies() + (body == null ? 0 : 1);
    }

    /** Whether everything that was answered is with the socket. */
    boolean isSent() {
        return replies.size() == 0 && body == null && out.length() == 0;
    }

    /** Bytes of memory that replies take, with what the client has not taken. */
    long memory() {
        return out.length() + replies.bytes() + unsent();
    }

    /** Writes what there is, up to a value whose bytes are still to come. */
    void send() {
        ChannelHandlerContext ctx = context;
        while (body == null) {
            ByteBuf buffer = out.take();
            if (buffer == null) {
                return;
            }
            if (ctx == null || connection.isClosed()) {
                buffer.release();
                return;
            }
            worker.statistics().add(Counter.BYTES_OUT, buffer.readableBytes());
            ctx.write(buffer, ctx.voidPromise());
            unflushed = true;
            ReplyStream next = (ReplyStream) out.nextBody();
            if (next != null) {
                body = next;
                next.begin(connection);
            }
        }
    }

    /** As {@link #fetchBody}, for which there was no room before. */
    void fetchAgain() {
        fetchesLater = false;
        fetchBody();
    }

    /** Asks for the next bytes of the present value, if the client takes some. */
    void fetchBody() {
        ReplyStream stream = body;
        if (stream == null || connection.isClosed() || !channel.isWritable()) {
            return;
        }
        worker.fetches();
        SendResult asked = stream.ask();
        if (asked == SendResult.CLOSED) {
            connection.bodyLost("the value's shard was lost");
        } else if (asked == SendResult.BACK_PRESSURED) {
            if (!fetchesLater) {
                fetchesLater = true;
                worker.fetchesLater(connection);
            }
        }
    }

    /** Bytes of the present value have come. */
    void body(DirectBuffer buffer, int offset, int length) {
        ReplyStream stream = body;
        ChannelHandlerContext ctx = context;
        if (stream == null || ctx == null || connection.isClosed()) {
            return;
        }
        ByteBuf piece = channel.alloc().directBuffer(length, length);
        ByteBuffer nio = piece.internalNioBuffer(0, length);
        buffer.getBytes(offset, nio, nio.position(), length);
        piece.writerIndex(length);
        worker.statistics().add(Counter.BYTES_OUT, length);
        ctx.write(piece, ctx.voidPromise());
        unflushed = true;
        if (stream.isComplete()) {
            body = null;
        }
        connection.markDirty();
    }

    /** Hands what was written to the socket, unless a value's first bytes are about to join its head. */
    void flush() {
        ReplyStream stream = body;
        if (stream == null || !stream.isFirstPieceDue()) {
            flushNow();
        }
    }

    /** Hands what was written to the socket. */
    void flushNow() {
        ChannelHandlerContext ctx = context;
        if (unflushed && ctx != null) {
            unflushed = false;
            ctx.flush();
            if (!channel.isWritable()) {
                check(worker.nowNanos());
            }
        }
    }

    /** Bytes that the client has not taken. */
    long unsent() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    /** Closes a client that takes too little of its replies. */
    void check(long nowNanos) {
        OutputLimit limit = worker.settings().outputLimit();
        long pending = unsent();
        if (limit.isOverSoft(pending)) {
            if (overLimitSince == 0) {
                overLimitSince = nowNanos;
            }
            if (limit.isOverHard(pending) || limit.isOverSoftTime(nowNanos - overLimitSince)) {
                connection.close(ClientCloseReason.OUTPUT_LIMIT, pending + " bytes unsent, limit " + limit);
            }
        } else {
            overLimitSince = 0;
        }
    }

    /** Forgets everything. */
    void close() {
        replies.clear();
        out.release();
        ReplyStream stream = body;
        if (stream != null) {
            body = null;
            stream.close();
        }
    }
}

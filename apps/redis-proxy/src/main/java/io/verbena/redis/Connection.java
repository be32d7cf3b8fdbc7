package io.verbena.redis;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.resp.RespParser;
import io.verbena.redis.resp.RespWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client: bytes in, commands, replies in their order, bytes out.
 *
 * <p>The connection stops reading, and executing what it has read, while the client owes it something: while too many of
 * its commands are in flight, while the way to a shard is full, or while the client does not take its replies. A client
 * that takes nothing for too long, or makes too much pile up, is closed ({@link OutputLimit}).
 *
 * <p>Everything but {@link #kill} runs on the worker's thread.
 */
final class Connection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** Replies that grow beyond this are sent before the batch ends. */
    private static final int SEND_THRESHOLD = 64 << 10;

    private static final int FIRST_WINDOW = 32;
    private static final int LEAST_WINDOW = 2;
    private static final int LARGE_REPLY = 64 << 10;
    private static final int LINGER_MILLIS = 200;

    private final Worker worker;
    private final Channel channel;
    private final Session session;
    private final RespParser parser;
    private final Arguments arguments;
    private final ReceiveBuffer receive;
    private final RespWriter out;
    private final ReplyQueue replies;

    private Transaction transaction = new Transaction();
    private @Nullable FanOut unsentFanOut;
    private @Nullable ChannelHandlerContext context;
    /** A command was found and waits for room on its way to the shard. */
    private boolean commandWaits;

    private boolean paused;
    private boolean executing;
    private boolean dirty;
    private boolean inputEnds;
    private boolean lastWriteQueued;
    private boolean closing;
    private boolean closed;
    private @Nullable CloseReason reason;
    private String reasonDetail = "";
    private int window = FIRST_WINDOW;
    private long overLimitSince;

    Connection(Worker worker, Channel channel, long id) {
        this.worker = worker;
        this.channel = channel;
        this.session = new Session(id, text(channel.remoteAddress()), text(channel.localAddress()), worker.nowNanos());
        this.parser = new RespParser(worker.limits());
        this.arguments = new Arguments(parser);
        this.receive = new ReceiveBuffer(worker.readBuffer(), channel.alloc());
        this.out = new RespWriter(channel.alloc());
        this.replies = new ReplyQueue(out, worker.writers());
        authenticated(worker.settings().password().isEmpty());
    }

    Session session() {
        return session;
    }

    Transaction transaction() {
        return transaction;
    }

    /** Hands the queued commands over to whoever executes them; the connection goes on with none. */
    Transaction takeTransaction() {
        final Transaction taken = transaction;
        transaction = new Transaction();
        return taken;
    }

    /** A command of which some parts wait for room on their way. */
    @Nullable
    FanOut unsentFanOut() {
        return unsentFanOut;
    }

    void unsentFanOut(@Nullable FanOut fanOut) {
        unsentFanOut = fanOut;
    }

    ReplyQueue replies() {
        return replies;
    }

    ReceiveBuffer receiveBuffer() {
        return receive;
    }

    boolean isClosed() {
        return closing || closed;
    }

    /** The password was given, or is not needed, or is needed again. */
    void authenticated(boolean value) {
        session.authenticated(value);
        parser.authenticated(value);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        worker.opened(this);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!closed) {
            closed = true;
            receive.release();
            replies.clear();
            out.release();
            transaction.clear();
            worker.closed(this, reason == null ? CloseReason.CLIENT : reason, reasonDetail);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        final ByteBuf buffer = (ByteBuf) message;
        try {
            worker.statistics().add(Counter.BYTES_IN, receive.received(buffer));
            process();
        } finally {
            ReferenceCountUtil.release(buffer);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (channel.isWritable()) {
            resume();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            // A reset is how many clients close.
            close(CloseReason.CLIENT, String.valueOf(cause.getMessage()));
        } else {
            LOG.error("client {}: {}", session.address(), cause.toString(), cause);
            close(CloseReason.INTERNAL_ERROR, cause.toString());
        }
    }

    /** Executes what has been received, as far as may be. */
    private void process() {
        executing = true;
        try {
            while (!isClosed() && !inputEnds && mayExecute() && step()) {
                // One command a step.
            }
        } finally {
            executing = false;
        }
        if (isClosed()) {
            return;
        }
        if (inputEnds) {
            receive.release();
        } else {
            receive.keepRest(commandWaits ? 0 : parser.needed());
            pause(!mayExecute() || commandWaits);
        }
        markDirty();
    }

    /** Executes one command; false if there is none that can be executed now. */
    private boolean step() {
        final int found;
        if (commandWaits) {
            found = RespParser.COMMAND;
        } else if (receive.isEmpty()) {
            return false;
        } else {
            found = parser.parse(receive.view(), receive.start(), receive.end());
        }
        switch (found) {
            case RespParser.COMMAND:
                arguments.wrap(receive.view(), receive.start(), parser);
                if (!commandWaits) {
                    session.beginCommand();
                }
                commandWaits = !worker.dispatcher().execute(this, arguments);
                if (commandWaits) {
                    worker.waitsForRoom(this);
                    return false;
                }
                parser.trim();
                break;
            case RespParser.OVERSIZED:
                answerError("ERR command of " + parser.announced() + " bytes exceeds the limit of "
                        + worker.limits().maxValue() + " bytes an argument and "
                        + worker.limits().maxCommand() + " bytes a command");
                break;
            case RespParser.ERROR:
                answerError("ERR Protocol error: " + parser.error());
                closeAfterReplies(CloseReason.PROTOCOL_ERROR, parser.error());
                return false;
            case RespParser.NEED_MORE:
                receive.consume(parser.consumed());
                return false;
            default:
                break;
        }
        receive.consume(parser.consumed());
        return true;
    }

    private boolean mayExecute() {
        return replies.size() < window && out.length() < SEND_THRESHOLD && channel.isWritable();
    }

    private void pause(boolean pause) {
        if (pause != paused) {
            paused = pause;
            channel.config().setAutoRead(!pause);
            if (pause) {
                worker.statistics().add(Counter.PAUSES, 1);
            }
        }
    }

    /** Goes on if it was stopped and need not be any more. */
    void resume() {
        if (paused && !executing && !isClosed() && !inputEnds && mayExecute()) {
            process();
        }
    }

    /** Writes an error in the place of the next reply. */
    void answerError(String text) {
        final long slot = open();
        writer(slot).error(text);
        finish(slot);
        worker.statistics().add(Counter.ERRORS, 1);
    }

    /** Opens the slot of the present command's reply. */
    long open() {
        return replies.open(session.protocol(), session.isReplySuppressed());
    }

    RespWriter writer(long slot) {
        return replies.writer(slot);
    }

    /** The reply in a slot is complete; it goes out at the end of the batch at the latest. */
    void finish(long slot) {
        final int length = replies.finish(slot);
        if (length > LARGE_REPLY) {
            // Commands in flight are bounded by what their replies may take together.
            window = Math.max(LEAST_WINDOW, Math.min(window, worker.settings().inFlightBytes() / length));
        } else if (replies.size() == 0 && window < worker.settings().inFlightCommands()) {
            window = Math.min(2 * window, worker.settings().inFlightCommands());
        }
        if (out.length() >= SEND_THRESHOLD) {
            send();
        }
        markDirty();
    }

    private void markDirty() {
        if (!dirty) {
            dirty = true;
            worker.dirty(this);
        }
    }

    /** End of the batch: sends the replies, looks at the limits, goes on. */
    void endOfBatch() {
        dirty = false;
        if (isClosed()) {
            return;
        }
        send();
        if (inputEnds && replies.size() == 0) {
            closeBehindOutput();
        } else {
            resume();
        }
    }

    private void send() {
        final ByteBuf buffer = out.take();
        final ChannelHandlerContext ctx = context;
        if (buffer == null) {
            return;
        }
        if (ctx == null || isClosed()) {
            buffer.release();
            return;
        }
        worker.statistics().add(Counter.BYTES_OUT, buffer.readableBytes());
        ctx.writeAndFlush(buffer, ctx.voidPromise());
        if (!channel.isWritable()) {
            checkOutput(worker.nowNanos());
        }
    }

    /** Bytes that the client has not taken. */
    long unsent() {
        final var buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    private void checkOutput(long nowNanos) {
        final OutputLimit limit = worker.settings().outputLimit();
        final long unsent = unsent();
        if (limit.isOverSoft(unsent)) {
            if (overLimitSince == 0) {
                overLimitSince = nowNanos;
            }
            if (limit.isOverHard(unsent) || limit.isOverSoftTime(nowNanos - overLimitSince)) {
                close(CloseReason.OUTPUT_LIMIT, unsent + " bytes unsent, limit " + limit);
            }
        } else {
            overLimitSince = 0;
        }
    }

    /** Looks for what happens by time alone; about once a second. */
    void tick(long nowNanos) {
        if (isClosed()) {
            return;
        }
        checkOutput(nowNanos);
        final long timeout = worker.settings().timeoutNanos();
        if (timeout > 0 && replies.size() == 0 && session.idleNanos(nowNanos) > timeout) {
            close(CloseReason.IDLE, "silent for more than " + worker.settings().timeoutSeconds() + " s");
        }
    }

    /** Executes nothing more, and closes once the replies owed are sent. */
    void closeAfterReplies(CloseReason why, String detail) {
        inputEnds = true;
        reason = why;
        reasonDetail = detail;
        channel.config().setAutoRead(false);
        markDirty();
    }

    /** Closes behind what is still to be written. */
    private void closeBehindOutput() {
        final ChannelHandlerContext ctx = context;
        if (ctx == null || lastWriteQueued) {
            return;
        }
        lastWriteQueued = true;
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
            if (reason == CloseReason.PROTOCOL_ERROR && channel instanceof DuplexChannel duplex && duplex.isActive()) {
                // Closing with bytes unread would reset the connection, and the client would not see why.
                duplex.shutdownOutput();
                channel.config().setAutoRead(true);
                channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                channel.close();
            }
        });
    }

    /** Closes at once. */
    void close(CloseReason why, String detail) {
        if (reason == null) {
            reason = why;
            reasonDetail = detail;
        }
        // What the connection holds is let go in channelInactive: the present command may still look at it.
        closing = true;
        channel.close();
    }

    /** Closes from any thread. */
    void kill() {
        channel.eventLoop().execute(() -> close(CloseReason.KILLED, "CLIENT KILL"));
    }

    private static String text(@Nullable SocketAddress address) {
        if (address instanceof InetSocketAddress inet) {
            final String host = inet.getAddress() == null
                    ? inet.getHostString()
                    : inet.getAddress().getHostAddress();
            return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + inet.getPort();
        }
        return address == null ? "" : address.toString();
    }
}

package io.verbena.redis;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.resp.RespWriter;
import java.io.IOException;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client: bytes in, commands, replies in their order, bytes out.
 *
 * <p>The connection stops reading, and executing what it has read, while the client owes it something, or the shards
 * do: while too many of its commands are in flight, while the way to a shard is full, while others are to have their
 * turn, or while the client does not take its replies. What is not read waits in the socket. A client that takes
 * nothing for too long, or makes too much pile up, is closed ({@link OutputLimit}, {@link ClientMemory}).
 *
 * <p>Everything but {@link #kill} runs on the worker's thread.
 */
final class ClientConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

    /** Replies that grow beyond this are sent before the batch ends. */
    private static final int SEND_THRESHOLD = 64 << 10;

    /** Commands that are executed before others have their turn. */
    private static final int COMMANDS_PER_VISIT = 512;

    private final Worker worker;
    private final Channel channel;
    private final ClientSession session;
    private final CommandInput input;
    private final ReplyOutput output;

    private Transaction transaction = new Transaction();
    private @Nullable FanOut unsentFanOut;
    /** Nothing may be executed before they are sent. */
    private final UnsentRequests unsent;

    private boolean paused;
    private boolean dirty;
    /** It is in the worker's line of those that go on in turn. */
    private boolean waits;
    /** The command that was found has been seen by the session, and waits. */
    private boolean begun;

    /** The client will send no more. */
    private boolean inputShut;
    /** Nothing more is executed. */
    private boolean inputEnds;

    private boolean closing;
    private boolean closed;
    private final ClientEnd end;
    private final CommandWindow window;
    private final ClientMemory.Account account;
    private final InputMemory.Share inputShare = new InputMemory.Share(this::resume);

    ClientConnection(Worker worker, Channel channel, long id) {
        this.worker = worker;
        this.channel = channel;
        this.session = new ClientSession(id, channel.remoteAddress(), channel.localAddress(), worker.nowNanos());
        this.input = new CommandInput(worker, channel.alloc());
        this.output = new ReplyOutput(worker, this, channel);
        this.unsent = new UnsentRequests(worker.dispatcher());
        this.end = new ClientEnd(channel);
        this.window = new CommandWindow(worker);
        this.account = worker.memory().open();
        authenticated(worker.settings().password().isEmpty());
    }

    ClientSession session() {
        return session;
    }

    Transaction transaction() {
        return transaction;
    }

    /** Hands the queued commands over to whoever executes them; the connection goes on with none. */
    Transaction takeTransaction() {
        Transaction taken = transaction;
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

    /** A request of the present command goes in pieces, before anything else is executed. */
    void sendInPieces(@Nullable LargeRequest request) {
        if (request != null) {
            unsent.add(request);
        }
    }

    ReplyQueue replies() {
        return output.replies();
    }

    ReceiveBuffer receiveBuffer() {
        return input.receiveBuffer();
    }

    boolean isClosed() {
        return closing || closed;
    }

    /** The password was given, or is not needed, or is needed again. */
    void authenticated(boolean value) {
        session.authenticated(value);
        input.authenticated(value);
    }

    // ---- what the socket tells --------------------------------------------------------------------------------------

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        output.context(ctx);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        worker.opened(this);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!closed) {
            closed = true;
            input.close();
            unsent.abandon();
            output.close();
            transaction.clear();
            account.close();
            worker.inputs().reserve(inputShare, 0, worker.nowNanos());
            worker.closed(this, end.reason(), end.detail());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        try {
            worker.tenants().charge(session.tenant(), buffer.readableBytes());
            worker.statistics().add(Counter.BYTES_IN, input.received(buffer));
            if (waits) {
                input.keepRest(false); // reading stops
            } else {
                process();
            }
        } catch (RuntimeException | Error e) {
            failed(e);
            input.receiveBuffer().release(); // what others read into is theirs again
        } finally {
            ReferenceCountUtil.release(buffer);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (channel.isWritable()) {
            markDirty(); // goes on when the batch ends: this may be the middle of a write
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputShut = true;
            markDirty();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            // A reset is how many clients close.
            close(ClientCloseReason.CLIENT, String.valueOf(cause.getMessage()));
        } else {
            failed(cause);
        }
    }

    /** Something went wrong with this client's work: it is closed, the others go on. */
    void failed(Throwable cause) {
        LOG.error("client {}: {}", session.address(), cause.toString(), cause);
        worker.dispatcher().sender().abort();
        close(ClientCloseReason.INTERNAL_ERROR, cause.toString());
    }

    // ---- commands ---------------------------------------------------------------------------------------------------

    /** Executes what has been received, as far as may be. */
    private void process() {
        worker.enter(this);
        try {
            execute();
        } catch (RuntimeException | Error e) {
            failed(e);
        } finally {
            worker.leave(this);
        }
        if (isClosed()) {
            input.receiveBuffer().release();
            return;
        }
        if (inputEnds) {
            input.close();
        } else {
            boolean hasRoom = mayCollect();
            input.keepRest(hasRoom);
            pause(waits || !hasRoom || !mayExecute());
        }
        markDirty();
    }

    /** Whether there is room for the command that is being received, and for what is left to send of the last one. */
    private boolean mayCollect() {
        return worker.inputs().reserve(inputShare, input.collecting() + unsent.bytes(), worker.nowNanos());
    }

    private void execute() {
        int left = COMMANDS_PER_VISIT;
        while (!isClosed() && !inputEnds && mayExecute()) {
            if (left-- == 0 || !unsent.send()) {
                waitForTurn();
                return;
            }
            if (!step()) {
                return;
            }
        }
    }

    private void waitForTurn() {
        waits = true;
        worker.waits(this);
    }

    /** Its turn has come; it had been waiting for room, or for others. */
    void takeTurn() {
        waits = false;
        try {
            resume();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    /** Executes one command; false if there is none that can be executed now. */
    private boolean step() {
        switch (input.find(this)) {
            case COMMAND:
                Arguments arguments = input.arguments();
                if (!worker.tenants().mayExecute(session.tenant())) {
                    waitForTurn();
                    return false;
                }
                int count = arguments.count();
                if (!begun) {
                    begun = true;
                    session.beginCommand();
                }
                if (!worker.dispatcher().execute(this, arguments)) {
                    waitForTurn();
                    return false;
                }
                begun = false;
                input.executed();
                worker.tenants().executed(session.tenant(), count);
                return true;
            case OVERSIZED:
                session.beginCommand();
                transaction.abort();
                answerError("ERR command of " + input.announced() + " bytes exceeds the limit of "
                        + worker.limits().maxValue() + " bytes an argument and "
                        + worker.limits().maxCommand() + " bytes a command");
                return true;
            case PROTOCOL_ERROR:
                answerError("ERR Protocol error: " + input.error());
                closeAfterReplies(ClientCloseReason.PROTOCOL_ERROR, input.error());
                return false;
            case NO_ROOM:
                waitForTurn();
                return false;
            default:
                if (inputShut && unsent.isEmpty()) {
                    closeAfterReplies(ClientCloseReason.CLIENT, "");
                }
                return false;
        }
    }

    /**
     * Clients that send a whole pipeline before they read a reply are common: replies pile up, as far as memory allows.
     */
    private boolean mayExecute() {
        return window.hasRoom(replies().size(), output.bodies())
                && ((output.length() < SEND_THRESHOLD && channel.isWritable())
                        || worker.memory().mayPileUp(output.memory()));
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
    private void resume() {
        if (waits || isClosed()) {
            return;
        }
        if (inputEnds) {
            if (!unsent.send()) { // what was begun is finished: its reply is owed
                waitForTurn();
            }
        } else if ((paused || inputShut) && mayExecute()) {
            process();
        }
    }

    // ---- replies ----------------------------------------------------------------------------------------------------

    /** Writes an error in the place of the next reply. */
    void answerError(String text) {
        long slot = open();
        writer(slot).error(text);
        finish(slot);
        worker.statistics().add(Counter.ERRORS, 1);
    }

    /** Opens the slot of the present command's reply. */
    long open() {
        return replies().open(session.protocol(), session.isReplySuppressed());
    }

    RespWriter writer(long slot) {
        return replies().writer(slot);
    }

    /** The reply in a slot is complete; it goes out at the end of the batch at the latest. */
    void finish(long slot) {
        int length = replies().finish(slot);
        worker.tenants().charge(session.tenant(), length);
        window.finished(length, replies().size());
        if (output.length() >= SEND_THRESHOLD) {
            output.send();
        }
        markDirty();
    }

    void markDirty() {
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
        output.send();
        output.fetchBody();
        output.flush();
        if (inputEnds && output.isSent()) {
            end.closeBehindOutput(() -> inputShut);
        } else {
            resume();
        }
        account();
    }

    /** The rest of the present value cannot be had, and its head has been sent: there is nothing left but to close. */
    void bodyLost(String why) {
        output.flushNow(); // the replies before it
        close(ClientCloseReason.INTERNAL_ERROR, why);
    }

    /** Asks for the next bytes of the present value, for which there was no room before. */
    void fetchBody() {
        if (!isClosed()) {
            output.fetchAgain();
        }
    }

    /** Bytes of the present value have come. */
    void body(DirectBuffer buffer, int offset, int length) {
        worker.tenants().charge(session.tenant(), length);
        output.body(buffer, offset, length);
    }

    // ---- limits -----------------------------------------------------------------------------------------------------

    /** Bytes that the client has not taken. */
    long unsent() {
        return output.unsent();
    }

    /** A reply of that length is on its way here in pieces; negative when it is here, or never will be. */
    void held(long bytes) {
        account.hold(bytes);
        markDirty();
    }

    /** Tells the worker how much memory this client takes now. */
    private void account() {
        account.update(input.memory() + output.memory() + transaction.queuedBytes() + unsent.bytes());
        if (input.memory() > worker.settings().queryBufferLimit()) {
            close(
                    ClientCloseReason.QUERY_BUFFER,
                    input.memory() + " bytes wait to be executed, limit "
                            + worker.settings().queryBufferLimit() + " (client-query-buffer-limit)");
        }
    }

    /** Bytes of memory that the client took when its last batch ended. */
    long memory() {
        return account.taken();
    }

    /** Looks for what happens by time alone; about once a second. */
    void tick(long nowNanos) {
        if (isClosed()) {
            return;
        }
        output.check(nowNanos);
        long timeout = worker.settings().timeoutNanos();
        if (timeout > 0 && replies().size() == 0 && session.idleNanos(nowNanos) > timeout) {
            close(
                    ClientCloseReason.IDLE,
                    "silent for more than " + worker.settings().timeoutSeconds() + " s");
        }
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** Executes nothing more, and closes once the replies owed are sent. */
    void closeAfterReplies(ClientCloseReason why, String detail) {
        inputEnds = true;
        end.because(why, detail);
        channel.config().setAutoRead(false);
        markDirty();
    }

    /** Whether nothing more is executed. */
    boolean endsAfterReplies() {
        return inputEnds;
    }

    /** Closes at once. */
    void close(ClientCloseReason why, String detail) {
        end.because(why, detail);
        // What the connection holds is let go in channelInactive: the present command may still look at it.
        closing = true;
        channel.close();
    }

    /** Closes from any thread. */
    void kill() {
        channel.eventLoop().execute(() -> close(ClientCloseReason.KILLED, "CLIENT KILL"));
    }
}

package io.verbena.redis;

import io.netty.buffer.ByteBufAllocator;
import io.verbena.SendResult;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.protocol.TransferDescriptor;
import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.backend.Backend;
import io.verbena.redis.command.Command;
import io.verbena.redis.command.CommandFlags;
import io.verbena.redis.command.CommandTable;
import io.verbena.redis.command.Local;
import io.verbena.redis.command.Split;
import io.verbena.redis.resp.RespWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks commands up, checks them and brings them to who executes them; brings the store's replies back to the slots that wait
 * for them. One a worker, on its thread. Allocates nothing for a command that one shard answers.
 */
final class Dispatcher implements HeldReply.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    /** How much of an unknown command and its arguments an error quotes, as Redis does. */
    private static final int QUOTED = 128;

    private final Worker worker;
    private final Backend backend;
    private final int shards;
    private final CommandTable table = CommandTable.get();
    private final InFlight inFlight = new InFlight();
    private final RequestSender sender;
    private final ReplyCursor cursor = new ReplyCursor();
    private final ReplyTranscoder transcoder;
    private final List<HeldReply> held = new ArrayList<>();
    private final LocalCommands local;
    private final Transactions transactions;
    private final ScanCursors scans;
    private final ArrayDeque<FanOut> freeFanOuts = new ArrayDeque<>();
    private int choice;

    Dispatcher(Worker worker, Backend backend) {
        this.worker = worker;
        this.backend = backend;
        this.shards = backend.shards();
        this.local = new LocalCommands(worker);
        this.scans = new ScanCursors(shards);
        this.sender = new RequestSender(backend, inFlight, ByteBufAllocator.DEFAULT);
        this.transcoder = new ReplyTranscoder(sender);
        this.transactions = new Transactions(worker, backend, inFlight, sender, local, transcoder);
    }

    RequestSender sender() {
        return sender;
    }

    /** Whether another command may be sent. */
    boolean hasRoom() {
        return inFlight.hasRoom(0);
    }

    /** Whether something is to be sent for which there was no room. */
    boolean waits() {
        return sender.hasReleases() || !held.isEmpty();
    }

    /** Sends what found no room before. */
    void goOn() {
        if (sender.hasReleases()) {
            sender.sendReleases();
        }
        for (int i = held.size() - 1; i >= 0; i--) {
            final HeldReply reply = held.get(i);
            reply.ask();
            if (!reply.isAsking()) {
                held.remove(reply);
            }
        }
    }

    /**
     * Where the argument that is being received may go before the command is complete.
     *
     * @param arguments those before it
     * @param index of the argument
     * @return number of the shard; -1 if the command has to be complete first
     */
    int streamsTo(Connection connection, Arguments arguments, int index) {
        if (index < 2 || !connection.session().isAuthenticated()) {
            return -1;
        }
        final Command command = table.find(arguments.buffer(), arguments.offset(0), arguments.length(0));
        return command != null && command.op() != null && index == valueOf(command.op()) ? shardOf(arguments, 1) : -1;
    }

    /** Which argument of a command, its name included, the store takes over without copying it; -1 if none. */
    private static int valueOf(KvOp op) {
        return switch (op) {
            case SET, SETNX, GETSET -> 2;
            case SETEX, PSETEX -> 3;
            default -> -1;
        };
    }

    /**
     * Executes a command or sends it on its way.
     *
     * @return false if there is no room on the way to a shard: nothing may be executed before this command was tried again
     */
    boolean execute(Connection connection, Arguments arguments) {
        final Command command = lookUp(connection, arguments);
        if (command == null) {
            return true;
        }
        final Session session = connection.session();
        if (!session.isAuthenticated() && !command.is(CommandFlags.NO_AUTH)) {
            reject(connection, command, "NOAUTH Authentication required.");
            return true;
        }
        if (connection.transaction().isOpen() && Transactions.isQueued(command)) {
            transactions.queue(connection, command, arguments);
            return true;
        }
        final boolean done = command.op() == null
                ? executeLocal(connection, command, arguments)
                : route(connection, command, command.op(), arguments);
        if (done) {
            worker.statistics().called(command);
            session.used(command.name(), worker.nowNanos());
        }
        return done;
    }

    /** Finds the command and checks the number of its arguments; answers with an error and returns null otherwise. */
    private @Nullable Command lookUp(Connection connection, Arguments arguments) {
        final DirectBuffer buffer = arguments.buffer();
        Command command = table.find(buffer, arguments.offset(0), arguments.length(0));
        if (command == null) {
            rejectUnknown(connection, unknownCommand(arguments));
            return null;
        }
        if (!command.subcommands().isEmpty() && arguments.count() > 1) {
            final Command container = command;
            command = container.subcommand(buffer, arguments.offset(1), arguments.length(1));
            if (command == null) {
                rejectUnknown(
                        connection,
                        "ERR unknown subcommand '" + arguments.quoted(1, QUOTED) + "'. Try "
                                + container.name().toUpperCase(Locale.ROOT) + " HELP.");
                return null;
            }
        }
        if (!command.accepts(arguments.count())) {
            reject(connection, command, "ERR wrong number of arguments for '" + command.name() + "' command");
            return null;
        }
        return command;
    }

    private static String unknownCommand(Arguments arguments) {
        final StringBuilder quoted = new StringBuilder();
        for (int i = 1; i < arguments.count() && quoted.length() < QUOTED; i++) {
            final String argument = arguments.quoted(i, QUOTED - quoted.length());
            quoted.append('\'').append(argument).append("' ");
        }
        return "ERR unknown command '" + arguments.quoted(0, QUOTED) + "', with args beginning with: " + quoted;
    }

    /** Answers with an error; a transaction that is being queued is spoilt. */
    private static void rejectUnknown(Connection connection, String error) {
        connection.transaction().abort();
        connection.answerError(error);
    }

    private void reject(Connection connection, Command command, String error) {
        worker.statistics().rejected(command);
        rejectUnknown(connection, error);
    }

    private boolean executeLocal(Connection connection, Command command, Arguments arguments) {
        final Local executed = command.local();
        if (executed == null) {
            throw new IllegalStateException("nobody executes " + command);
        }
        if (executed == Local.EXEC) {
            return transactions.execute(connection, command);
        }
        final long slot = connection.open();
        final RespWriter out = connection.writer(slot);
        final int before = out.length();
        local.execute(command, executed, connection, arguments, slot, out);
        if (out.isErrorAt(before)) {
            worker.statistics().failed(command);
        }
        connection.finish(slot);
        return true;
    }

    private boolean route(Connection connection, Command command, KvOp op, Arguments arguments) {
        if (shards == 1) {
            return submit(connection, command, op, arguments, 0);
        }
        switch (command.split()) {
            case ONE_SHARD: {
                final int shard = shardOfAll(command, arguments);
                if (shard < 0) {
                    reject(connection, command, "CROSSSLOT Keys in request don't hash to the same slot");
                    return true;
                }
                return submit(connection, command, op, arguments, shard);
            }
            case SCAN:
                return scan(connection, command, op, arguments);
            default:
                return fanOut(connection, command, op, arguments);
        }
    }

    /** The shard of all keys, or -1 if they lie on several. */
    private int shardOfAll(Command command, Arguments arguments) {
        final int last = command.lastKey(arguments.count());
        int shard = -1;
        for (int i = command.firstKey(); i <= last; i += command.keyStep()) {
            final int found = shardOf(arguments, i);
            if (shard >= 0 && shard != found) {
                return -1;
            }
            shard = found;
        }
        return shard;
    }

    private int shardOf(Arguments arguments, int index) {
        return backend.shardOf(arguments.buffer(), arguments.offset(index), arguments.length(index));
    }

    private boolean submit(Connection connection, Command command, KvOp op, Arguments arguments, int shard) {
        final int length = requestLength(arguments);
        final SendResult room = sender.begin(shard, length);
        if (room != SendResult.SENT) {
            return unsent(connection, command, shard, room);
        }
        final long slot = connection.open();
        final RequestEncoder encoder =
                sender.encode(op, connection.session(), inFlight.add(connection, slot, command, shard, length));
        final StreamedCommand streamed = arguments.streamed();
        for (int i = 1; i < arguments.count(); i++) {
            if (streamed != null && i == streamed.index()) {
                encoder.uploadedArgument(streamed.uploadId());
                streamed.use();
            } else {
                encoder.argument(arguments.buffer(), arguments.offset(i), arguments.length(i));
            }
        }
        connection.sendInPieces(sender.end());
        return true;
    }

    /** There is no room for a command: it waits; or its shard cannot be reached: it is answered, and true returned. */
    private boolean unsent(Connection connection, Command command, int shard, SendResult room) {
        if (room != SendResult.CLOSED) {
            return false;
        }
        reject(connection, command, "ERR shard " + shard + " cannot be reached now");
        return true;
    }

    /** Bytes of the request that a command becomes. */
    static int requestLength(Arguments arguments) {
        final StreamedCommand streamed = arguments.streamed();
        long length = RequestDescriptor.HEADER_LENGTH;
        for (int i = 1; i < arguments.count(); i++) {
            length += streamed != null && i == streamed.index()
                    ? RequestDescriptor.UPLOADED_ARGUMENT_LENGTH
                    : RequestDescriptor.argumentLength(arguments.length(i));
        }
        return Math.toIntExact(length);
    }

    private boolean scan(Connection connection, Command command, KvOp op, Arguments arguments) {
        if (!scans.parse(arguments)) {
            reject(connection, command, "ERR invalid cursor");
            return true;
        }
        // The cursor within the shard is never longer than the whole one.
        final int length = requestLength(arguments);
        final SendResult room = sender.begin(scans.shard(), length);
        if (room != SendResult.SENT) {
            return unsent(connection, command, scans.shard(), room);
        }
        final long slot = connection.open();
        final long correlation = inFlight.add(connection, slot, command, scans.shard(), length);
        scans.encode(arguments, sender.encode(op, connection.session(), correlation));
        connection.sendInPieces(sender.end());
        return true;
    }

    private boolean fanOut(Connection connection, Command command, KvOp op, Arguments arguments) {
        FanOut fanOut = connection.unsentFanOut();
        if (fanOut == null) {
            fanOut = freeFanOuts.isEmpty() ? new FanOut(shards, worker.writers(), transcoder) : freeFanOuts.pollLast();
            if (command.firstKey() > 0 && (arguments.count() - command.firstKey()) % command.keyStep() != 0) {
                freeFanOuts.addLast(fanOut);
                reject(connection, command, "ERR wrong number of arguments for '" + command.name() + "' command");
                return true;
            }
            fanOut.begin(connection, command, connection.open());
            divide(fanOut, command, arguments);
        }
        for (int part = fanOut.nextPart(); part >= 0; part = fanOut.nextPart()) {
            final int length = fanOut.partLength(part);
            final SendResult room = sender.begin(part, length);
            if (room == SendResult.BACK_PRESSURED) {
                connection.unsentFanOut(fanOut);
                return false;
            }
            fanOut.sent();
            if (room == SendResult.CLOSED) {
                endIfComplete(
                        fanOut,
                        fanOut.onFailed(
                                connection.replies().protocol(fanOut.slot()),
                                "ERR shard " + part + " cannot be reached now"));
                continue;
            }
            final long correlation = inFlight.add(fanOut, part, length);
            encodePart(fanOut, part, command, arguments, sender.encode(op, connection.session(), correlation));
            connection.sendInPieces(sender.end());
        }
        connection.unsentFanOut(null);
        return true;
    }

    private void divide(FanOut fanOut, Command command, Arguments arguments) {
        if (command.firstKey() == 0) {
            fanOut.addAll(requestLength(arguments));
            return;
        }
        final int step = command.keyStep();
        for (int i = command.firstKey(); i < arguments.count(); i += step) {
            int length = 0;
            for (int j = i; j < i + step; j++) {
                length += RequestDescriptor.argumentLength(arguments.length(j));
            }
            fanOut.addKey(shardOf(arguments, i), length);
        }
    }

    private static void encodePart(
            FanOut fanOut, int part, Command command, Arguments arguments, RequestEncoder encoder) {
        final DirectBuffer buffer = arguments.buffer();
        if (command.firstKey() == 0) {
            for (int i = 1; i < arguments.count(); i++) {
                encoder.argument(buffer, arguments.offset(i), arguments.length(i));
            }
            return;
        }
        final int step = command.keyStep();
        for (int key = 0; key < fanOut.keys(); key++) {
            if (fanOut.shardOfKey(key) == part) {
                final int first = command.firstKey() + key * step;
                for (int j = first; j < first + step; j++) {
                    encoder.argument(buffer, arguments.offset(j), arguments.length(j));
                }
            }
        }
    }

    /** Takes a reply of the store. What goes wrong ends the client that it is for, and no other. */
    void onReply(DirectBuffer buffer, int offset, int length) {
        cursor.wrap(buffer, offset, length);
        final int row = inFlight.find(cursor.correlation());
        if (row < 0) {
            worker.statistics().add(Counter.ORPHANED_REPLIES, 1);
            return;
        }
        final Connection owner = owner(row);
        try {
            onReply(row);
        } catch (RuntimeException | Error e) {
            if (owner == null) {
                throw e;
            }
            owner.failed(e);
        }
    }

    /** The client whose command a request is, or is a part of; null for pieces. */
    private @Nullable Connection owner(int row) {
        final FanOut fanOut = inFlight.fanOut(row);
        return fanOut == null ? inFlight.connection(row) : fanOut.connection();
    }

    private void onReply(int row) {
        final int replying = inFlight.shard(row);
        transcoder.from(replying);
        final PieceTaker taker = inFlight.taker(row);
        if (taker != null) {
            inFlight.remove(row);
            cursor.next();
            taker.onPiece(cursor);
            return;
        }
        if (cursor.isHeld()) {
            fetch(row);
            return;
        }
        final FanOut fanOut = inFlight.fanOut(row);
        if (fanOut != null) {
            inFlight.remove(row);
            onPart(fanOut, replying);
            return;
        }
        final Connection connection = inFlight.connection(row);
        final Command command = inFlight.command(row);
        final Transaction transaction = inFlight.transaction(row);
        final long slot = inFlight.slot(row);
        final int shard = replying;
        inFlight.remove(row);
        if (connection == null || command == null || connection.isClosed()) {
            worker.statistics().add(Counter.ORPHANED_REPLIES, 1);
            if (transaction != null) {
                transactions.end(transaction);
            }
            return;
        }
        final RespWriter out = connection.writer(slot);
        try {
            cursor.next();
            if (cursor.type() == ReplyType.ERROR) {
                worker.statistics().failed(command);
            }
            if (transaction != null) {
                transactions.write(transaction, cursor, out);
            } else if (command.split() == Split.SCAN && shards > 1) {
                scans.write(cursor, shard, transcoder, out);
            } else {
                transcoder.write(cursor, out);
            }
        } catch (ProtocolException | IllegalStateException e) {
            malformed(e);
            connection.replies().rewrite(slot).error("ERR a shard's reply could not be read");
        }
        if (transaction != null) {
            transactions.end(transaction);
        }
        connection.finish(slot);
    }

    private void onPart(FanOut fanOut, int part) {
        final Connection connection = fanOut.connection();
        final boolean gone = connection.isClosed();
        boolean complete;
        if (gone) {
            worker.statistics().add(Counter.ORPHANED_REPLIES, 1);
            complete = fanOut.onOrphan();
        } else {
            final int protocol = connection.replies().protocol(fanOut.slot());
            try {
                cursor.next();
                complete = fanOut.onReply(part, cursor, protocol);
            } catch (ProtocolException | IllegalStateException e) {
                malformed(e);
                complete = fanOut.onFailed(protocol, "ERR a shard's reply could not be read");
            }
        }
        endIfComplete(fanOut, complete);
    }

    private void endIfComplete(FanOut fanOut, boolean complete) {
        if (!complete) {
            return;
        }
        final Connection connection = fanOut.connection();
        if (!connection.isClosed()) {
            if (fanOut.isError()) {
                worker.statistics().failed(fanOut.command());
            }
            fanOut.write(connection.writer(fanOut.slot()), choice++);
            connection.finish(fanOut.slot());
        }
        fanOut.end();
        freeFanOuts.addLast(fanOut);
    }

    // ---- replies in pieces ------------------------------------------------------------------------------------------

    /** A reply is too long for a message: its row stays until it is whole. */
    private void fetch(int row) {
        cursor.next();
        final long bytes = cursor.streamLength();
        final long correlation = cursor.correlation();
        final int shard = inFlight.shard(row);
        final long stream = cursor.streamId();
        final Connection owner = owner(row);
        if (owner == null || owner.isClosed() || bytes > Integer.MAX_VALUE - TransferDescriptor.PIECE_LENGTH) {
            sender.closeStream(shard, stream);
            fail(row, "ERR reply of " + bytes + " bytes cannot be had");
            return;
        }
        final HeldReply reply;
        try {
            reply = new HeldReply(sender, this, ByteBufAllocator.DEFAULT, shard, stream, (int) bytes, correlation);
        } catch (OutOfMemoryError e) {
            sender.closeStream(shard, stream);
            fail(row, "OOM no memory for a reply of " + bytes + " bytes");
            return;
        }
        owner.held(bytes);
        reply.ask();
        if (reply.isAsking()) {
            held.add(reply);
        }
    }

    @Override
    public void onHeld(HeldReply reply) {
        final int row = inFlight.find(reply.correlation());
        if (row >= 0) {
            release(row, reply);
            onReply(reply.buffer(), 0, reply.length());
        }
    }

    @Override
    public void onHeldLost(HeldReply reply) {
        held.remove(reply);
        final int row = inFlight.find(reply.correlation());
        if (row >= 0) {
            release(row, reply);
            fail(row, "ERR the reply was lost with its shard");
        }
    }

    private void release(int row, HeldReply reply) {
        final Connection owner = owner(row);
        if (owner != null) {
            owner.held(-reply.length());
        }
    }

    // ---- requests that will not be answered -------------------------------------------------------------------------

    /** A shard is gone: what it has not answered by now, it will not. */
    void onLost(int shard) {
        for (int row = inFlight.nextOf(shard, 0); row >= 0; row = inFlight.nextOf(shard, row + 1)) {
            final PieceTaker taker = inFlight.taker(row);
            if (taker == null) {
                fail(row, "ERR shard " + shard + " was lost: it is not known whether the command was executed");
            } else {
                inFlight.remove(row);
                taker.onLost();
            }
        }
    }

    /** A client is gone, or the shard, before a request was sent whole. */
    void abandon(LargeRequest request) {
        if (request.sent() > 0) {
            sender.discardUpload(request.shard(), request.uploadId());
        }
        final int row = inFlight.find(request.correlation());
        if (row >= 0) {
            fail(row, "ERR shard " + request.shard() + " cannot be reached now");
        }
        request.release();
    }

    /** Answers a request, for which there will be no reply, with an error. */
    private void fail(int row, String error) {
        final FanOut fanOut = inFlight.fanOut(row);
        final Connection connection = inFlight.connection(row);
        final Transaction transaction = inFlight.transaction(row);
        final long slot = inFlight.slot(row);
        inFlight.remove(row);
        if (fanOut != null) {
            final Connection owner = fanOut.connection();
            endIfComplete(
                    fanOut,
                    owner.isClosed()
                            ? fanOut.onOrphan()
                            : fanOut.onFailed(owner.replies().protocol(fanOut.slot()), error));
        } else if (connection != null && !connection.isClosed()) {
            connection.writer(slot).error(error);
            connection.finish(slot);
        }
        if (transaction != null) {
            transactions.end(transaction);
        }
    }

    /** A connection is gone: what it had not sent is not sent. */
    void closed(Connection connection) {
        final FanOut fanOut = connection.unsentFanOut();
        if (fanOut != null) {
            connection.unsentFanOut(null);
            if (fanOut.abandonUnsent()) {
                fanOut.end();
                freeFanOuts.addLast(fanOut);
            }
        }
    }

    private static void malformed(RuntimeException e) {
        LOG.error("a shard's reply could not be read: {}", e.getMessage());
    }
}

package io.verbena.redis;

import io.netty.buffer.ByteBufAllocator;
import io.verbena.SendResult;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.redis.backend.Backend;
import io.verbena.redis.command.Command;
import io.verbena.redis.command.CommandFlags;
import io.verbena.redis.command.CommandTable;
import io.verbena.redis.command.Local;
import io.verbena.redis.resp.RespWriter;
import java.util.Locale;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Looks commands up, checks them and brings them to who executes them; {@link ReplyRouter} takes what comes back. One a
 * worker, on its thread. Allocates nothing for a command that one shard answers.
 */
final class Dispatcher {
    /** How much of an unknown command and its arguments an error quotes, as Redis does. */
    private static final int QUOTED = 128;

    private final Worker worker;
    private final Backend backend;
    private final int shards;
    private final CommandTable table = CommandTable.get();
    private final InFlight inFlight = new InFlight();
    private final RequestSender sender;
    private final LocalCommands local;
    private final MultiExec transactions;
    private final ScanCursors scans;
    private final ReplyRouter replies;

    Dispatcher(Worker worker, Backend backend) {
        this.worker = worker;
        this.backend = backend;
        this.shards = backend.shards();
        this.local = new LocalCommands(worker);
        this.scans = new ScanCursors(shards);
        this.sender = new RequestSender(backend, inFlight, ByteBufAllocator.DEFAULT);
        ReplyTranscoder transcoder = new ReplyTranscoder(sender);
        this.transactions = new MultiExec(worker, backend, inFlight, sender, local, transcoder);
        this.replies = new ReplyRouter(worker, shards, inFlight, sender, transcoder, transactions, scans);
    }

    ReplyRouter replies() {
        return replies;
    }

    RequestSender sender() {
        return sender;
    }

    /** Whether anything may be sent. */
    boolean hasRoom() {
        return inFlight.hasRoomForPiece(0);
    }

    /** Whether something is to be sent for which there was no room. */
    boolean waits() {
        return sender.hasReleases() || replies.waits();
    }

    /** Sends what found no room before. */
    void goOn() {
        if (sender.hasReleases()) {
            sender.sendReleases();
        }
        replies.goOn();
    }

    /**
     * Where the argument that is being received may go before the command is complete.
     *
     * @param arguments those before it
     * @param index of the argument
     * @return number of the shard; -1 if the command has to be complete first
     */
    int streamsTo(ClientConnection connection, Arguments arguments, int index) {
        if (index < 2 || !connection.session().isAuthenticated()) {
            return -1;
        }
        Command command = table.find(arguments.buffer(), arguments.offset(0), arguments.length(0));
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
     * @return false if there is no room on the way to a shard: nothing may be executed before this command was tried
     *     again
     */
    boolean execute(ClientConnection connection, Arguments arguments) {
        Command command = lookUp(connection, arguments);
        if (command == null) {
            return true;
        }
        ClientSession session = connection.session();
        if (!session.isAuthenticated() && !command.is(CommandFlags.NO_AUTH)) {
            reject(connection, command, "NOAUTH Authentication required.");
            return true;
        }
        if (connection.transaction().isOpen() && MultiExec.isQueued(command)) {
            transactions.queue(connection, command, arguments);
            return true;
        }
        boolean done = command.op() == null
                ? executeLocal(connection, command, arguments)
                : route(connection, command, command.op(), arguments);
        if (done) {
            worker.statistics().called(command);
            session.used(command.name(), worker.nowNanos());
        }
        return done;
    }

    /** Finds the command and checks the number of its arguments; answers with an error and returns null otherwise. */
    private @Nullable Command lookUp(ClientConnection connection, Arguments arguments) {
        DirectBuffer buffer = arguments.buffer();
        Command command = table.find(buffer, arguments.offset(0), arguments.length(0));
        if (command == null) {
            if (arguments.is(0, "post") || arguments.is(0, "host:")) {
                // A browser or a gateway that was made to talk to this port: as Redis, no command of it is executed.
                connection.close(ClientCloseReason.PROTOCOL_ERROR, "HTTP: possibly cross-protocol scripting");
            } else {
                rejectUnknown(connection, unknownCommand(arguments));
            }
            return null;
        }
        if (!command.subcommands().isEmpty() && arguments.count() > 1) {
            Command container = command;
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
        StringBuilder quoted = new StringBuilder();
        for (int i = 1; i < arguments.count() && quoted.length() < QUOTED; i++) {
            String argument = arguments.quoted(i, QUOTED - quoted.length());
            quoted.append('\'').append(argument).append("' ");
        }
        return "ERR unknown command '" + arguments.quoted(0, QUOTED) + "', with args beginning with: " + quoted;
    }

    /** Answers with an error; a transaction that is being queued is spoilt. */
    private static void rejectUnknown(ClientConnection connection, String error) {
        connection.transaction().abort();
        connection.answerError(error);
    }

    private void reject(ClientConnection connection, Command command, String error) {
        worker.statistics().rejected(command);
        rejectUnknown(connection, error);
    }

    private boolean executeLocal(ClientConnection connection, Command command, Arguments arguments) {
        Local executed = command.local();
        if (executed == null) {
            throw new IllegalStateException("nobody executes " + command);
        }
        if (executed == Local.EXEC) {
            return transactions.execute(connection, command);
        }
        long slot = connection.open();
        RespWriter out = connection.writer(slot);
        int before = out.length();
        local.execute(command, executed, connection, arguments, slot, out);
        if (out.isErrorAt(before)) {
            worker.statistics().failed(command);
        }
        connection.finish(slot);
        return true;
    }

    private boolean route(ClientConnection connection, Command command, KvOp op, Arguments arguments) {
        if (shards == 1) {
            return submit(connection, command, op, arguments, 0);
        }
        switch (command.split()) {
            case ONE_SHARD: {
                int shard = shardOfAll(command, arguments);
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
        int last = command.lastKey(arguments.count());
        int shard = -1;
        for (int i = command.firstKey(); i <= last; i += command.keyStep()) {
            int found = shardOf(arguments, i);
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

    private boolean submit(ClientConnection connection, Command command, KvOp op, Arguments arguments, int shard) {
        int length = requestLength(arguments);
        SendResult room = sender.begin(shard, length);
        if (room != SendResult.SENT) {
            return unsent(connection, command, shard, room);
        }
        long slot = connection.open();
        RequestEncoder encoder =
                sender.encode(op, connection.session(), inFlight.add(connection, slot, command, shard, length));
        StreamedCommand streamed = arguments.streamed();
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
    private boolean unsent(ClientConnection connection, Command command, int shard, SendResult room) {
        if (room != SendResult.CLOSED) {
            return false;
        }
        reject(connection, command, "ERR shard " + shard + " cannot be reached now");
        return true;
    }

    /** Bytes of the request that a command becomes. */
    static int requestLength(Arguments arguments) {
        StreamedCommand streamed = arguments.streamed();
        long length = RequestDescriptor.HEADER_LENGTH;
        for (int i = 1; i < arguments.count(); i++) {
            length += streamed != null && i == streamed.index()
                    ? RequestDescriptor.UPLOADED_ARGUMENT_LENGTH
                    : RequestDescriptor.argumentLength(arguments.length(i));
        }
        return Math.toIntExact(length);
    }

    private boolean scan(ClientConnection connection, Command command, KvOp op, Arguments arguments) {
        if (!scans.parse(arguments)) {
            reject(connection, command, "ERR invalid cursor");
            return true;
        }
        // The cursor within the shard is never longer than the whole one.
        int length = requestLength(arguments);
        SendResult room = sender.begin(scans.shard(), length);
        if (room != SendResult.SENT) {
            return unsent(connection, command, scans.shard(), room);
        }
        long slot = connection.open();
        long correlation = inFlight.add(connection, slot, command, scans.shard(), length);
        scans.encode(arguments, sender.encode(op, connection.session(), correlation));
        connection.sendInPieces(sender.end());
        return true;
    }

    private boolean fanOut(ClientConnection connection, Command command, KvOp op, Arguments arguments) {
        FanOut fanOut = connection.unsentFanOut();
        if (fanOut == null) {
            fanOut = replies.fanOut();
            if (command.firstKey() > 0 && (arguments.count() - command.firstKey()) % command.keyStep() != 0) {
                replies.free(fanOut);
                reject(connection, command, "ERR wrong number of arguments for '" + command.name() + "' command");
                return true;
            }
            fanOut.begin(connection, command, connection.open());
            divide(fanOut, command, arguments);
        }
        for (int part = fanOut.nextPart(); part >= 0; part = fanOut.nextPart()) {
            int length = fanOut.partLength(part);
            SendResult room = sender.begin(part, length);
            if (room == SendResult.BACK_PRESSURED) {
                connection.unsentFanOut(fanOut);
                return false;
            }
            fanOut.sent();
            if (room == SendResult.CLOSED) {
                replies.endIfComplete(
                        fanOut,
                        fanOut.onFailed(
                                connection.replies().protocol(fanOut.slot()),
                                "ERR shard " + part + " cannot be reached now"));
                continue;
            }
            long correlation = inFlight.add(fanOut, part, length);
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
        int step = command.keyStep();
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
        DirectBuffer buffer = arguments.buffer();
        if (command.firstKey() == 0) {
            for (int i = 1; i < arguments.count(); i++) {
                encoder.argument(buffer, arguments.offset(i), arguments.length(i));
            }
            return;
        }
        int step = command.keyStep();
        for (int key = 0; key < fanOut.keys(); key++) {
            if (fanOut.shardOfKey(key) == part) {
                int first = command.firstKey() + key * step;
                for (int j = first; j < first + step; j++) {
                    encoder.argument(buffer, arguments.offset(j), arguments.length(j));
                }
            }
        }
    }

    /** A connection is gone: what it had not sent is not sent. */
    void closed(ClientConnection connection) {
        FanOut fanOut = connection.unsentFanOut();
        if (fanOut != null) {
            connection.unsentFanOut(null);
            if (fanOut.abandonUnsent()) {
                fanOut.end();
                replies.free(fanOut);
            }
        }
    }
}

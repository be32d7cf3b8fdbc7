package io.verbena.redis;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.backend.Backend;
import io.verbena.redis.command.Command;
import io.verbena.redis.command.CommandFlags;
import io.verbena.redis.command.CommandTable;
import io.verbena.redis.command.Local;
import io.verbena.redis.command.Split;
import io.verbena.redis.resp.RespWriter;
import java.util.ArrayDeque;
import java.util.Locale;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks commands up, checks them and brings them to who executes them; brings the store's replies back to the slots that wait
 * for them. One a worker, on its thread. Allocates nothing for a command that one shard answers.
 */
final class Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    /** How much of an unknown command and its arguments an error quotes, as Redis does. */
    private static final int QUOTED = 128;

    private final Worker worker;
    private final Backend backend;
    private final int shards;
    private final CommandTable table = CommandTable.get();
    private final InFlight inFlight = new InFlight();
    private final RequestEncoder encoder = new RequestEncoder();
    private final ReplyCursor cursor = new ReplyCursor();
    private final ReplyTranscoder transcoder = new ReplyTranscoder();
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
        this.transactions = new Transactions(worker, backend, inFlight, local, transcoder);
    }

    /** Requests that shards have not answered. */
    int inFlight() {
        return inFlight.size();
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
        if (!backend.claim(shard, requestLength(arguments))) {
            return false;
        }
        final long slot = connection.open();
        begin(connection.session(), op, inFlight.add(connection, slot, command, shard));
        for (int i = 1; i < arguments.count(); i++) {
            encoder.argument(arguments.buffer(), arguments.offset(i), arguments.length(i));
        }
        backend.commit();
        return true;
    }

    private void begin(Session session, KvOp op, long correlation) {
        encoder.begin(
                backend.claimBuffer(),
                backend.claimOffset(),
                op,
                session.database(),
                correlation,
                session.protocol() >= 3 ? RequestDescriptor.FLAG_RESP3 : 0);
    }

    static int requestLength(Arguments arguments) {
        int length = RequestDescriptor.HEADER_LENGTH;
        for (int i = 1; i < arguments.count(); i++) {
            length += RequestDescriptor.argumentLength(arguments.length(i));
        }
        return length;
    }

    private boolean scan(Connection connection, Command command, KvOp op, Arguments arguments) {
        if (!scans.parse(arguments)) {
            reject(connection, command, "ERR invalid cursor");
            return true;
        }
        // The cursor within the shard is never longer than the whole one.
        if (!backend.claim(scans.shard(), requestLength(arguments))) {
            return false;
        }
        final long slot = connection.open();
        begin(connection.session(), op, inFlight.add(connection, slot, command, scans.shard()));
        scans.encode(arguments, encoder);
        backend.commit();
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
            if (!backend.claim(part, fanOut.partLength(part))) {
                connection.unsentFanOut(fanOut);
                return false;
            }
            begin(connection.session(), op, inFlight.add(fanOut, part));
            encodePart(fanOut, part, command, arguments);
            backend.commit();
            fanOut.sent();
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

    private void encodePart(FanOut fanOut, int part, Command command, Arguments arguments) {
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

    /** Takes a reply of the store. */
    void onReply(DirectBuffer buffer, int offset, int length) {
        cursor.wrap(buffer, offset, length);
        final int row = inFlight.find(cursor.correlation());
        if (row < 0) {
            worker.statistics().add(Counter.ORPHANED_REPLIES, 1);
            return;
        }
        final FanOut fanOut = inFlight.fanOut(row);
        if (fanOut != null) {
            final int part = inFlight.part(row);
            inFlight.remove(row);
            onPart(fanOut, part);
            return;
        }
        final Connection connection = inFlight.connection(row);
        final Command command = inFlight.command(row);
        final Transaction transaction = inFlight.transaction(row);
        final long slot = inFlight.slot(row);
        final int shard = inFlight.part(row);
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
                complete = fanOut.onMalformed(protocol);
            }
        }
        if (!complete) {
            return;
        }
        if (!gone) {
            if (fanOut.isError()) {
                worker.statistics().failed(fanOut.command());
            }
            fanOut.write(connection.writer(fanOut.slot()), choice++);
            connection.finish(fanOut.slot());
        }
        fanOut.end();
        freeFanOuts.addLast(fanOut);
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

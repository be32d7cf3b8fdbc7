package io.verbena.redis;

import io.verbena.SendResult;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.redis.backend.Backend;
import io.verbena.redis.command.Command;
import io.verbena.redis.command.Local;
import io.verbena.redis.resp.RespWriter;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * MULTI and EXEC. Commands are queued here; EXEC sends those for the store as one request to one shard, which executes
 * them with nothing in between. What the proxy answers itself is answered at EXEC and put between the shard's replies.
 *
 * <p>All keys of a transaction have to lie on one shard; with several shards a command that concerns other keys, or
 * every shard, is refused when it is queued, and EXEC then refuses the transaction. One worker's, on its thread.
 */
final class MultiExec {
    private final Worker worker;
    private final Backend backend;
    private final InFlight inFlight;
    private final RequestSender sender;
    private final LocalCommands local;
    private final QueueMemory queueMemory;
    private final ReplyTranscoder transcoder;
    private final RequestEncoder inner = new RequestEncoder();

    MultiExec(
            Worker worker,
            Backend backend,
            InFlight inFlight,
            RequestSender sender,
            LocalCommands local,
            ReplyTranscoder transcoder) {
        this.worker = worker;
        this.backend = backend;
        this.inFlight = inFlight;
        this.sender = sender;
        this.local = local;
        this.queueMemory = worker.settings().queueMemory();
        this.transcoder = transcoder;
    }

    /** Tells whether a command waits for EXEC, or is executed at once also between MULTI and EXEC. */
    static boolean isQueued(Command command) {
        Local by = command.local();
        return by != Local.EXEC
                && by != Local.DISCARD
                && by != Local.MULTI
                && by != Local.WATCH
                && by != Local.QUIT
                && by != Local.RESET;
    }

    /** Queues a command. */
    void queue(ClientConnection connection, Command command, Arguments arguments) {
        Transaction transaction = connection.transaction();
        String problem = whyNot(transaction, command, arguments);
        if (problem != null) {
            transaction.abort();
            worker.statistics().rejected(command);
            connection.answerError(problem);
            return;
        }
        // One that is spoilt is not kept.
        if (!transaction.isAborted()) {
            transaction.add(command, arguments, queueMemory);
        }
        long slot = connection.open();
        connection.writer(slot).status("QUEUED");
        connection.finish(slot);
    }

    private @Nullable String whyNot(Transaction transaction, Command command, Arguments arguments) {
        if (command.local() == Local.CLIENT_REPLY) {
            return "ERR CLIENT REPLY is not allowed in a transaction";
        }
        if (transaction.isAborted()) {
            return null;
        }
        String problem = whyNotStored(transaction, command, arguments);
        if (problem != null) {
            return problem;
        }
        if (transaction.size() == RequestDescriptor.MAX_ARGUMENTS) {
            return "ERR transaction exceeds the limit of " + RequestDescriptor.MAX_ARGUMENTS + " commands";
        }
        long bytes = Transaction.queuedBytes(arguments);
        long limit = Math.min(worker.limits().maxCommand(), queueMemory.limit());
        if (transaction.queuedBytes() + bytes > limit) {
            return tooLong(transaction.queuedBytes() + bytes, limit);
        }
        return queueMemory.reserve(bytes)
                ? null
                : "ERR the transactions of all clients exceed the limit of " + queueMemory.limit() + " bytes";
    }

    private static String tooLong(long bytes, long limit) {
        return "ERR transaction of " + bytes + " bytes exceeds the limit of " + limit;
    }

    /** Why the store would not take a command; null if it would, or if the command is not for it. */
    private @Nullable String whyNotStored(Transaction transaction, Command command, Arguments arguments) {
        if (command.op() == null) {
            return null;
        }
        int length = RequestDescriptor.argumentLength(Dispatcher.requestLength(arguments));
        long total = (long) transaction.requestLength() + length;
        if (total > worker.limits().maxCommand()) {
            return tooLong(total, worker.limits().maxCommand());
        }
        if (backend.shards() > 1) {
            if (command.firstKey() == 0) {
                return "ERR '" + command.name() + "' concerns every shard and cannot be part of a transaction";
            }
            int last = command.lastKey(arguments.count());
            for (int i = command.firstKey(); i <= last; i += command.keyStep()) {
                int shard = backend.shardOf(arguments.buffer(), arguments.offset(i), arguments.length(i));
                if (transaction.hasShard() && transaction.shard() != shard) {
                    return "CROSSSLOT Keys of a transaction don't hash to the same slot";
                }
                transaction.shard(shard);
            }
        } else {
            transaction.shard(0);
        }
        transaction.addRequestLength(length);
        return null;
    }

    /**
     * EXEC.
     *
     * @return false if there is no room on the way to the shard
     */
    boolean execute(ClientConnection connection, Command exec) {
        Transaction transaction = connection.transaction();
        if (!transaction.isOpen()) {
            connection.answerError("ERR EXEC without MULTI");
            return true;
        }
        if (transaction.isAborted()) {
            transaction.clear();
            worker.statistics().failed(exec);
            connection.answerError("EXECABORT Transaction discarded because of previous errors.");
            return true;
        }
        if (!transaction.hasShard()) {
            executeLocally(connection, transaction);
            return true;
        }
        int length = RequestDescriptor.HEADER_LENGTH + transaction.requestLength();
        SendResult room = sender.begin(transaction.shard(), length);
        if (room == SendResult.BACK_PRESSURED) {
            return false;
        }
        if (room == SendResult.CLOSED) {
            int shard = transaction.shard();
            transaction.clear();
            worker.statistics().failed(exec);
            connection.answerError("EXECABORT Transaction discarded because shard " + shard + " cannot be reached now");
            return true;
        }
        connection.takeTransaction();
        long slot = connection.open();
        long correlation = inFlight.add(connection, slot, exec, transaction, length);
        boolean sent = false;
        try {
            encode(connection, transaction, slot, correlation);
            connection.sendInPieces(sender.end());
            sent = true;
        } finally {
            transaction.forget();
            if (!sent) {
                end(transaction);
            }
        }
        return true;
    }

    private void executeLocally(ClientConnection connection, Transaction transaction) {
        long slot = connection.open();
        RespWriter out = connection.writer(slot);
        out.array(transaction.size());
        connection.takeTransaction();
        transaction.rewind();
        int start = out.length();
        for (int i = 0; i < transaction.size(); i++) {
            Command command = transaction.command(i);
            Local by = command.local();
            Arguments arguments = transaction.next();
            if (by != null) {
                answer(command, by, connection, arguments, slot, out, start);
                worker.statistics().called(command);
            }
        }
        transaction.forget();
        connection.finish(slot);
    }

    private void encode(ClientConnection connection, Transaction transaction, long slot, long correlation) {
        ClientSession session = connection.session();
        RequestEncoder outer = sender.encode(KvOp.TRANSACTION, session, correlation);
        MutableDirectBuffer target = sender.buffer();
        transaction.rewind();
        for (int i = 0; i < transaction.size(); i++) {
            Command command = transaction.command(i);
            Arguments arguments = transaction.next();
            KvOp op = command.op();
            Local by = command.local();
            worker.statistics().called(command);
            if (op != null) {
                int at = outer.claimArgument(Dispatcher.requestLength(arguments));
                int flags = session.protocol() >= 3 ? RequestDescriptor.FLAG_RESP3 : 0;
                inner.begin(target, at, op, session.database(), correlation, flags);
                for (int j = 1; j < arguments.count(); j++) {
                    inner.argument(arguments.buffer(), arguments.offset(j), arguments.length(j));
                }
            } else if (by != null) {
                // At once, so that SELECT holds for the commands behind it.
                RespWriter answers = transaction.localReplies(
                        worker.writers(), connection.replies().protocol(slot));
                answer(command, by, connection, arguments, slot, answers, 0);
                transaction.localReplyEnds(i, answers.length());
            }
        }
    }

    /** Executes a command that the proxy answers, unless the answers of its transaction take too much already. */
    private void answer(
            Command command,
            Local by,
            ClientConnection connection,
            Arguments arguments,
            long slot,
            RespWriter out,
            int start) {
        if (out.length() - start > queueMemory.limit()) {
            out.error("ERR not executed: the replies of the transaction exceed " + queueMemory.limit() + " bytes");
        } else {
            local.execute(command, by, connection, arguments, slot, out);
        }
    }

    /** Writes the reply of a transaction; the cursor is at the root of the shard's. */
    void write(Transaction transaction, ReplyCursor cursor, RespWriter out) {
        if (cursor.type() != ReplyType.ARRAY) {
            transcoder.write(cursor, out);
            return;
        }
        out.array(transaction.size());
        int answered = 0;
        for (int i = 0; i < transaction.size(); i++) {
            if (transaction.command(i).op() != null) {
                if (!cursor.next()) {
                    throw new IllegalStateException("a transaction's reply ends after " + i + " commands");
                }
                transcoder.write(cursor, out);
            } else {
                int end = transaction.localReplyEnd(i);
                out.raw(transaction.localReplies(worker.writers(), out.protocol()), answered, end - answered);
                answered = end;
            }
        }
    }

    /** Lets go of what a transaction in flight holds. */
    void end(Transaction transaction) {
        transaction.end(worker.writers());
    }
}

package io.verbena.redis;

import io.netty.buffer.ByteBufAllocator;
import io.verbena.kv.protocol.ProtocolException;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.TransferDescriptor;
import io.verbena.redis.WorkerStatistics.Counter;
import io.verbena.redis.command.Command;
import io.verbena.redis.command.Split;
import io.verbena.redis.resp.RespWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the store's replies to the slots that wait for them: whole ones, those that come in pieces, parts of a command
 * that several shards answer; and says so where no reply will come. One a worker, on its thread. Allocates nothing for
 * a reply that comes in one message.
 */
final class ReplyRouter implements HeldReply.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ReplyRouter.class);

    private final Worker worker;
    private final int shards;
    private final InFlight inFlight;
    private final RequestSender sender;
    private final ReplyTranscoder transcoder;
    private final MultiExec transactions;
    private final ScanCursors scans;
    private final ReplyCursor cursor = new ReplyCursor();
    private final List<HeldReply> held = new ArrayList<>();
    private final ArrayDeque<FanOut> freeFanOuts = new ArrayDeque<>();
    private int choice;

    ReplyRouter(
            Worker worker,
            int shards,
            InFlight inFlight,
            RequestSender sender,
            ReplyTranscoder transcoder,
            MultiExec transactions,
            ScanCursors scans) {
        this.worker = worker;
        this.shards = shards;
        this.inFlight = inFlight;
        this.sender = sender;
        this.transcoder = transcoder;
        this.transactions = transactions;
        this.scans = scans;
    }

    /** One for a command that several shards answer; it comes back when that is answered. */
    FanOut fanOut() {
        return freeFanOuts.isEmpty() ? new FanOut(shards, worker.writers(), transcoder) : freeFanOuts.removeLast();
    }

    /** One that was not begun comes back, or one of which nothing is awaited any more. */
    void free(FanOut fanOut) {
        freeFanOuts.addLast(fanOut);
    }

    /** Whether a reply waits for room to ask for its pieces. */
    boolean waits() {
        return !held.isEmpty();
    }

    /** Asks for the pieces for which there was no room before. */
    void goOn() {
        for (int i = held.size() - 1; i >= 0; i--) {
            HeldReply reply = held.get(i);
            reply.ask();
            if (!reply.isAsking()) {
                held.remove(reply);
            }
        }
    }

    /** Takes a reply of the store. What goes wrong ends the client that it is for, and no other. */
    void onReply(DirectBuffer buffer, int offset, int length) {
        cursor.wrap(buffer, offset, length);
        int row = inFlight.find(cursor.correlation());
        if (row < 0) {
            worker.statistics().add(Counter.ORPHANED_REPLIES, 1);
            return;
        }
        ClientConnection owner = owner(row);
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
    private @Nullable ClientConnection owner(int row) {
        FanOut fanOut = inFlight.fanOut(row);
        return fanOut == null ? inFlight.connection(row) : fanOut.connection();
    }

    private void onReply(int row) {
        int replying = inFlight.shard(row);
        transcoder.from(replying);
        PieceTaker taker = inFlight.taker(row);
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
        FanOut fanOut = inFlight.fanOut(row);
        if (fanOut != null) {
            inFlight.remove(row);
            onPart(fanOut, replying);
            return;
        }
        ClientConnection connection = inFlight.connection(row);
        Command command = inFlight.command(row);
        Transaction transaction = inFlight.transaction(row);
        long slot = inFlight.slot(row);
        inFlight.remove(row);
        if (connection == null || command == null || connection.isClosed()) {
            orphaned(replying);
            if (transaction != null) {
                transactions.end(transaction);
            }
            return;
        }
        try {
            write(connection, command, transaction, slot, replying);
        } finally {
            if (transaction != null) {
                transactions.end(transaction);
            }
        }
        connection.finish(slot);
    }

    private void write(
            ClientConnection connection, Command command, @Nullable Transaction transaction, long slot, int shard) {
        RespWriter out = connection.writer(slot);
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
    }

    /** Nobody takes the present reply: what it leaves at its shard is let go. */
    private void orphaned(int shard) {
        worker.statistics().add(Counter.ORPHANED_REPLIES, 1);
        cursor.rewind();
        try {
            while (cursor.next()) {
                if (cursor.type() == ReplyType.STREAM) {
                    sender.closeStream(shard, cursor.streamId());
                }
            }
        } catch (ProtocolException e) {
            malformed(e);
        }
    }

    private void onPart(FanOut fanOut, int part) {
        ClientConnection connection = fanOut.connection();
        boolean gone = connection.isClosed();
        boolean complete;
        if (gone) {
            orphaned(part);
            complete = fanOut.onOrphan();
        } else {
            int protocol = connection.replies().protocol(fanOut.slot());
            try {
                cursor.next();
                complete = fanOut.onReply(part, cursor, protocol);
            } catch (ProtocolException | IllegalStateException e) {
                malformed(e);
                complete = fanOut.onFailed(protocol, "ERR a shard's reply could not be read");
            } catch (OutOfMemoryError e) {
                connection.failed(e);
                complete = fanOut.onOrphan();
            }
        }
        endIfComplete(fanOut, complete);
    }

    /** Answers a command of which the last part is answered. */
    void endIfComplete(FanOut fanOut, boolean complete) {
        if (!complete) {
            return;
        }
        ClientConnection connection = fanOut.connection();
        if (!connection.isClosed()) {
            if (fanOut.isError()) {
                worker.statistics().failed(fanOut.command());
            }
            fanOut.write(connection.writer(fanOut.slot()), choice++);
            connection.finish(fanOut.slot());
        }
        fanOut.end();
        free(fanOut);
    }

    // ---- replies in pieces ------------------------------------------------------------------------------------------

    /** A reply is too long for a message: its row stays until it is whole. */
    private void fetch(int row) {
        cursor.next();
        long bytes = cursor.streamLength();
        long correlation = cursor.correlation();
        int shard = inFlight.shard(row);
        long stream = cursor.streamId();
        ClientConnection owner = owner(row);
        if (owner == null || owner.isClosed() || bytes > Integer.MAX_VALUE - TransferDescriptor.PIECE_LENGTH) {
            sender.closeStream(shard, stream);
            fail(row, "ERR reply of " + bytes + " bytes cannot be had");
            return;
        }
        HeldReply reply;
        try {
            reply = new HeldReply(
                    sender, this, owner, ByteBufAllocator.DEFAULT, shard, stream, (int) bytes, correlation);
        } catch (OutOfMemoryError e) {
            sender.closeStream(shard, stream);
            fail(row, "OOM no memory for a reply of " + bytes + " bytes");
            return;
        }
        reply.ask();
        if (reply.isAsking()) {
            held.add(reply);
        }
    }

    @Override
    public void onHeld(HeldReply reply) {
        int row = inFlight.find(reply.correlation());
        if (row >= 0) {
            onReply(reply.buffer(), 0, reply.length());
        }
    }

    @Override
    public void onHeldLost(HeldReply reply) {
        held.remove(reply);
        int row = inFlight.find(reply.correlation());
        if (row >= 0) {
            fail(row, "ERR the reply was lost with its shard");
        }
    }

    // ---- requests that will not be answered -------------------------------------------------------------------------

    /** A shard is gone: what it has not answered by now, it will not. */
    void onLost(int shard) {
        for (int row = inFlight.nextOf(shard, 0); row >= 0; row = inFlight.nextOf(shard, row + 1)) {
            PieceTaker taker = inFlight.taker(row);
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
        int row = inFlight.find(request.correlation());
        if (row >= 0) {
            fail(row, "ERR shard " + request.shard() + " cannot be reached now");
        }
        request.release();
    }

    /** Answers a request, for which there will be no reply, with an error. */
    private void fail(int row, String error) {
        FanOut fanOut = inFlight.fanOut(row);
        ClientConnection connection = inFlight.connection(row);
        Transaction transaction = inFlight.transaction(row);
        long slot = inFlight.slot(row);
        inFlight.remove(row);
        if (fanOut != null) {
            ClientConnection owner = fanOut.connection();
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

    private static void malformed(RuntimeException e) {
        LOG.error("a shard's reply could not be read: {}", e.getMessage());
    }
}

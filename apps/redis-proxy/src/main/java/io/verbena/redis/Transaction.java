package io.verbena.redis;

import io.verbena.redis.command.Command;
import io.verbena.redis.resp.RespLimits;
import io.verbena.redis.resp.RespParser;
import io.verbena.redis.resp.RespWriter;
import java.util.ArrayList;
import java.util.List;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The commands that a client has queued after MULTI, kept as the RESP they came as. For one worker's thread.
 */
final class Transaction {
    private static final int NO_SHARD = -1;
    /** References to a command and its row. */
    private static final int BYTES_PER_COMMAND = 32;
    /** The line with its length, and its end. */
    private static final int BYTES_PER_ARGUMENT = 16;

    private static final byte[] LINE_END = {'\r', '\n'};

    /** Queued arguments are within the limits already: they have been parsed. */
    private static final RespLimits ANY = new RespLimits(
            Integer.MAX_VALUE,
            Integer.MAX_VALUE,
            Integer.MAX_VALUE,
            Integer.MAX_VALUE,
            Integer.MAX_VALUE,
            Integer.MAX_VALUE,
            Integer.MAX_VALUE);

    private final RespParser parser = new RespParser(ANY);
    private final Arguments arguments = new Arguments(parser);
    private final List<Command> commands = new ArrayList<>();
    private ExpandableArrayBuffer bytes = new ExpandableArrayBuffer(128);
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private int length;
    private int position;
    private boolean open;
    private boolean aborted;
    private int shard = NO_SHARD;
    private int requestLength;
    private @Nullable RespWriter localReplies;
    private int[] localReplyEnds = new int[0];
    private @Nullable QueueMemory reservedIn;
    private long reserved;

    boolean isOpen() {
        return open;
    }

    void begin() {
        open = true;
    }

    /** A command could not be queued; EXEC will refuse, and what was queued is let go. */
    void abort() {
        aborted = open;
        forget();
        commands.clear();
    }

    /** Bytes that the queued commands are reckoned at: their arguments and a fixed amount a command. */
    long queuedBytes() {
        return reserved;
    }

    /** What a command is reckoned at when it is queued. */
    static long queuedBytes(Arguments command) {
        long total = BYTES_PER_COMMAND;
        for (int i = 0; i < command.count(); i++) {
            total += command.length(i) + BYTES_PER_ARGUMENT;
        }
        return total;
    }

    boolean isAborted() {
        return aborted;
    }

    int size() {
        return commands.size();
    }

    /** Tells whether there is a command for the store. */
    boolean hasShard() {
        return shard != NO_SHARD;
    }

    /** The shard of all keys. */
    int shard() {
        return shard;
    }

    void shard(int value) {
        shard = value;
    }

    /** Bytes of the commands for the store, as arguments of one request. */
    int requestLength() {
        return requestLength;
    }

    void addRequestLength(int bytes) {
        requestLength += bytes;
    }

    /** What the proxy itself has answered. */
    RespWriter localReplies(WriterPool pool, int protocol) {
        RespWriter writer = localReplies;
        if (writer == null) {
            writer = pool.acquire(protocol);
            localReplies = writer;
            localReplyEnds = new int[commands.size()];
        }
        return writer;
    }

    void localReplyEnds(int index, int end) {
        localReplyEnds[index] = end;
    }

    int localReplyEnd(int index) {
        return localReplyEnds[index];
    }

    /** The reply is written: gives the writer back. */
    void end(WriterPool pool) {
        if (localReplies != null) {
            pool.release(localReplies);
            localReplies = null;
        }
    }

    /**
     * Queues a command.
     *
     * @param memory where {@link #queuedBytes(Arguments)} of it have been reserved; they are released with the queue
     */
    void add(Command command, Arguments queued, QueueMemory memory) {
        reservedIn = memory;
        reserved += queuedBytes(queued);
        commands.add(command);
        length += bytes.putStringWithoutLengthAscii(length, "*" + queued.count() + "\r\n");
        for (int i = 0; i < queued.count(); i++) {
            length += bytes.putStringWithoutLengthAscii(length, "$" + queued.length(i) + "\r\n");
            bytes.putBytes(length, queued.buffer(), queued.offset(i), queued.length(i));
            length += queued.length(i);
            bytes.putBytes(length, LINE_END);
            length += LINE_END.length;
        }
    }

    /** Goes before the first command. */
    void rewind() {
        position = 0;
        view.wrap(bytes.byteArray(), 0, length);
    }

    Command command(int index) {
        return commands.get(index);
    }

    /** Moves to the next command; valid until the next call. */
    Arguments next() {
        int result = parser.parse(view, position, length);
        if (result != RespParser.COMMAND) {
            throw new IllegalStateException("queued command at " + position + " of " + length + ": " + result);
        }
        arguments.wrap(view, position, parser);
        position += parser.consumed();
        return arguments;
    }

    /** Forgets the arguments of the queued commands, which have been executed or sent. */
    void forget() {
        view.wrap(0, 0);
        if (bytes.capacity() > 4096) {
            bytes = new ExpandableArrayBuffer(128);
        }
        length = 0;
        if (reservedIn != null) {
            reservedIn.release(reserved);
            reservedIn = null;
        }
        reserved = 0;
    }

    /** Forgets the queued commands and ends. */
    void clear() {
        forget();
        commands.clear();
        open = false;
        aborted = false;
        shard = NO_SHARD;
        requestLength = 0;
    }
}

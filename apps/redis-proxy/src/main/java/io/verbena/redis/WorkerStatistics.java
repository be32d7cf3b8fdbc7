package io.verbena.redis;

import io.verbena.redis.command.Command;
import io.verbena.redis.command.CommandTable;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters of one worker. Its thread alone adds; any thread reads, and may see a value that is a moment old. Cleared by
 * raising a base line, so that the writer stays the only one.
 */
public final class WorkerStatistics {
    /** Names of the counters. */
    public enum Counter {
        /** Connections accepted. */
        CONNECTIONS,
        /** Connections refused. */
        REJECTED_CONNECTIONS,
        /** Commands executed. */
        COMMANDS,
        /** Error replies. */
        ERRORS,
        /** Bytes read from clients. */
        BYTES_IN,
        /** Bytes written to clients. */
        BYTES_OUT,
        /** Replies that came for a connection which was gone. */
        ORPHANED_REPLIES,
        /** Times that a connection stopped reading because a bound was reached. */
        PAUSES,
        /** Times that a shard was lost and connected again. */
        SHARDS_RECONNECTED,
        /** Bytes that clients take now: what they have sent, and have not taken. Not cleared. */
        CLIENT_MEMORY
    }

    private static final int CALLS = 0;
    private static final int REJECTED = 1;
    private static final int FAILED = 2;
    private static final int PER_COMMAND = 3;

    private static final int COUNTERS = Counter.values().length;
    private static final int REASONS = ClientCloseReason.values().length;

    private final int commandBase = COUNTERS + REASONS;
    private final AtomicLongArray values =
            new AtomicLongArray(commandBase + PER_COMMAND * CommandTable.get().size());
    private final AtomicLongArray cleared = new AtomicLongArray(values.length());

    void add(Counter counter, long amount) {
        addAt(counter.ordinal(), amount);
    }

    void closed(ClientCloseReason reason) {
        addAt(COUNTERS + reason.ordinal(), 1);
    }

    void called(Command command) {
        addAt(Counter.COMMANDS.ordinal(), 1);
        addAt(commandBase + PER_COMMAND * command.id() + CALLS, 1);
    }

    void rejected(Command command) {
        addAt(commandBase + PER_COMMAND * command.id() + REJECTED, 1);
    }

    void failed(Command command) {
        addAt(Counter.ERRORS.ordinal(), 1);
        addAt(commandBase + PER_COMMAND * command.id() + FAILED, 1);
    }

    /**
     * A counter.
     *
     * @param counter which
     * @return amount since the start or the last {@link #clear}
     */
    public long get(Counter counter) {
        return at(counter.ordinal());
    }

    /**
     * Connections closed for a reason.
     *
     * @param reason which
     * @return amount since the start or the last {@link #clear}
     */
    public long get(ClientCloseReason reason) {
        return at(COUNTERS + reason.ordinal());
    }

    /**
     * Times that a command was executed.
     *
     * @param command which
     * @return amount since the start or the last {@link #clear}
     */
    public long calls(Command command) {
        return at(commandBase + PER_COMMAND * command.id() + CALLS);
    }

    /**
     * Times that a command was refused before it was executed.
     *
     * @param command which
     * @return amount since the start or the last {@link #clear}
     */
    public long rejectedCalls(Command command) {
        return at(commandBase + PER_COMMAND * command.id() + REJECTED);
    }

    /**
     * Times that a command ended in an error.
     *
     * @param command which
     * @return amount since the start or the last {@link #clear}
     */
    public long failedCalls(Command command) {
        return at(commandBase + PER_COMMAND * command.id() + FAILED);
    }

    /** Begins to count anew. Any thread. */
    public void clear() {
        for (int i = 0; i < values.length(); i++) {
            if (i != Counter.CLIENT_MEMORY.ordinal()) {
                cleared.set(i, values.getOpaque(i));
            }
        }
    }

    private void addAt(int index, long amount) {
        values.setOpaque(index, values.getPlain(index) + amount);
    }

    private long at(int index) {
        return values.getOpaque(index) - cleared.getOpaque(index);
    }
}

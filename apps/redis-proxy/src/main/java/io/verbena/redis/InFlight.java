package io.verbena.redis;

import io.verbena.redis.command.Command;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The requests that a worker waits for, found by their correlation. A correlation is a row and the number of times that the
 * row was used, so that a late or repeated reply finds nothing instead of somebody else's request.
 *
 * <pre>
 *   63                 32 31                   0
 *   |        use         |         row          |
 * </pre>
 *
 * <p>For one worker's thread. Grows with the requests in flight, which the connections bound.
 */
final class InFlight {
    private static final int FIRST_ROWS = 256;
    private static final int NONE = -1;

    private @Nullable Connection[] connections = new Connection[FIRST_ROWS];
    private @Nullable Command[] commands = new Command[FIRST_ROWS];
    private @Nullable FanOut[] fanOuts = new FanOut[FIRST_ROWS];
    private @Nullable Transaction[] transactions = new Transaction[FIRST_ROWS];
    private long[] slots = new long[FIRST_ROWS];
    private int[] parts = new int[FIRST_ROWS];
    private int[] uses = new int[FIRST_ROWS];
    private int[] nextFree = new int[FIRST_ROWS];
    private int firstFree = NONE;
    private int size;

    InFlight() {
        free(0);
    }

    /** Requests without a reply. */
    int size() {
        return size;
    }

    /** Notes a request to a shard, whose reply is a command's reply. */
    long add(Connection connection, long slot, Command command, int shard) {
        final int row = take();
        connections[row] = connection;
        commands[row] = command;
        slots[row] = slot;
        parts[row] = shard;
        return correlation(row);
    }

    /** Notes a transaction, of which the shard answers a part only. */
    long add(Connection connection, long slot, Command command, Transaction transaction) {
        final long correlation = add(connection, slot, command, transaction.shard());
        transactions[(int) correlation] = transaction;
        return correlation;
    }

    /** Notes a request whose reply is a part of a command's reply. */
    long add(FanOut fanOut, int part) {
        final int row = take();
        fanOuts[row] = fanOut;
        parts[row] = part;
        return correlation(row);
    }

    /** The row of a correlation, or -1 if nobody waits for it. */
    int find(long correlation) {
        final int row = (int) correlation;
        return row >= 0 && row < uses.length && uses[row] == (int) (correlation >>> 32) && isTaken(row) ? row : NONE;
    }

    @Nullable
    Connection connection(int row) {
        return connections[row];
    }

    @Nullable
    Command command(int row) {
        return commands[row];
    }

    @Nullable
    FanOut fanOut(int row) {
        return fanOuts[row];
    }

    @Nullable
    Transaction transaction(int row) {
        return transactions[row];
    }

    long slot(int row) {
        return slots[row];
    }

    /** The shard that was asked. */
    int part(int row) {
        return parts[row];
    }

    /** The reply has come. */
    void remove(int row) {
        connections[row] = null;
        commands[row] = null;
        fanOuts[row] = null;
        transactions[row] = null;
        uses[row]++;
        nextFree[row] = firstFree;
        firstFree = row;
        size--;
    }

    private boolean isTaken(int row) {
        return connections[row] != null || fanOuts[row] != null;
    }

    private int take() {
        if (firstFree == NONE) {
            grow();
        }
        final int row = firstFree;
        firstFree = nextFree[row];
        size++;
        return row;
    }

    private long correlation(int row) {
        return (long) uses[row] << 32 | row;
    }

    private void grow() {
        final int rows = uses.length;
        connections = Arrays.copyOf(connections, rows * 2);
        commands = Arrays.copyOf(commands, rows * 2);
        fanOuts = Arrays.copyOf(fanOuts, rows * 2);
        transactions = Arrays.copyOf(transactions, rows * 2);
        slots = Arrays.copyOf(slots, rows * 2);
        parts = Arrays.copyOf(parts, rows * 2);
        uses = Arrays.copyOf(uses, rows * 2);
        nextFree = Arrays.copyOf(nextFree, rows * 2);
        free(rows);
    }

    /** Puts the rows from the given one on into the list of free ones, lowest first. */
    private void free(int from) {
        for (int row = uses.length - 1; row >= from; row--) {
            nextFree[row] = firstFree;
            firstFree = row;
        }
    }
}

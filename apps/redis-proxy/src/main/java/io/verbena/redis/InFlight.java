package io.verbena.redis;

import io.verbena.kv.protocol.TransferDescriptor;
import io.verbena.redis.command.Command;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The requests that a worker waits for, found by their correlation. A correlation is a row and the number of times that
 * the row was used, so that a late or repeated reply finds nothing instead of somebody else's request.
 *
 * <pre>
 *   63                 32 31                   0
 *   |        use         |         row          |
 * </pre>
 *
 * <p>It is also where a worker's requests are bounded: in number, and in bytes of requests and of the pieces that were
 * asked for. What exceeds a bound waits where it is, in the end in its client's socket. Pieces have a share of their
 * own: a command whose request or reply comes in pieces holds its row until the last has come.
 *
 * <p>For one worker's thread.
 */
final class InFlight {
    /** Most requests of a worker that shards have not answered. */
    static final int MAX_REQUESTS = 2048;
    /** Most bytes that these requests, and the pieces they ask for, may take together. */
    static final int MAX_BYTES = 4 << 20;

    /** What is kept for pieces: commands that wait for their pieces must not keep them from going. */
    private static final int REQUESTS_FOR_PIECES = 256;

    private static final int BYTES_FOR_PIECES = 1 << 20;

    private static final int FIRST_ROWS = 256;
    private static final int NONE = -1;

    private @Nullable ClientConnection[] connections = new ClientConnection[FIRST_ROWS];
    private @Nullable Command[] commands = new Command[FIRST_ROWS];
    private @Nullable FanOut[] fanOuts = new FanOut[FIRST_ROWS];
    private @Nullable Transaction[] transactions = new Transaction[FIRST_ROWS];
    private @Nullable PieceTaker[] takers = new PieceTaker[FIRST_ROWS];
    private long[] slots = new long[FIRST_ROWS];
    private int[] shards = new int[FIRST_ROWS];
    private int[] lengths = new int[FIRST_ROWS];
    private int[] uses = new int[FIRST_ROWS];
    private int[] nextFree = new int[FIRST_ROWS];
    private int firstFree = NONE;
    private int size;
    private long bytes;

    InFlight() {
        free(0);
    }

    /** Requests without a reply. */
    int size() {
        return size;
    }

    /** Whether another command's request of that many bytes may be sent. One alone always may. */
    boolean hasRoom(int length) {
        return size < MAX_REQUESTS - REQUESTS_FOR_PIECES
                && (bytes + length <= MAX_BYTES - BYTES_FOR_PIECES || size == 0);
    }

    /** Whether a piece of that many bytes may be sent, or asked for. One alone always may. */
    boolean hasRoomForPiece(int length) {
        return size < MAX_REQUESTS && (bytes + length <= MAX_BYTES || size == 0);
    }

    /** Notes a request to a shard, whose reply is a command's reply. */
    long add(ClientConnection connection, long slot, Command command, int shard, int length) {
        int row = take(shard, length);
        connections[row] = connection;
        commands[row] = command;
        slots[row] = slot;
        return correlation(row);
    }

    /** Notes a transaction, of which the shard answers a part only. */
    long add(ClientConnection connection, long slot, Command command, Transaction transaction, int length) {
        long correlation = add(connection, slot, command, transaction.shard(), length);
        transactions[(int) correlation] = transaction;
        return correlation;
    }

    /** Notes a request whose reply is a part of a command's reply; the parts are numbered by shards. */
    long add(FanOut fanOut, int part, int length) {
        int row = take(part, length);
        fanOuts[row] = fanOut;
        return correlation(row);
    }

    /** Notes a request whose reply is a piece of something, or says that one has arrived. */
    long add(PieceTaker taker, int shard, int length) {
        int row = take(shard, length);
        takers[row] = taker;
        return correlation(row);
    }

    /** The row of a correlation, or -1 if nobody waits for it. */
    int find(long correlation) {
        int row = (int) correlation;
        return row >= 0 && row < uses.length && uses[row] == (int) (correlation >>> 32) && isTaken(row) ? row : NONE;
    }

    @Nullable
    ClientConnection connection(int row) {
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

    @Nullable
    PieceTaker taker(int row) {
        return takers[row];
    }

    long slot(int row) {
        return slots[row];
    }

    /** The shard that was asked. */
    int shard(int row) {
        return shards[row];
    }

    /** A request of a shard that has not been answered, from a row on; -1 if there is none. */
    int nextOf(int shard, int from) {
        for (int row = from; row < uses.length; row++) {
            if (isTaken(row) && shards[row] == shard) {
                return row;
            }
        }
        return NONE;
    }

    /** The reply has come. */
    void remove(int row) {
        connections[row] = null;
        commands[row] = null;
        fanOuts[row] = null;
        transactions[row] = null;
        takers[row] = null;
        uses[row]++;
        nextFree[row] = firstFree;
        firstFree = row;
        size--;
        bytes -= lengths[row];
    }

    private boolean isTaken(int row) {
        return connections[row] != null || fanOuts[row] != null || takers[row] != null;
    }

    private int take(int shard, int length) {
        if (firstFree == NONE) {
            grow();
        }
        int row = firstFree;
        firstFree = nextFree[row];
        shards[row] = shard;
        // What is longer goes in pieces, which count themselves: it would keep them from going.
        lengths[row] = length > TransferDescriptor.MAX_MESSAGE ? 0 : length;
        bytes += lengths[row];
        size++;
        return row;
    }

    private long correlation(int row) {
        return (long) uses[row] << 32 | row;
    }

    private void grow() {
        int rows = uses.length;
        connections = Arrays.copyOf(connections, rows * 2);
        commands = Arrays.copyOf(commands, rows * 2);
        fanOuts = Arrays.copyOf(fanOuts, rows * 2);
        transactions = Arrays.copyOf(transactions, rows * 2);
        takers = Arrays.copyOf(takers, rows * 2);
        slots = Arrays.copyOf(slots, rows * 2);
        shards = Arrays.copyOf(shards, rows * 2);
        lengths = Arrays.copyOf(lengths, rows * 2);
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

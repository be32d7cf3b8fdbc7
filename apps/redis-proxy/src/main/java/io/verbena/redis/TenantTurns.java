package io.verbena.redis;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The connections of a worker that have something to execute and wait for their turn, by tenant. Where several tenants
 * have something to execute, each may execute its weight's part of {@value #COMMANDS_PER_TURN} commands in a turn of
 * the worker, and waits for the next one then: deficit round robin (Shreedhar and Varghese, 1995). A turn is short, so
 * that a client which comes with one command beside floods waits for no more than that. What is read from clients and
 * written to them counts too, a command for each {@value #BYTES_PER_COMMAND} bytes; whoever has used more than it had
 * repays it before its next turn. One tenant alone is not held up.
 *
 * <p>For the worker's thread; the counts are for any.
 *
 * @param <T> connections
 */
final class TenantTurns<T> {
    /** Commands of all tenants in a turn where several have some. */
    static final int COMMANDS_PER_TURN = 256;

    /** Bytes that count as a command. */
    static final int BYTES_PER_COMMAND = 4096;

    /** How long a tenant that has executed something is taken for one that will again. */
    private static final long ACTIVE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Turns that may be saved up. */
    private static final int MAX_SAVED = 2;

    private final Line<T>[] lines;
    private final Consumer<T> takeTurn;
    private boolean contended;
    private int worked; // commands in this turn
    private long weights; // of those that are active
    private boolean roundIsOver = true; // all have used their parts, or have nothing to execute
    private int first; // whose turn is first
    private long turn;
    private long now;

    /** One tenant's. */
    private static final class Line<T> {
        final int weight;
        final ArrayDeque<T> waiting = new ArrayDeque<>();
        final AtomicLong commands = new AtomicLong();
        final AtomicLong turnsWaited = new AtomicLong();
        double credit; // commands; below 0 what it has to repay
        long activeNanos;
        boolean isActive;
        long waitedIn; // the turn in which it was found waiting last

        Line(int weight) {
            this.weight = weight;
        }
    }

    /**
     * Creates it, without connections.
     *
     * @param tenants the first one is that of connections that have named none
     * @param takeTurn lets a connection go on
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    TenantTurns(List<ProxyTenant> tenants, long nowNanos, Consumer<T> takeTurn) {
        this.takeTurn = takeTurn;
        this.now = nowNanos;
        this.lines = new Line[tenants.size()];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = new Line<>(tenants.get(i).weight());
            lines[i].activeNanos = nowNanos - 2 * ACTIVE_NANOS;
        }
    }

    // ---- turns ------------------------------------------------------------------------------------------------------

    /** A turn of the worker begins: who is active has its part of it. */
    void begin(long nowNanos) {
        if (lines.length == 1) {
            return;
        }
        now = nowNanos;
        turn++;
        worked = 0;
        int active = 0;
        weights = 0;
        for (Line<T> line : lines) {
            line.isActive = !line.waiting.isEmpty() || nowNanos - line.activeNanos < ACTIVE_NANOS;
            active += line.isActive ? 1 : 0;
            weights += line.isActive ? line.weight : 0;
        }
        boolean wasContended = contended;
        contended = active > 1;
        if (roundIsOver || !wasContended) {
            beginRound();
        }
    }

    private void beginRound() {
        for (Line<T> line : lines) {
            double part = line.isActive ? (double) COMMANDS_PER_TURN * line.weight / weights : 0;
            line.credit = contended ? Math.min(line.credit + part, MAX_SAVED * part) : 0;
        }
    }

    /** Whether a connection of a tenant may execute something. Whoever was not active has nothing to repay. */
    boolean mayExecute(int tenant) {
        Line<T> line = lines[tenant];
        return !contended || !line.isActive || line.credit > 0;
    }

    /** A connection of a tenant has executed a command. */
    void executed(int tenant) {
        Line<T> line = lines[tenant];
        line.commands.lazySet(line.commands.getPlain() + 1);
        if (lines.length > 1) {
            worked++;
            line.credit--;
            line.activeNanos = now;
        }
    }

    /** Bytes were read from a connection of a tenant, or are written to it. */
    void charge(int tenant, int bytes) {
        if (contended) {
            lines[tenant].credit -= (double) bytes / BYTES_PER_COMMAND;
        }
    }

    /** A connection of a tenant has something to execute, and goes on when its turn comes. */
    void waits(int tenant, T connection) {
        lines[tenant].waiting.addLast(connection);
    }

    boolean isAnyWaiting() {
        for (Line<T> line : lines) {
            if (!line.waiting.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Lets the connections go on that wait, once each, as long as there is room and their tenant has something left of
     * its part. Where all have used theirs and the turn is shorter than it may be, another round follows; if nobody has
     * executed anything even so, what is owed is forgotten: there is time for all.
     */
    void takeTurns(BooleanSupplier hasRoom) {
        serve(hasRoom);
        if (contended && worked < COMMANDS_PER_TURN && isAnyWaiting() && hasRoom.getAsBoolean()) {
            beginRound();
            if (worked == 0) {
                for (Line<T> line : lines) {
                    line.credit = Math.max(line.credit, 1);
                }
            }
            serve(hasRoom);
        }
    }

    private void serve(BooleanSupplier hasRoom) {
        int count = lines.length;
        int begin = first;
        for (int i = 0; i < count; i++) {
            int number = (begin + i) % count;
            Line<T> line = lines[number];
            int left = line.waiting.size();
            while (left > 0 && mayExecute(number) && hasRoom.getAsBoolean()) {
                T next = line.waiting.pollFirst();
                if (next != null) {
                    takeTurn.accept(next);
                }
                left--;
            }
            if (left > 0) {
                note(line);
            }
            if (!line.waiting.isEmpty() && mayExecute(number) && !hasRoom.getAsBoolean()) {
                first = number; // it goes on with its part when there is room
                roundIsOver = false;
                return;
            }
        }
        first = (begin + 1) % count;
        roundIsOver = true;
    }

    private void note(Line<T> line) {
        if (line.waitedIn != turn || lines.length == 1) {
            line.waitedIn = turn;
            line.turnsWaited.lazySet(line.turnsWaited.getPlain() + 1);
        }
    }

    /** A connection is gone. */
    void remove(T connection) {
        for (Line<T> line : lines) {
            line.waiting.remove(connection);
        }
    }

    /** Commands that a tenant's clients have had executed. */
    long commands(int tenant) {
        return lines[tenant].commands.get();
    }

    /** Turns in which a tenant's clients had to wait for the next one. */
    long turnsWaited(int tenant) {
        return lines[tenant].turnsWaited.get();
    }
}

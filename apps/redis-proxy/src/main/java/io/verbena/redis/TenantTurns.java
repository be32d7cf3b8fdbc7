package io.verbena.redis;

import io.verbena.TurnShares;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The connections of a worker that have something to execute and wait for their turn, by tenant. Where several tenants
 * have something to execute, each may execute a share of {@value #COMMANDS_PER_TURN} commands in a turn of the worker,
 * as {@link TurnShares} has it, and then waits for the next turn: deficit round robin (Shreedhar and Varghese, 1995).
 * A turn is short, so that a client which comes with one command beside floods waits for no more than that. What is
 * read from clients and written to them counts too, a command for each {@value #BYTES_PER_COMMAND} bytes, and a command
 * with many arguments counts as several; whoever has used more than its share repays it before its next turn. One
 * tenant alone is not held up.
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

    /** Arguments that count as another command: one with many keys is many. */
    static final int ARGUMENTS_PER_COMMAND = 8;

    /** How long a tenant that has executed something is taken for one that will again. */
    private static final long ACTIVE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How long a tenant that owes something has to be away until it is forgotten. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Turns that may be saved up. */
    private static final int MAX_SAVED = 2;

    private final Line<T>[] lines;
    private final TurnShares shares;
    private final Consumer<T> takeTurn;
    private boolean contended;
    private int worked; // commands in this turn
    private boolean roundIsOver = true; // all have used their parts, or have nothing to execute
    private int first; // whose turn is first

    /** One tenant's. */
    private static final class Line<T> {
        final ArrayDeque<T> waiting = new ArrayDeque<>();
        final AtomicLong commands = new AtomicLong();
        final AtomicLong turnsWaited = new AtomicLong();
        double credit; // commands; below 0 what it has to repay
        long activeNanos;
        boolean isActive;
        boolean used; // it has executed something since the last turn began
    }

    /**
     * Creates it, without connections.
     *
     * @param tenants their number; the first one is that of connections that have named none
     * @param shares theirs
     * @param takeTurn lets a connection go on
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    TenantTurns(int tenants, TurnShares shares, long nowNanos, Consumer<T> takeTurn) {
        this.shares = shares;
        this.takeTurn = takeTurn;
        this.lines = new Line[tenants];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = new Line<>();
            lines[i].activeNanos = nowNanos - 2 * ACTIVE_NANOS;
        }
    }

    // ---- turns ------------------------------------------------------------------------------------------------------

    /** A turn of the worker begins: each active tenant gets its share of it. */
    void begin(long nowNanos) {
        if (lines.length == 1) {
            return;
        }
        worked = 0;
        int active = 0;
        boolean waits = false;
        for (int i = 0; i < lines.length; i++) {
            Line<T> line = lines[i];
            if (line.waiting.isEmpty() && nowNanos - line.activeNanos > FORGET_NANOS) {
                line.credit = Math.max(line.credit, 0);
            }
            if (line.used) {
                line.used = false;
                line.activeNanos = nowNanos;
            }
            line.isActive = !line.waiting.isEmpty() || nowNanos - line.activeNanos < ACTIVE_NANOS;
            active += line.isActive ? 1 : 0;
            waits |= !line.waiting.isEmpty();
            shares.active(i, line.isActive);
        }
        shares.turn(nowNanos, waits);
        boolean wasContended = contended;
        contended = active > 1;
        if (roundIsOver || !wasContended) {
            beginRounds(1);
        }
    }

    private double part(int tenant) {
        return COMMANDS_PER_TURN * shares.part(tenant);
    }

    private void beginRounds(double rounds) {
        for (int i = 0; i < lines.length; i++) {
            Line<T> line = lines[i];
            double part = part(i);
            line.credit = contended ? Math.min(line.credit + rounds * part, MAX_SAVED * part) : 0;
        }
    }

    /** Rounds until one of those that wait has something left of its share. */
    private double roundsToGo() {
        double fewest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < lines.length; i++) {
            Line<T> line = lines[i];
            if (!line.waiting.isEmpty()) {
                double part = part(i);
                fewest = Math.min(fewest, part == 0 ? 1 : Math.floor(Math.max(0, -line.credit) / part) + 1);
            }
        }
        return fewest;
    }

    /**
     * Whether a connection of a tenant may execute something. One of a tenant that was not active when the turn began
     * may.
     */
    boolean mayExecute(int tenant) {
        Line<T> line = lines[tenant];
        return !contended || !line.isActive || line.credit > 0;
    }

    /**
     * A connection of a tenant has executed a command.
     *
     * @param arguments that it had; a command for each {@value #ARGUMENTS_PER_COMMAND}
     */
    void executed(int tenant, int arguments) {
        Line<T> line = lines[tenant];
        line.commands.lazySet(line.commands.getPlain() + 1);
        if (lines.length > 1) {
            worked++;
            line.used = true;
            pay(tenant, 1 + arguments / ARGUMENTS_PER_COMMAND);
        }
    }

    private void pay(int tenant, double commands) {
        shares.used(tenant, commands);
        if (contended) {
            lines[tenant].credit -= commands;
        }
    }

    /** Bytes were read from a connection of a tenant, or are written to it. */
    void charge(int tenant, int bytes) {
        if (lines.length > 1) {
            pay(tenant, (double) bytes / BYTES_PER_COMMAND);
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
     * Lets the connections go on that wait, as long as there is room and their tenant has something left of its share.
     * Rounds follow each other until the turn is as long as it may be, or nobody can execute anything: what one does
     * not use, the others have.
     */
    void takeTurns(BooleanSupplier hasRoom) {
        serve(hasRoom);
        while (contended && roundIsOver && worked < COMMANDS_PER_TURN && isAnyWaiting() && hasRoom.getAsBoolean()) {
            int before = worked;
            beginRounds(roundsToGo());
            serve(hasRoom);
            if (worked == before) { // those that were served wait for something else; what the others owe is forgotten
                for (Line<T> line : lines) {
                    line.credit = Math.max(line.credit, 1);
                }
                serve(hasRoom);
                break;
            }
        }
        noteWaiting();
    }

    private void noteWaiting() {
        for (int i = 0; i < lines.length; i++) {
            Line<T> line = lines[i];
            if (!line.waiting.isEmpty()) {
                shares.held(i);
                line.turnsWaited.lazySet(line.turnsWaited.getPlain() + (mayExecute(i) ? 0 : 1));
            }
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
            if (!line.waiting.isEmpty() && mayExecute(number) && !hasRoom.getAsBoolean()) {
                first = number; // it goes on with its part when there is room
                roundIsOver = false;
                return;
            }
        }
        first = (begin + 1) % count;
        roundIsOver = true;
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

    /** Commands a second that a tenant is entitled to on this worker; 0 if it has nothing to execute. */
    long rate(int tenant) {
        return shares.rate(tenant);
    }

    /** The worker ends. */
    void end() {
        shares.end();
    }

    /** Turns after which clients of a tenant wait because it has had its share. */
    long turnsWaited(int tenant) {
        return lines[tenant].turnsWaited.get();
    }
}

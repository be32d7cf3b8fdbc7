package io.verbena.nic.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.NanoClock;

/**
 * The time of an engine's turns: one reading of the clock a turn, made when it is first asked for, because many turns
 * need none.
 *
 * <p>Concurrency: under the engine's baton; {@link #lastTurn} by any thread.
 */
final class TurnClock {
    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final VarHandle LAST_TURN;

    static {
        try {
            LAST_TURN = MethodHandles.lookup().findVarHandle(TurnClock.class, "lastTurn", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final NanoClock clock;
    private long now = UNKNOWN;

    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private long lastTurn;

    TurnClock(NanoClock clock) {
        this.clock = clock;
        this.lastTurn = clock.nanoTime();
    }

    /** The time of this turn, in nanoseconds. */
    long now() {
        if (now == UNKNOWN) {
            now = clock.nanoTime();
        }
        return now;
    }

    /** Time has passed since the last turn. */
    void beginTurn() {
        now = UNKNOWN;
    }

    /** Between turns time passes. */
    void endTurn() {
        if (now != UNKNOWN) {
            lastTurn(now);
            now = UNKNOWN;
        }
    }

    /** When the last turn was that had to know the time, as each has while answers are awaited. Any thread. */
    long lastTurn() {
        return (long) LAST_TURN.getOpaque(this);
    }

    /** A turn is made now, or asked for. Any thread. */
    void lastTurn(long time) {
        LAST_TURN.setOpaque(this, time);
    }
}

package io.verbena.nic.append;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A place for the wish of one queue pair for a buffer of {@link Staging}.
 *
 * <pre>
 *   FREE ─ engine ─▶ TAKEN ─▶ ASKED ─ allocator ─▶ MAKING ─ allocator ─▶ READY ─ engine ─▶ TAKEN ─▶ FREE
 *     ▲                        │ ▲                  │  │                   │
 *     │  served otherwise      │ └──── no room ─────┘  │ no room for long  │ fetched by nobody: allocator
 *     └────────────────────────┴───────────────────────┴───────────────────┘
 * </pre>
 *
 * <p>Concurrency: the state is the hand-over; whoever moved it there owns the other fields until it moves on.
 */
final class StagingRequest {
    static final int FREE = 0;
    static final int TAKEN = 1;
    static final int ASKED = 2;
    static final int MAKING = 3;
    static final int READY = 4;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(StagingRequest.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private volatile int state;

    private volatile int qpNumber;
    private volatile int sizeClass;
    private long waitNanos;
    private boolean waits;
    private long since;
    private @Nullable AtomicBuffer buffer;

    int state() {
        return state;
    }

    int qpNumber() {
        return qpNumber;
    }

    int sizeClass() {
        return sizeClass;
    }

    private boolean move(int from, int to) {
        return STATE.compareAndSet(this, from, to);
    }

    /** Whether it is of this queue pair. */
    boolean isOf(int number) {
        return state >= ASKED && qpNumber == number;
    }

    /**
     * Asks, if nobody else has the place.
     *
     * @param againNanos after which the queue pair's sender retries
     */
    boolean ask(int number, int ofClass, long againNanos) {
        if (state != FREE || !move(FREE, TAKEN)) {
            return false;
        }
        qpNumber = number;
        sizeClass = ofClass;
        waitNanos = LargeAppender.keptNanos(againNanos);
        waits = false;
        state = ASKED;
        return true;
    }

    /** Takes the wish back; false if it is too late for that. */
    boolean withdraw() {
        return move(ASKED, FREE);
    }

    /** Takes the buffer, if it is there. Whoever gets it. */
    @Nullable
    AtomicBuffer fetch() {
        if (state != READY || !move(READY, TAKEN)) {
            return null;
        }
        AtomicBuffer made = buffer;
        buffer = null;
        state = FREE;
        return made;
    }

    /** The allocator begins to serve it. */
    boolean begin() {
        return move(ASKED, MAKING);
    }

    /** A buffer was found, after {@link #begin}. */
    void serve(AtomicBuffer made, long now) {
        buffer = made;
        since = now;
        state = READY;
    }

    /** No buffer was found, after {@link #begin}. Whether it has waited for so long that it is given up. */
    boolean refuse(long now, long surplusNanos) {
        if (!waits) {
            waits = true;
            since = now;
        }
        boolean late = isLate(now, surplusNanos);
        state = late ? FREE : ASKED;
        return late;
    }

    /** Whether nobody has come for as long as a buffer is kept: the surplus time, or two tries of its sender. */
    boolean isLate(long now, long surplusNanos) {
        return now - since >= Math.max(surplusNanos, waitNanos);
    }
}

package io.verbena.nic.append;

import io.verbena.nic.port.Segment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A place for one message with a mapping of its own.
 *
 * <pre>
 *   FREE ─ responder ─▶ TAKEN ─▶ REQUESTED ─ allocator ─▶ READY ─ responder ─▶ OPEN ─ commit ─▶ COMMITTED
 *     ▲                                                     │ too small      ▲  │ abort           │ consumed
 *     │                                                     └───────▶ DONE ◀─│──┴─────────────────┘
 *     │                                                                ├─ responder, if it fits
 *     ├──────── allocator, also of what is READY for too long ◀────────┘
 *     └──────── allocator, of what is REQUESTED and finds no room for too long
 * </pre>
 *
 * <p>Concurrency: the state is the hand-over; whoever moved it there owns the other fields until it moves on.
 */
final class LargeMessage {
    static final int FREE = 0;
    static final int TAKEN = 1;
    static final int REQUESTED = 2;
    static final int READY = 3;
    static final int OPEN = 4;
    static final int COMMITTED = 5;
    static final int DONE = 6;

    /** Looks of the allocator, a surplus time apart, that find a mapping kept before it goes. */
    static final int IDLE_LOOKS = 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(LargeMessage.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int index;

    @SuppressWarnings("unused")
    private volatile int state;

    volatile int qpNumber;
    volatile int length;
    /** For which a mapping that is ready is kept at least, and a wish for one that finds no room. */
    volatile long waitNanos;

    volatile boolean waits; // it has found no room
    volatile long since; // it is ready, or waits
    volatile int looks; // of the allocator's that found it kept
    volatile @Nullable Segment segment;

    LargeMessage(int index) {
        this.index = index;
    }

    int index() {
        return index;
    }

    int state() {
        return state;
    }

    boolean move(int from, int to) {
        return STATE.compareAndSet(this, from, to);
    }

    AtomicBuffer buffer() {
        Segment mapped = segment;
        if (mapped == null) {
            throw new IllegalStateException("large message " + index + " has no mapping, state " + state);
        }
        return mapped.buffer();
    }

    void committed(int messageLength) {
        length = messageLength;
        state = COMMITTED;
    }

    /** Nothing was committed, but its queue pair comes again. */
    void postpone(long now) {
        since = now;
        state = READY;
    }

    /** It was consumed: what it lay in is kept for the next one. */
    void discard() {
        state = DONE;
    }

    /** It came to nothing: what it lay in goes at once. */
    void giveUp() {
        looks = IDLE_LOOKS;
        state = DONE;
    }
}

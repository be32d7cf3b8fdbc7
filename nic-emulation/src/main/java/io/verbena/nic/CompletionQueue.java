package io.verbena.nic;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.queue.CompletionRing;

/**
 * Where work requests end ({@code ibv_create_cq(3)}). Its queue pairs belong to one engine.
 *
 * <p>One thread at a time polls; any thread may ask for a notification or wait for it.
 */
public final class CompletionQueue implements AutoCloseable {
    private final Nic nic;
    private final Engine engine;
    private final CompletionRing ring;
    private final Completion cursor;
    private int users;
    private boolean closed;

    CompletionQueue(Nic nic, Engine engine, int number, int depth) {
        this.nic = nic;
        this.engine = engine;
        this.ring = new CompletionRing(number, depth);
        this.cursor = new Completion(ring.buffer());
    }

    /** Names it in asynchronous events. */
    public int number() {
        return ring.number();
    }

    /** Entries that it holds. */
    public int depth() {
        return ring.capacity();
    }

    /**
     * Hands completions to a handler, oldest first. Where nothing is there and the engine's mode lets callers help, runs a
     * turn of the engine and looks again.
     *
     * @param handler takes each; its cursor is valid during the call only
     * @param limit most completions to take
     * @return completions taken
     */
    public int poll(CompletionHandler handler, int limit) {
        int taken = drain(handler, limit);
        if (taken == 0 && engine.mayAssist() && engine.doWork() > 0) {
            taken = drain(handler, limit);
        }
        return taken;
    }

    private int drain(CompletionHandler handler, int limit) {
        int taken = 0;
        try {
            while (taken < limit) {
                int slot = ring.front();
                if (slot < 0) {
                    break;
                }
                cursor.slot(slot);
                taken++;
                ring.pop();
                handler.onCompletion(cursor);
            }
        } finally {
            if (taken > 0) {
                ring.release();
            }
        }
        return taken;
    }

    /** Whether there is no completion now. */
    public boolean isEmpty() {
        return ring.isEmpty();
    }

    /** Whether entries were lost because the queue was full; it is of no use any more. */
    public boolean hasOverrun() {
        return ring.hasOverrun();
    }

    /**
     * Asks for one completion event ({@code ibv_req_notify_cq(3)}). Completions that are there already do not raise it:
     * poll once more before {@link #awaitEvent}.
     *
     * @param solicitedOnly only solicited completions and errors raise it; does not weaken an earlier request for any
     * @return a token for {@link #awaitEvent}
     */
    public long requestNotify(boolean solicitedOnly) {
        long token = ring.events();
        ring.arm(solicitedOnly);
        return token;
    }

    /**
     * Waits for the event that was asked for. The engine must be driven by another thread or by its own.
     *
     * @param token of {@link #requestNotify}
     * @param nanos most nanoseconds to wait
     * @return whether the event was raised
     */
    public boolean awaitEvent(long token, long nanos) {
        return engine.awaitAsGuest(nanos, () -> ring.events() != token);
    }

    /**
     * Waits until there is a completion. The engine must be driven by another thread or by its own.
     *
     * @param nanos most nanoseconds to wait
     * @return whether there is one
     */
    public boolean await(long nanos) {
        return engine.awaitAsGuest(nanos, () -> !ring.isEmpty());
    }

    CompletionRing ring() {
        return ring;
    }

    Engine engine() {
        return engine;
    }

    void use(int change) {
        synchronized (nic) {
            if (closed) {
                throw new IllegalStateException("completion queue " + number() + " is closed");
            }
            users += change;
        }
    }

    /**
     * Destroys it. Idempotent.
     *
     * @throws IllegalStateException (EBUSY) if queue pairs still use it
     */
    @Override
    public void close() {
        synchronized (nic) {
            if (!closed) {
                if (users > 0) {
                    throw new IllegalStateException(
                            "completion queue " + number() + " is busy: used " + users + " times by queue pairs");
                }
                closed = true;
                nic.forget(this);
            }
        }
    }
}

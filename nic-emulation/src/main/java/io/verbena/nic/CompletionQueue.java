package io.verbena.nic;

import io.verbena.nic.engine.CompletionEvents;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.engine.GuestWaits;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.verbs.AsyncEventType.Element;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue ({@code ibv_create_cq(3)}). Its queue pairs belong to one engine.
 *
 * <p>One thread at a time polls and resizes; any thread may ask for a notification, wait for it and acknowledge it.
 *
 * <p>A completion that finds no room puts the queue in error for good: earlier entries can still be polled, later ones
 * are dropped and counted, CQ_ERR is raised once, and the queue pairs that complete here go to ERR, each with QP_FATAL,
 * at the end of the engine's turn. (That is the InfiniBand specification's reading; rxe only drops.)
 */
public final class CompletionQueue implements AutoCloseable {
    /** Most entries of a completion queue. */
    public static final int MAX_DEPTH = 1 << 20;

    private final Nic nic;
    private final Engine engine;
    private final CompletionRing ring;
    private final Completion cursor;
    private final List<Integer> users = new ArrayList<>(); // numbers of queue pairs, under the NIC's monitor
    private boolean closed;
    private volatile @Nullable GuestWaits waits; // null: the NIC's choice

    private final CompletionEvents events = new CompletionEvents();

    CompletionQueue(Nic nic, Engine engine, int number, int depth) {
        this.nic = nic;
        this.engine = engine;
        this.ring = new CompletionRing(number, checkDepth(depth));
        this.cursor = new Completion(ring.buffer());
    }

    private static int checkDepth(int depth) {
        if (depth < 1 || depth > MAX_DEPTH) {
            throw new IllegalArgumentException("completion queue depth " + depth + " outside 1.." + MAX_DEPTH);
        }
        return depth;
    }

    /**
     * The state of a completion queue.
     *
     * @param depth entries that it holds
     * @param backlog entries that are there
     * @param overrun whether it is in error
     * @param queuePairs queue pairs that complete here; one that does so in both directions counts twice
     * @param unacknowledgedEvents completion events that were delivered and not acknowledged
     */
    public record Status(int depth, int backlog, boolean overrun, int queuePairs, int unacknowledgedEvents) {}

    /** Names it in asynchronous events. */
    public int number() {
        return ring.number();
    }

    /** Entries that it holds. */
    public int depth() {
        return ring.capacity();
    }

    /** Its state. For the thread that polls. */
    public Status query() {
        int[] backlog = new int[1];
        engine.call(() -> backlog[0] = ring.backlog());
        synchronized (nic) {
            checkOpen();
            return new Status(depth(), backlog[0], hasOverrun(), users.size(), events.unacknowledged());
        }
    }

    /**
     * Changes the number of entries that it holds ({@code ibv_resize_cq(3)}); existing entries keep their order. Queue
     * pairs may be at work meanwhile. For the thread that polls, also within a handler.
     *
     * @param depth entries, 1 to {@value #MAX_DEPTH}; rounded up to a power of two
     * @throws IllegalArgumentException if the depth is out of range
     * @throws IllegalStateException if it has more entries than that, or has overrun; nothing has changed
     */
    public void resize(int depth) {
        checkOpen();
        checkDepth(depth);
        engine.call(() -> ring.resize(depth));
    }

    // ---- polling -------------------------------------------------------------------------------------------------

    /**
     * Hands completions to a handler, oldest first. If there are none and the engine's mode lets callers help, runs a
     * turn of the engine and looks again.
     *
     * @param handler takes each; its cursor is valid during the call only
     * @param limit most completions to take
     * @return completions taken
     * @throws IllegalStateException if it is closed
     */
    public int poll(CompletionHandler handler, int limit) {
        checkOpen();
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
                cursor.at(ring.buffer(), slot);
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

    /**
     * Copies completions to the elements of an array, oldest first, as many as fit. Otherwise as
     * {@link #poll(CompletionHandler, int)}.
     *
     * <pre>{@code
     *   Completion[] completions = Completion.array(16);
     *   int taken = cq.poll(completions);
     * }</pre>
     *
     * @param completions filled from index 0; an element that is taken must not be null
     * @return completions taken
     */
    public int poll(Completion[] completions) {
        checkOpen();
        int taken = drain(completions);
        if (taken == 0 && engine.mayAssist() && engine.doWork() > 0) {
            taken = drain(completions);
        }
        return taken;
    }

    private int drain(Completion[] completions) {
        int taken = 0;
        try {
            while (taken < completions.length) {
                int slot = ring.front();
                if (slot < 0) {
                    break;
                }
                completions[taken].copy(ring.buffer(), slot);
                taken++;
                ring.pop();
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

    /** Whether entries were lost because the queue was full; it cannot be used any more. Any thread. */
    public boolean hasOverrun() {
        return ring.hasOverrun();
    }

    // ---- notification --------------------------------------------------------------------------------------------

    /**
     * Asks for one completion event ({@code ibv_req_notify_cq(3)}). Existing completions do not raise it: poll once
     * more before {@link #awaitEvent}. The event uses up the request.
     *
     * @param solicitedOnly only solicited completions and errors raise it; does not weaken an earlier request for any
     * @return a token for {@link #awaitEvent}
     */
    public long requestNotify(boolean solicitedOnly) {
        checkOpen();
        long token = ring.events();
        ring.arm(solicitedOnly);
        return token;
    }

    /**
     * How threads wait in {@link #await} and {@link #awaitEvent} of this queue from now on; by default as the NIC was
     * told ({@link NicContext#polling}). Any thread.
     */
    public void polling(PollStrategy.Factory choice) {
        GuestWaits made = new GuestWaits(choice);
        GuestWaits before;
        synchronized (nic) {
            before = waits;
            if (!closed) {
                waits = made;
            }
        }
        if (before != null) {
            before.close();
        }
        if (waits != made) {
            made.close();
            checkOpen();
        }
    }

    boolean hasEventSince(long token) {
        return ring.events() != token;
    }

    private boolean awaitAsGuest(long nanos, BooleanSupplier condition) {
        GuestWaits own = waits;
        return own == null ? engine.awaitAsGuest(nanos, condition) : engine.awaitAsGuest(own, nanos, condition);
    }

    /**
     * What waiting for this queue has cost since it was told how to ({@link #polling}); 0 as long as its waits are the
     * NIC's. Any thread.
     */
    public WaitStatistics waitStatistics() {
        GuestWaits own = waits;
        return own == null ? new WaitStatistics(0, 0, 0) : own.statistics();
    }

    /**
     * Waits for the requested event and takes it ({@code ibv_get_cq_event(3)}); it must be acknowledged. The engine
     * must be driven by another thread or by its own. An event may be spurious: there may be nothing to poll.
     *
     * @param token of {@link #requestNotify}
     * @param nanos most nanoseconds to wait, 0 only looks
     * @return whether the event was raised
     */
    public boolean awaitEvent(long token, long nanos) {
        checkOpen();
        boolean raised = hasEventSince(token) || awaitAsGuest(nanos, () -> hasEventSince(token));
        if (raised) {
            events.delivered();
        }
        return raised;
    }

    /**
     * Acknowledges events that {@link #awaitEvent} has delivered ({@code ibv_ack_cq_events(3)}), one or many at a time.
     * Any thread.
     *
     * @param count events, at least 0
     * @throws IllegalArgumentException if fewer have been delivered and not acknowledged
     */
    public void acknowledgeEvents(int count) {
        if (!events.acknowledge(count)) {
            throw new IllegalArgumentException("acknowledging " + count + " events of completion queue " + number()
                    + ", of which " + events.unacknowledged() + " are not acknowledged");
        }
    }

    /**
     * Waits until there is a completion; delivers no event. The engine must be driven by another thread or by its own.
     *
     * @param nanos most nanoseconds to wait
     * @return whether there is one
     */
    public boolean await(long nanos) {
        checkOpen();
        return awaitAsGuest(nanos, () -> !ring.isEmpty());
    }

    // ---- life ----------------------------------------------------------------------------------------------------

    CompletionRing ring() {
        return ring;
    }

    Engine engine() {
        return engine;
    }

    /** Throws if nothing can complete here any more; under the NIC's monitor. */
    void checkUsable() {
        checkOpen();
        if (hasOverrun()) {
            throw new IllegalStateException(this + " has overrun and is of no use any more");
        }
    }

    /** Adds a queue pair that completes here; under the NIC's monitor. */
    void use(int queuePair) {
        users.add(queuePair);
    }

    /** Removes a queue pair. */
    void leave(int queuePair) {
        users.remove((Integer) queuePair);
    }

    /** Whether it is closed. A plain read, exact on the thread that closes. */
    public boolean isClosed() {
        return closed;
    }

    /** Throws if it is closed. A plain read: a thread that races with {@link #close} may not be refused. */
    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("completion queue " + number() + " is closed");
        }
    }

    /**
     * Destroys it ({@code ibv_destroy_cq(3)}); what was not polled is lost. Waits a bounded time
     * ({@link NicContext#acknowledgeTimeoutNanos}) for its events, asynchronous ones and its own: a thread acknowledges
     * what it has taken before it closes. Idempotent.
     *
     * @throws IllegalStateException (EBUSY) if queue pairs still use it, or events are not acknowledged; nothing has
     *     changed
     */
    @Override
    public void close() {
        synchronized (nic) {
            if (closed) {
                return;
            }
            checkUnused();
        }
        nic.events().beginDestroy(Element.COMPLETION_QUEUE, number());
        boolean destroyed = false;
        try {
            awaitAcknowledgements();
            synchronized (nic) {
                if (!closed) {
                    checkUnused();
                    closed = true;
                    if (waits != null) {
                        waits.close();
                    }
                    nic.forget(this);
                }
                destroyed = true;
            }
        } finally {
            nic.events().endDestroy(Element.COMPLETION_QUEUE, number(), destroyed);
        }
    }

    private void checkUnused() {
        if (!users.isEmpty()) {
            throw new IllegalStateException(
                    "completion queue " + number() + " is busy (EBUSY): used by queue pairs " + users);
        }
    }

    private void awaitAcknowledgements() {
        int left = events.await(nic.acknowledgeTimeoutNanos(), nic::isClosing);
        if (left > 0 && !nic.isClosing()) {
            throw new IllegalStateException("completion queue " + number() + " is busy (EBUSY): " + left
                    + " completion events are not acknowledged");
        }
    }

    @Override
    public String toString() {
        return "completion queue " + number();
    }
}

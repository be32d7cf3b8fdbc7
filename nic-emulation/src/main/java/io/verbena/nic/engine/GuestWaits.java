package io.verbena.nic.engine;

import io.verbena.nic.poll.WaitCounters;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.port.PollStrategy.Waiting;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The waits of application threads that share one choice of how they wait: those of an engine, of one inbox, or of one
 * completion queue. It has as many seats as of them may stay awake at a time, each with a strategy; who finds none
 * sleeps at once.
 *
 * <p>Thread-safe. Taking a seat (acquire) and releasing it hand its strategy from thread to thread.
 */
public final class GuestWaits implements AutoCloseable {
    static final int NO_SEAT = -1;

    private final PollStrategy.Factory polling;
    private final AtomicReferenceArray<PollStrategy> strategies; // by seat; made when a seat is first taken
    private final AtomicLong taken = new AtomicLong(); // a bit a seat
    private final WaitCounters counters = new WaitCounters();
    private volatile boolean closed;

    /**
     * Creates them, and the first seat's strategy.
     *
     * @param polling makes the strategies
     * @throws IllegalArgumentException if fewer than 1 or more than 64 may stay awake
     */
    public GuestWaits(PollStrategy.Factory polling) {
        int seats = polling.maxAwake();
        if (seats < 1 || seats > Long.SIZE) {
            throw new IllegalArgumentException("maxAwake " + seats + " of " + polling + " outside 1.." + Long.SIZE);
        }
        this.polling = polling;
        this.strategies = new AtomicReferenceArray<>(seats);
        strategies.set(0, polling.create(Waiting.GUEST));
    }

    /** Takes a free seat. @return its number, or {@link #NO_SEAT} */
    int takeSeat() {
        for (int seat = 0; seat < strategies.length(); seat++) {
            if (takeSeat(seat)) {
                return seat;
            }
        }
        return NO_SEAT;
    }

    /** Takes that seat if it is free. */
    boolean takeSeat(int seat) {
        long bit = 1L << seat;
        long before = taken.get();
        while ((before & bit) == 0) {
            if (taken.compareAndSet(before, before | bit)) {
                return true;
            }
            before = taken.get();
        }
        return false;
    }

    /** By whoever has it. */
    void releaseSeat(int seat) {
        taken.addAndGet(-(1L << seat));
    }

    /** That of a seat, by whoever has it. */
    PollStrategy strategy(int seat) {
        PollStrategy known = strategies.getPlain(seat);
        if (known != null) {
            return known;
        }
        PollStrategy made = polling.create(Waiting.GUEST);
        strategies.set(seat, made);
        if (closed) {
            made.close();
        }
        return made;
    }

    WaitCounters counters() {
        return counters;
    }

    /** What these waits have cost. Any thread. */
    public WaitStatistics statistics() {
        return counters.statistics();
    }

    /** Lets go of what the strategies hold. Idempotent; any thread. */
    @Override
    public void close() {
        closed = true;
        for (int seat = 0; seat < strategies.length(); seat++) {
            PollStrategy strategy = strategies.get(seat);
            if (strategy != null) {
                strategy.close();
            }
        }
    }
}

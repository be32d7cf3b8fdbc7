package io.verbena.nic.poll;

import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.port.PollStrategy.Step;

/**
 * Polls one source by a scheme: RDMAbox' algorithm 3, whole.
 *
 * <pre>
 *   step: n = poll(batch)
 *         n &gt; 0 : the wait is over; a scheme that drains looks again, another one arms
 *         n = 0 : the strategy says LOOK, SPIN, YIELD, or SLEEP, and then it arms
 *   arm:  arm(); n = poll(batch); n &gt; 0 : looks again; n = 0 : blocks
 * </pre>
 *
 * <p>What comes after {@code arm} raises the event, and what came before is found by the look after it: no wake-up is
 * lost. (The paper's prototype arms and blocks, and loses those that come in between.)
 *
 * <p>It blocks nowhere itself: whoever drives it does on {@link Step#SLEEP}, until the source's event or for a time,
 * and says so by {@link #woken}. So it runs on a thread and on a simulated core.
 *
 * <p>For one thread.
 */
public final class PollLoop {
    /** What is polled. */
    public interface Source {
        /**
         * Takes entries.
         *
         * @param limit most entries, at least 1
         * @return entries taken, 0 if there were none
         */
        int poll(int limit);

        /** Asks for an event for what comes from now on. */
        void arm();
    }

    private final Source source;
    private final PollStrategy strategy;
    private final int batch;
    private final boolean drains;
    private final WaitCounters counters;
    private boolean waits;
    private boolean slept; // in the wait under way
    private long arms;

    /**
     * Creates a loop with a strategy of its own.
     *
     * @param polling the scheme
     * @param counters of empty looks, sleeps and wake-ups
     */
    public PollLoop(Source source, Polling polling, WaitCounters counters) {
        this.source = source;
        this.strategy = polling.create(PollStrategy.Waiting.GUEST);
        this.batch = polling.batch();
        this.drains = polling.drains();
        this.counters = counters;
    }

    /**
     * Looks once, or twice if it arms.
     *
     * @return what the caller does before the next step; on SLEEP it is armed, and blocks
     */
    public Step step() {
        if (source.poll(batch) > 0) {
            found();
            return drains ? Step.LOOK : arm();
        }
        counters.emptyLooks(1);
        if (!waits) {
            waits = true;
            slept = false;
            strategy.begin(PollStrategy.NO_DEADLINE);
        }
        Step step = strategy.idle();
        return step == Step.SLEEP ? arm() : step;
    }

    private Step arm() {
        arms++;
        source.arm();
        if (source.poll(batch) > 0) {
            found();
            return Step.LOOK;
        }
        counters.emptyLooks(1);
        if (!waits) { // armed behind a batch, and nothing was left
            waits = true;
            strategy.begin(PollStrategy.NO_DEADLINE);
            strategy.idle();
        }
        slept = true;
        counters.sleeps();
        return Step.SLEEP;
    }

    private void found() {
        if (!waits) {
            return;
        }
        waits = false;
        if (slept) {
            slept = false;
            strategy.slept(strategy.began(), true);
        } else {
            strategy.worked();
        }
    }

    /** The caller has blocked, and runs again. */
    public void woken() {
        counters.wakesUp();
    }

    /** How often it has armed. */
    public long arms() {
        return arms;
    }

    /** Lets go of what its strategy holds. Idempotent; after the last step. */
    public void close() {
        strategy.close();
    }
}

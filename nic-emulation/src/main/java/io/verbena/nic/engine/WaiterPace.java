package io.verbena.nic.engine;

import org.agrona.concurrent.NanoClock;

/**
 * In which of its turns an engine without socket links looks at its waiter, where connections are made and accepted. A
 * look may be a system call, and an engine that spins takes millions of turns a second: so one in
 * {@value #LOOK_INTERVAL_TURNS} looks. Where turns come slowly, because whoever takes them has other work or no core,
 * each of them looks: a connection that takes several looks is not to take hundreds of such turns.
 *
 * <p>Of the waiter's owner alone.
 */
final class WaiterPace {
    static final int LOOK_INTERVAL_TURNS = 64;
    private static final int CLOCK_INTERVAL_TURNS = 16;

    /** Longer than a turn takes of an engine that has little to do. */
    private static final long SLOW_NANOS = 50_000;

    private final NanoClock clock;
    private int turns; // since the clock was looked at
    private int interval = CLOCK_INTERVAL_TURNS; // from one look at the clock to the next
    private int quick; // turns since the last look, without those above
    private long lastClock;

    WaiterPace(NanoClock clock) {
        this.clock = clock;
        this.lastClock = clock.nanoTime();
    }

    /** A turn begins. @return whether it looks */
    boolean isDue() {
        if (++turns < interval) {
            return false;
        }
        long now = clock.nanoTime();
        boolean slow = now - lastClock > turns * SLOW_NANOS;
        lastClock = now;
        quick += turns;
        turns = 0;
        interval = slow ? 1 : CLOCK_INTERVAL_TURNS;
        if (slow || quick >= LOOK_INTERVAL_TURNS) {
            quick = 0;
            return true;
        }
        return false;
    }
}

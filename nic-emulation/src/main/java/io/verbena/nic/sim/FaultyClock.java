package io.verbena.nic.sim;

import org.agrona.concurrent.NanoClock;

/**
 * A clock that may fail where an engine's turn asks it for all its queue pairs: what nobody's request can bring about,
 * and nobody's alone could bear. Any thread.
 */
public final class FaultyClock implements NanoClock {
    private final NanoClock clock;
    private volatile boolean fails;

    /** Creates one that tells another's time. */
    public FaultyClock(NanoClock clock) {
        this.clock = clock;
    }

    /** What a turn meets; without a stack trace, which the engine would log. */
    public static final class Fault extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Fault() {
            super("a clock that fails, on purpose", null, true, false);
        }
    }

    /** Fails, once, with a {@link Fault}, when timers are looked at next. */
    public void fail() {
        fails = true;
    }

    @Override
    public long nanoTime() {
        if (fails && isForAll()) {
            fails = false;
            throw new Fault();
        }
        return clock.nanoTime();
    }

    /** Whether a turn asks, and no queue pair, command or packet in it. */
    private static boolean isForAll() {
        return StackWalker.getInstance()
                .walk(frames -> frames.skip(2) // of this class
                        .skip(2) // the turn's clock, and what asks it
                        .findFirst()
                        .filter(frame -> frame.getMethodName().equals("turn"))
                        .isPresent());
    }
}

package io.verbena.nic;

import org.agrona.concurrent.NanoClock;

/** A clock that may fail where an engine's turn asks it for all queue pairs, and no one of them does. Any thread. */
final class TurnFault implements NanoClock {
    private final NanoClock clock;
    private volatile boolean fails;

    TurnFault(NanoClock clock) {
        this.clock = clock;
    }

    /** Fails once, with an {@link ArithmeticException}, when timers are looked at next. */
    void fail() {
        fails = true;
    }

    @Override
    public long nanoTime() {
        if (fails && isForAll()) {
            fails = false;
            throw new ArithmeticException("a fault");
        }
        return clock.nanoTime();
    }

    private static boolean isForAll() {
        return StackWalker.getInstance()
                .walk(frames -> frames.skip(3) // this class's, and the turn's memory of the time
                        .findFirst()
                        .filter(frame -> frame.getMethodName().equals("turn"))
                        .isPresent());
    }
}

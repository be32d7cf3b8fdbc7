package io.verbena.bench.conformance;

import org.agrona.concurrent.NanoClock;

/**
 * A clock that may fail where an engine asks it on behalf of all its queue pairs: what nobody's request can bring about, and
 * nobody's alone could bear.
 */
final class FaultyClock implements NanoClock {
    private final NanoClock clock;
    private boolean fails;

    FaultyClock(NanoClock clock) {
        this.clock = clock;
    }

    /** What a turn meets; without a stack trace, which the engine would log. */
    static final class Fault extends IllegalStateException {
        private Fault() {
            super("a clock that fails, on purpose");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /** Fails, once, when timers are looked at next. */
    void fail() {
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
                        .skip(1) // the turn's own memory of the time
                        .findFirst()
                        .filter(frame -> frame.getMethodName().equals("turn"))
                        .isPresent());
    }
}

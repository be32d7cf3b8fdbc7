package io.verbena.merge;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Decides which of several threads drains a queue. Whoever has added something asks for a drain: it drains itself if
 * nobody is at it, else that thread looks once more. So what was added before the call is seen by a drain that begins
 * after it, and nobody waits.
 *
 * <p>Thread-safe. {@code pokes} counts the calls that the draining thread has not answered yet; who raises it from 0
 * has the baton. What one drain did happens before the next. A thread that has had {@value #MAX_ROUNDS} rounds lets go
 * with the rest undone, and so does one whose drain throws: {@link #isLeft} tells the others, of whom one must come.
 */
final class DrainBaton {
    static final int MAX_ROUNDS = 16;

    private final AtomicInteger pokes = new AtomicInteger();
    private volatile boolean left;

    /**
     * Drains, unless another thread is at it.
     *
     * @param round drains some; returns whether more can be drained at once
     * @param onLeft called if this thread lets go with something undone
     */
    void drain(BooleanSupplier round, Runnable onLeft) {
        if (pokes.getAndIncrement() == 0) {
            drainAll(round, onLeft);
        }
    }

    /**
     * Takes the baton without draining, so that what this thread adds from now on is drained together. It must come
     * back soon and {@link #release}.
     *
     * @return whether this thread has it; otherwise another one drains or holds it, and there is nothing to release
     */
    boolean hold() {
        return pokes.compareAndSet(0, 1);
    }

    /** Drains, by the thread that holds the baton. */
    void release(BooleanSupplier round, Runnable onLeft) {
        drainAll(round, onLeft);
    }

    private void drainAll(BooleanSupplier round, Runnable onLeft) {
        left = false;
        boolean done = false;
        try {
            int seen = 1;
            for (int rounds = 0; seen != 0 && rounds < MAX_ROUNDS; rounds++) {
                if (!round.getAsBoolean()) {
                    seen = pokes.addAndGet(-seen);
                }
            }
            done = seen == 0;
        } finally {
            if (!done) {
                left = true; // first: who pokes until the baton is free does not come back
                pokes.set(0);
                onLeft.run();
            }
        }
    }

    /** For who drains: something cannot be drained now, and nothing else will tell when it can. */
    void leave() {
        left = true;
    }

    /** Whether something was left for another thread to drain. */
    boolean isLeft() {
        return left;
    }
}

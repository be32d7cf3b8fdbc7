package io.verbena.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * A thread's right to enter a {@link SingleThreadGuard} by plain stores. Of one thread for good, so that a store that
 * comes late touches nobody else's. The first that a guard gives is the guard itself: it lies where the rest does that
 * a message needs. It keeps that thread's object for as long as it lives itself.
 */
class Bias {
    @Nullable
    Thread thread; // written once, before the bias is given

    volatile int inside;

    volatile int active;

    /** Gives it to a thread that is inside. */
    final Bias to(Thread owner) {
        thread = owner;
        inside = 1;
        active = 1;
        return this;
    }
}

package io.verbena.nic.engine;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The threads that are in application code which an engine has called. Mostly there is one that ever is, the engine's
 * owner; where nobody owns the waiter several threads may be at a time, each in a callback of its own.
 *
 * <p>Concurrency: any thread, for itself.
 */
final class CallbackThreads {
    /** Beyond so many at a time a thread is not known to be in a callback. */
    private static final int MAX = 16;

    private final AtomicReferenceArray<Thread> threads = new AtomicReferenceArray<>(MAX);
    private volatile int used; // places that have ever been taken

    /** The calling thread enters; false if it is within one already. */
    boolean enter() {
        Thread current = Thread.currentThread();
        if (isInside()) {
            return false;
        }
        for (int i = 0; i < MAX; i++) {
            if (threads.getPlain(i) == null && threads.compareAndSet(i, null, current)) {
                if (i >= used) {
                    raise(i + 1);
                }
                return true;
            }
        }
        return false;
    }

    private synchronized void raise(int places) {
        used = Math.max(used, places);
    }

    /** The calling thread, which has entered, leaves. */
    void leave() {
        Thread current = Thread.currentThread();
        for (int i = 0; i < used; i++) {
            if (threads.getPlain(i) == current) {
                threads.setRelease(i, null);
                return;
            }
        }
    }

    /** Whether the calling thread is inside: only it puts itself there. */
    boolean isInside() {
        Thread current = Thread.currentThread();
        for (int i = 0; i < used; i++) {
            if (threads.getPlain(i) == current) {
                return true;
            }
        }
        return false;
    }
}

package io.verbena.redis;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory that the commands queued between MULTI and EXEC take, of all connections together: a bound, for it lies on the
 * heap. Any thread.
 */
final class QueueMemory {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    QueueMemory(long limit) {
        this.limit = limit;
    }

    /** Most bytes. */
    long limit() {
        return limit;
    }

    /** Bytes reserved now. */
    long used() {
        return used.get();
    }

    /** Reserves bytes; false if they would exceed the limit. */
    boolean reserve(long bytes) {
        if (used.addAndGet(bytes) <= limit) {
            return true;
        }
        used.addAndGet(-bytes);
        return false;
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }
}

package io.verbena.nic.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rings change their size under both their sides; the lock stands for the engine's baton. */
@Timeout(180)
class ResizeConcurrencyTest {
    private static final int ENTRIES = 30_000;

    private final ReentrantLock baton = new ReentrantLock();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicBoolean done = new AtomicBoolean();

    private Thread start(Runnable body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private boolean goesOn() {
        return failure.get() == null && !done.get();
    }

    private void pollAndResize(CompletionRing ring, AtomicLong released) {
        int resizes = 0;
        for (long next = 0; next < ENTRIES && failure.get() == null; ) {
            int batch = 0;
            for (int slot = ring.front(); slot >= 0 && batch < 7; slot = ring.front()) {
                long wrId = ring.buffer().getLong(slot + CqeDescriptor.WR_ID);
                int qp = ring.buffer().getInt(slot + CqeDescriptor.QP_NUMBER);
                if (wrId != next || qp != (int) next) {
                    throw new AssertionError("entry " + wrId + " of " + qp + ", expected " + next);
                }
                next++;
                batch++;
                ring.pop();
            }
            ring.release();
            released.set(next);
            if (batch == 0) {
                Thread.yield();
            }
            if (next / 100 > resizes) {
                resizes++;
                baton.lock();
                try {
                    ring.resize(16 << resizes % 5);
                } finally {
                    baton.unlock();
                }
            }
        }
        done.set(true);
    }

    @Test
    void aCompletionRingIsResizedByItsPoller() throws InterruptedException {
        CompletionRing ring = new CompletionRing(1, 16);
        long[] offered = new long[1]; // under the baton
        AtomicLong released = new AtomicLong();
        Thread engine = start(() -> {
            while (goesOn() && offered[0] < ENTRIES) {
                baton.lock();
                try {
                    for (int i = 0; i < 5 && offered[0] < ENTRIES && offered[0] - released.get() < 16; i++) {
                        if (!ring.offer(offered[0], 0, 1, 2, (int) offered[0], 4, 5, 6, 7)) {
                            throw new AssertionError("overrun with at most 16 entries of " + ring.capacity());
                        }
                        offered[0]++;
                    }
                } finally {
                    baton.unlock();
                }
                Thread.yield();
            }
        });
        Thread watcher = start(() -> {
            while (goesOn()) {
                ring.isEmpty(); // whatever it says, it does not fail
                Thread.yield();
            }
        });
        Thread poller = start(() -> pollAndResize(ring, released));
        poller.join();
        done.set(true);
        engine.join();
        watcher.join();
        assertThat(failure.get()).isNull();
        assertThat(offered[0]).isEqualTo(ENTRIES);
        assertThat(ring.hasOverrun()).isFalse();
    }

    @Test
    void aReceiveRingIsResizedByItsPoster() throws InterruptedException {
        ReceiveRing ring = new ReceiveRing(16, 2, 1);
        Thread engine = start(() -> {
            for (long next = 0; next < ENTRIES && failure.get() == null; ) {
                baton.lock();
                try {
                    for (int i = 0; i < 5; i++) {
                        int slot = ring.front();
                        if (slot < 0) {
                            break;
                        }
                        long wrId = ring.buffer().getLong(slot + ReceiveWqeDescriptor.WR_ID);
                        if (wrId != next) {
                            throw new AssertionError("request " + wrId + ", expected " + next);
                        }
                        next++;
                        ring.pop();
                    }
                } finally {
                    baton.unlock();
                }
                Thread.yield();
            }
            done.set(true);
        });
        Thread poster = start(() -> {
            int resizes = 0;
            for (long next = 0; next < ENTRIES && goesOn(); ) {
                int slot = ring.claim();
                if (slot >= 0) {
                    ring.buffer().putLong(slot + ReceiveWqeDescriptor.WR_ID, next++);
                    ring.publish();
                } else {
                    Thread.yield();
                }
                if (next / 100 > resizes) {
                    resizes++;
                    baton.lock();
                    try {
                        ring.resize(Math.max(16 << resizes % 5, ring.size()));
                    } finally {
                        baton.unlock();
                    }
                }
            }
        });
        engine.join();
        poster.join();
        assertThat(failure.get()).isNull();
        assertThat(ring.size()).isZero();
    }
}

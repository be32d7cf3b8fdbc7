package io.verbena.papers.model;

import io.verbena.bench.cores.CorePair;
import io.verbena.nic.queue.SendRing;
import io.verbena.verification.RunException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A send ring that threads post into behind a lock, as those do that share a queue pair. */
final class LockedRing {
    /** Lines that an owner uses besides the lock's: what the poster has produced, what is published, and a slot. */
    static final int DATA_LINES = 3;

    private static final int CAPACITY = 256;
    private static final int SLOT_LONGS = 8;
    private static final int LOOK = 256;

    private final SendRing ring = new SendRing(CAPACITY, 1, 0);
    private final CorePair cores;
    private final long spanNanos;
    private volatile @Nullable Throwable failure;

    LockedRing(CorePair cores, long spanNanos) {
        this.cores = cores;
        this.spanNanos = spanNanos;
    }

    /** Nanoseconds from one post to the next of one thread or two, behind a lock that spins or one that sleeps. */
    double nanos(int threads, boolean spins) {
        Lock lock = new ReentrantLock();
        AtomicBoolean held = new AtomicBoolean();
        long[] posts = new long[threads];
        long[] spans = new long[threads];
        Thread[] posters = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int own = i;
            posters[i] = new Thread(
                    () -> {
                        if (own == 0) {
                            cores.pinNear();
                        } else {
                            cores.pinFar();
                        }
                        run(spins, lock, held); // warms up
                        long begin = System.nanoTime();
                        posts[own] = run(spins, lock, held);
                        spans[own] = System.nanoTime() - begin;
                    },
                    "poster-" + i);
            posters[i].setDaemon(true);
            posters[i].setUncaughtExceptionHandler((who, thrown) -> failure = thrown);
            posters[i].start();
        }
        double rate = 0;
        for (int i = 0; i < threads; i++) {
            join(posters[i]);
            rate += (double) posts[i] / spans[i];
        }
        return 1 / rate;
    }

    private void join(Thread thread) {
        try {
            thread.join(60_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Throwable thrown = failure;
        if (thrown != null || thread.isAlive()) {
            throw new RunException(thread.getName() + (thrown == null ? " does not end" : ": " + thrown), thrown);
        }
    }

    private long run(boolean spins, Lock lock, AtomicBoolean held) {
        long end = System.nanoTime() + spanNanos;
        long posts = 0;
        while (System.nanoTime() - end < 0) {
            for (int i = 0; i < LOOK; i++) {
                if (spins) {
                    while (held.getAcquire() || !held.compareAndSet(false, true)) {
                        Thread.onSpinWait();
                    }
                    post();
                    held.setRelease(false);
                } else {
                    lock.lock();
                    try {
                        post();
                    } finally {
                        lock.unlock();
                    }
                }
            }
            posts += LOOK;
        }
        return posts;
    }

    /** Posts; where the ring is full the owner first takes what is in it, as the NIC would. */
    private void post() {
        int slot = ring.claim();
        if (slot < 0) {
            while (ring.hasNext()) {
                ring.advanceNext();
                ring.advanceHead();
            }
            ring.releaseConsumed();
            slot = ring.claim();
        }
        for (int i = 0; i < SLOT_LONGS; i++) {
            ring.buffer().putLong(slot + i * Long.BYTES, i);
        }
        ring.posted();
        ring.publish();
    }
}

package io.verbena;

import io.verbena.nic.engine.Engine;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches over a node's callbacks. One that holds the node's thread for longer than the bound is logged and counted, and where
 * other tenants have callbacks too they do not wait for it: while it runs, this thread does the turns of the engine, but for
 * sockets, and all other tenants' callbacks move to threads of theirs. The node's thread leaves the batch after the message that it
 * has, the others' callbacks come back, and the slow tenant's stay on their own thread for a while, longer each time.
 *
 * <p>The node's sockets are bound to its thread: what comes by them waits for the message that was slow, once each time that its
 * tenant's callbacks have come back.
 */
final class CallbackWatch implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackWatch.class);
    private static final int LOOKS_A_BOUND = 4;
    private static final long DRIVE_PAUSE = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long JOIN_MILLIS = 1_000;

    private final Turns turns;
    private final Engine engine;
    private final long boundNanos;
    private final boolean mayMove;
    private final Map<Tenant, TenantThread> threads = new HashMap<>(); // under this
    private volatile boolean moved; // some callbacks are away
    private volatile boolean ended;
    private @Nullable Thread thread; // under this

    /** Creates a watch; {@link #start} lets it look. */
    CallbackWatch(Turns turns, Engine engine, long boundNanos, boolean mayMove) {
        this.turns = turns;
        this.engine = engine;
        this.boundNanos = boundNanos;
        this.mayMove = mayMove;
    }

    /** There is a callback to watch. Any thread; idempotent. */
    synchronized void start() {
        if (thread == null && !ended && boundNanos > 0) {
            Thread watcher = new Thread(this, "verbena-watch");
            watcher.setDaemon(true);
            thread = watcher;
            watcher.start();
        }
    }

    @Override
    public void run() {
        while (!ended) {
            LockSupport.parkNanos(this, boundNanos / LOOKS_A_BOUND);
            try {
                for (Inbox inbox : turns.callbacks()) {
                    if (inbox.meter().look()) {
                        slow(inbox);
                    }
                }
            } catch (RuntimeException | Error e) {
                LOG.error("the watch over a node's callbacks met an error and goes on", e);
            }
        }
    }

    private void slow(Inbox inbox) {
        inbox.meter().slow(inbox, boundNanos);
        inbox.tenant().countSlowCallback();
        if (!mayMove || !turns.isShared()) {
            return;
        }
        long batch = inbox.meter().now();
        boolean isAway = inbox.isDisplaced();
        synchronized (this) {
            long now = System.nanoTime();
            threadOf(inbox.tenant()).penalize(now, !isAway);
            if (!isAway) {
                moved = true;
                for (Inbox each : turns.callbacks()) {
                    threadOf(each.tenant()).take(each, turns, now);
                }
            }
        }
        if (!isAway) {
            drive(inbox.meter(), batch);
        }
    }

    private TenantThread threadOf(Tenant tenant) {
        return threads.computeIfAbsent(tenant, TenantThread::new);
    }

    /** Does the node's work, but for sockets, until its thread has left a batch. */
    private void drive(CallbackMeter meter, long batch) {
        while (!ended && meter.now() == batch) {
            int work = engine.progress();
            synchronized (this) {
                long now = System.nanoTime();
                for (TenantThread each : threads.values()) {
                    work += each.doWork(now);
                }
            }
            if (work == 0) {
                LockSupport.parkNanos(this, DRIVE_PAUSE);
            }
        }
    }

    /** Takes callbacks back that were moved. By the node's thread, before it runs callbacks. */
    void takeBack(long now) {
        if (moved) {
            synchronized (this) {
                boolean none = true;
                for (TenantThread each : threads.values()) {
                    none &= each.giveBack(turns, now);
                }
                moved = !none;
            }
        }
    }

    /** Looks and drives no more. */
    void end() {
        Thread watcher;
        synchronized (this) {
            ended = true;
            watcher = thread;
        }
        if (watcher != null) {
            LockSupport.unpark(watcher);
            try {
                watcher.join(JOIN_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

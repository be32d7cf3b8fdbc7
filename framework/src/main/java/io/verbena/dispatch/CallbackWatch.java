package io.verbena.dispatch;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.port.LogRateLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches over a node's callbacks. One that holds its thread for longer than the bound is logged and counted. If that
 * is the node's thread, this one does the engine's turns for as long but reads no sockets, and where other tenants have
 * callbacks too, all callbacks move to threads of their tenants' own. The node's thread leaves the batch after the
 * message that it has, the others' callbacks come back, and the slow tenant's stay away for a while, longer each time.
 *
 * <p>The node's sockets are bound to its thread: what comes by them waits for the message that was slow, once each time
 * that its tenant's callbacks have come back.
 */
final class CallbackWatch implements DutyCycleAgent, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackWatch.class);
    private static final int LOOKS_PER_BOUND = 4;
    private static final long MIN_PAUSE = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long MAX_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long JOIN_MILLIS = 1_000;

    private final String node;
    private final Turns turns;
    private final Engine engine;
    private final NanoClock clock;
    private final long boundNanos;
    private final long lookNanos;
    private final BooleanSupplier mayMove;
    private final List<TenantCallbacks> away = new ArrayList<>(); // under this
    private final LogRateLimiter failures = new LogRateLimiter();
    private volatile boolean moved; // some are away
    private volatile boolean ended;
    private @Nullable Thread thread; // under this

    // The watch's own thread's: what holds the node's, and the number of its batch.
    private @Nullable CallbackMeter holder;
    private long batch;

    /**
     * Creates a watch; {@link #start} lets it look.
     *
     * @param node whose callbacks they are, for texts
     * @param boundNanos 0: it never looks
     * @param mayMove whether other threads may do the node's work
     */
    CallbackWatch(String node, Turns turns, Engine engine, NanoClock clock, long boundNanos, BooleanSupplier mayMove) {
        this.node = node;
        this.turns = turns;
        this.engine = engine;
        this.clock = clock;
        this.boundNanos = boundNanos;
        this.lookNanos = boundNanos / LOOKS_PER_BOUND;
        this.mayMove = mayMove;
    }

    /** There is a callback to watch. Any thread; idempotent. */
    synchronized void start() {
        if (thread == null && !ended && boundNanos > 0) {
            Thread watcher = new Thread(this, "verbena-watch-" + node);
            watcher.setDaemon(true);
            thread = watcher;
            watcher.start();
        }
    }

    @Override
    public void run() {
        long nextLook = clock.nanoTime() + lookNanos;
        long pause = lookNanos;
        while (!ended) {
            LockSupport.parkNanos(this, pause);
            try {
                long now = clock.nanoTime();
                if (now - nextLook >= 0) {
                    nextLook = now + lookNanos;
                    look(now);
                }
                if (holdsNode()) {
                    pause = drive(now) > 0 || pause > MAX_PAUSE ? MIN_PAUSE : Math.min(2 * pause, MAX_PAUSE);
                } else {
                    holder = null;
                    pause = lookNanos;
                }
            } catch (RuntimeException | Error e) {
                long leftOut = failures.ask(clock.nanoTime());
                if (leftOut >= 0) {
                    LOG.error(
                            "node '{}': the watch over callbacks met an error and goes on; {} such lines left out",
                            node,
                            leftOut,
                            e);
                }
            }
        }
    }

    private void look(long now) {
        for (TenantCallbacks callbacks : turns.callbacks()) {
            if (callbacks.meter().look()) {
                sendSlowAway(callbacks, now);
                callbacks.slow(boundNanos);
            }
        }
        if (holdsNode() && isShared()) { // in each look: there may be new ones
            synchronized (this) {
                for (TenantCallbacks callbacks : turns.callbacks()) {
                    sendAway(callbacks, now);
                }
            }
        }
    }

    private synchronized void sendSlowAway(TenantCallbacks callbacks, long now) {
        if (!mayMove.getAsBoolean()) {
            return;
        }
        CallbackMeter meter = callbacks.meter();
        long state = meter.state();
        if (CallbackMeter.runsOnNode(state)) {
            holder = meter;
            batch = state;
        }
        if (isShared()) {
            callbacks.penalize(now);
            sendAway(callbacks, now); // even if it has just returned
        }
    }

    private void sendAway(TenantCallbacks callbacks, long now) {
        if (callbacks.sendAway(now)) {
            away.add(callbacks);
            moved = true;
        }
    }

    private boolean isShared() {
        return turns.callbacks().length > 1;
    }

    /** Whether the callback that was slow still holds the node's thread. */
    private boolean holdsNode() {
        CallbackMeter meter = holder;
        return meter != null && meter.state() == batch;
    }

    /** Does the node's work, but for what comes by sockets and what calls the application. */
    private int drive(long now) {
        return engine.progress() + turns.handOver(now) + turns.doAgentsWork(now) + dispatch(now);
    }

    private synchronized int dispatch(long now) {
        int work = 0;
        for (TenantCallbacks each : away) {
            work += each.dispatch(now);
        }
        return work;
    }

    /**
     * Takes callbacks back, or has their own threads run those that are away. By the node's thread, before it runs
     * callbacks.
     */
    @Override
    public int doWork(long now) {
        if (!moved) {
            return 0;
        }
        synchronized (this) {
            boolean atOnce = !mayMove.getAsBoolean(); // the event loop has been lent meanwhile
            away.removeIf(each -> each.takeBack(now, atOnce));
            moved = !away.isEmpty();
            return dispatch(now);
        }
    }

    /** When callbacks that are away need the node's thread, to be handed on. By that. */
    @Override
    public long nextDeadline() {
        long next = NEVER;
        if (moved) {
            synchronized (this) {
                for (TenantCallbacks each : away) {
                    next = Math.min(next, each.nextDeadline());
                }
            }
        }
        return next;
    }

    /**
     * The node has ended: callbacks that are away end too.
     *
     * @return whether none of them runs
     */
    synchronized boolean endAway() {
        boolean ended = true;
        for (TenantCallbacks each : away) {
            ended &= each.end();
        }
        return ended;
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

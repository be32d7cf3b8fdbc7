package io.verbena.dispatch;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.port.LogRateLimiter;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callbacks of one tenant that its node runs: handlers of inboxes, ends of calls and of operations, and who waits
 * for room. One thread at a time runs them: the node's, or one of the tenant's own while they are
 * {@linkplain #isAway away}. Whoever runs them has entered; nobody waits for that.
 *
 * <pre>
 *   node's thread   enter, handler .......................... leave              takes back, enter, handler, leave
 *   guard                        sees that it is slow, sends away                ^
 *   own thread                                                     enter, handlers, leave
 * </pre>
 *
 * <p>{@link #enter}, {@link #leave} and the questions are for any thread. {@link #sendAway}, {@link #takeBack} and
 * {@link #dispatch} are called under the lock of {@link CallbackWatch}.
 */
public final class TenantCallbacks implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(TenantCallbacks.class);
    private static final int ROUNDS = 16;
    private static final long FIRST_PENALTY = TimeUnit.SECONDS.toNanos(10);
    private static final long MAX_PENALTY = TimeUnit.HOURS.toNanos(1);
    private static final long IDLE_SECONDS = 10;

    private final Turns turns;
    private final Engine engine;
    private final NanoClock clock;
    private final String tenant;
    private final IntSupplier weight;
    private final CallbackMeter meter = new CallbackMeter();
    private final BooleanSupplier look = () -> !isBusy() && hasWork();
    private final AtomicBoolean busy = new AtomicBoolean(); // something is given to the own thread
    private final AtomicLong slow = new AtomicLong();
    private final LogRateLimiter slowness = new LogRateLimiter();
    private final LogRateLimiter failures = new LogRateLimiter();
    private volatile boolean away;
    private volatile boolean ended;

    // Under the lock of the watch.
    private @Nullable ThreadPoolExecutor executor; // while they are away
    private long penalty;
    private long returnAt;

    /**
     * Creates them.
     *
     * @param turns of the node that runs them
     * @param tenant whose they are, for texts
     * @param weight its present one, among the tenants of the node
     */
    public TenantCallbacks(Turns turns, Engine engine, NanoClock clock, String tenant, IntSupplier weight) {
        this.turns = turns;
        this.engine = engine;
        this.clock = clock;
        this.returnAt = clock.nanoTime();
        this.tenant = tenant;
        this.weight = weight;
    }

    int weight() {
        return weight.getAsInt();
    }

    /**
     * Begins to run callbacks.
     *
     * @param what has them, for the log
     * @param onNode whether the caller is the node's thread
     * @return false if a thread runs some already, this one included
     */
    public boolean enter(Object what, boolean onNode) {
        return meter.tryBegin(what, onNode);
    }

    /** Has run callbacks. By the thread that has entered. */
    public void leave() {
        meter.end();
    }

    /** Whether the tenant's own thread runs them. */
    public boolean isAway() {
        return away;
    }

    /** Whether the own thread cannot take anything now. */
    private boolean isBusy() {
        return busy.get() || CallbackMeter.runs(meter.state());
    }

    CallbackMeter meter() {
        return meter;
    }

    /** How often they were slow. */
    public long slowCount() {
        return slow.get();
    }

    /** One of them is slow. By the watch, without its lock: a log may block. */
    void slow(long boundNanos) {
        slow.incrementAndGet();
        if (slowness.ask(clock.nanoTime()) >= 0) {
            LOG.warn(
                    "a callback of {} (tenant '{}') holds its thread for more than {} "
                            + "ms; so far {} of this tenant's have;"
                            + " what blocks is for onMessage(handler, executor)",
                    meter.what(),
                    tenant,
                    TimeUnit.NANOSECONDS.toMillis(boundNanos) / 2,
                    slow.get());
        }
    }

    /**
     * One of them has thrown. The log tells that, now and then. Any thread.
     *
     * @param what has it
     * @param consequence what becomes of what it was called for
     */
    public void failed(Object what, String consequence, Throwable cause) {
        long leftOut = failures.ask(clock.nanoTime());
        if (leftOut >= 0) {
            LOG.error("a handler of {} failed; {}; {} such lines left out", what, consequence, leftOut, cause);
        }
    }

    // ---- away -------------------------------------------------------------------------------------------------------

    /** They stay away for a while, longer each time that they have to go. */
    void penalize(long now) {
        if (!away || penalty == 0) { // slow for the first time while others had sent them away
            penalty = penalty == 0 ? FIRST_PENALTY : Math.min(2 * penalty, MAX_PENALTY);
        }
        returnAt = now + penalty;
    }

    /**
     * From now on the tenant's own thread runs them. A batch that is under way on the node's ends with its present
     * message.
     *
     * @return whether they have not been away
     */
    boolean sendAway(long now) {
        if (away || ended) {
            return false;
        }
        ThreadPoolExecutor own = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> new CallbackThread(turns, task, "verbena-callbacks-" + tenant));
        own.allowCoreThreadTimeOut(true);
        executor = own;
        if (returnAt - now < 0) {
            returnAt = now;
        }
        away = true;
        turns.await(look);
        return true;
    }

    /**
     * The node's thread runs them again, if it is time and none of them runs. By that.
     *
     * @param atOnce whether it is time, whatever the clock says
     * @return whether they are back
     */
    boolean takeBack(long now, boolean atOnce) {
        if ((!atOnce && now - returnAt < 0) || !busy.compareAndSet(false, true)) {
            return false;
        }
        away = false;
        busy.set(false);
        endOwn();
        turns.forget(look);
        return true;
    }

    /** Has the own thread run what there is. @return the amount of work found */
    int dispatch(long now) {
        ThreadPoolExecutor own = executor;
        if (ended || own == null || isBusy() || !(hasWork() || isDue(now)) || !busy.compareAndSet(false, true)) {
            return 0;
        }
        boolean given = false;
        try {
            own.execute(this);
            given = true;
        } finally {
            if (!given) {
                busy.set(false); // there is no memory for a thread, say: another time
            }
        }
        return 1;
    }

    private boolean isDue(long now) {
        long deadline = nextDeadline();
        return deadline != Long.MAX_VALUE && now - deadline >= 0;
    }

    private boolean hasWork() {
        return turns.hasCallbacks(this);
    }

    /** When the own thread is needed at the latest. */
    long nextDeadline() {
        return isBusy() ? Long.MAX_VALUE : turns.nextDeadline(this);
    }

    @Override
    public void run() {
        try {
            for (int i = 0; i < ROUNDS && away && !ended && turns.callBack(this) > 0; i++) {}
        } finally {
            busy.set(false);
            engine.wake();
        }
    }

    /** The node ends: nothing begins any more, and the own thread goes. @return whether nothing runs there */
    boolean end() {
        ended = true;
        endOwn();
        return !busy.get();
    }

    private void endOwn() {
        ThreadPoolExecutor own = executor;
        executor = null;
        if (own != null) {
            own.shutdown(); // when it has done what it has
        }
    }
}

package io.verbena.dispatch;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.engine.EngineAgent;
import io.verbena.nic.port.LogRateLimiter;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does after each turn of its engine, on the same thread: connections, commands, callbacks and tasks. All
 * code of the application that the node runs, runs here.
 *
 * <p>One thread at a time does a turn: the engine's own, or in the mode INVOKER the application's. The rest is
 * thread-safe.
 */
public final class Turns implements EngineAgent {
    private static final Logger LOG = LoggerFactory.getLogger(Turns.class);
    private static final long LAST_TURN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LAST_TURN_LOOK = TimeUnit.MICROSECONDS.toNanos(100);
    private static final int COMMANDS_PER_TURN = 256;
    private static final CallbackSource[] NO_SOURCES = {};
    private static final TurnTask[] NO_TASKS = {};
    private static final TenantCallbacks[] NO_CALLBACKS = {};

    private final String node;
    private final Engine engine;
    private final NanoClock clock;
    private final int callbackBatch;
    private final DutyCycleAgent connections;
    private final BooleanSupplier closing;
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean inTurn = new AtomicBoolean();
    private final CallbackWatch watch;
    private final CallbackTurns<CallbackSource, TenantCallbacks> callbackTurns;
    private final Retries retries;
    private final LogRateLimiter failures = new LogRateLimiter();
    private volatile CallbackSource[] sources = NO_SOURCES;
    private volatile TurnTask[] tasks = NO_TASKS;
    private volatile TenantCallbacks[] callbacks = NO_CALLBACKS; // those of either
    private final AtomicBoolean inAgent = new AtomicBoolean();
    private @Nullable DutyCycleAgent agent; // set before the first turn
    private @Nullable Thread thread; // in a turn; others only compare it with themselves
    private volatile boolean ended;

    /**
     * Creates them.
     *
     * @param node whose they are, for texts
     * @param clock the engine's: what is done in a turn runs by it
     * @param connections are looked after first in each turn
     * @param closing whether the node closes
     * @param callbackBoundNanos how long one tenant's callbacks may hold up those of another; 0: nobody looks
     * @param mayMoveCallbacks whether other threads may do the node's work
     * @param callbackBatch messages that a callback gets in a turn, unless its inbox says otherwise
     */
    public Turns(
            String node,
            Engine engine,
            NanoClock clock,
            DutyCycleAgent connections,
            BooleanSupplier closing,
            long callbackBoundNanos,
            BooleanSupplier mayMoveCallbacks,
            int callbackBatch) {
        this.callbackBatch = callbackBatch;
        this.node = node;
        this.retries = new Retries(node);
        this.engine = engine;
        this.clock = clock;
        this.connections = connections;
        this.closing = closing;
        this.watch = new CallbackWatch(node, this, engine, clock, callbackBoundNanos, mayMoveCallbacks);
        this.callbackTurns = new CallbackTurns<>(
                CallbackSource::callbacks,
                TenantCallbacks::weight,
                CallbackSource::hasWorkForNode,
                this::callBack,
                clock::nanoTime);
    }

    /** Messages that a callback gets in a turn, unless its inbox says otherwise. */
    public int callbackBatch() {
        return callbackBatch;
    }

    /** Has something else done in each turn, by one thread at a time. Before the first turn. */
    public void agent(DutyCycleAgent other) {
        agent = other;
    }

    /** Runs something in the next turn. */
    public void run(Runnable command) {
        commands.add(command);
        engine.wake();
    }

    /** Tries something in each turn until it says that it is done. Any thread. */
    public void retry(BooleanSupplier attempt) {
        retries.add(attempt);
        engine.wake();
    }

    /** Adds something whose callback runs in each turn. */
    public synchronized void add(CallbackSource source) {
        CallbackSource[] now = Arrays.copyOf(sources, sources.length + 1);
        now[now.length - 1] = source;
        sources = now;
        listCallbacks();
        await(source.callbackCheck());
    }

    private void listCallbacks() {
        callbacks = Stream.concat(
                        Arrays.stream(sources).map(CallbackSource::callbacks),
                        Arrays.stream(tasks).map(TurnTask::callbacks).filter(Objects::nonNull))
                .distinct()
                .toArray(TenantCallbacks[]::new);
        if (callbacks.length > 0) {
            watch.start();
        }
    }

    /** Those of each tenant that has some; not to be changed. */
    TenantCallbacks[] callbacks() {
        return callbacks;
    }

    /** Its callback runs no more, and nobody looks at it before the node sleeps. */
    public synchronized void remove(CallbackSource source) {
        engine.removeParkCheck(source.parkCheck());
        engine.removeParkCheck(source.callbackCheck());
        sources = Arrays.stream(sources).filter(each -> each != source).toArray(CallbackSource[]::new);
        listCallbacks();
    }

    /** Adds something that is done in each turn, and a look at whether it has something to do. */
    public synchronized void add(TurnTask task, BooleanSupplier hasWork) {
        TurnTask[] now = Arrays.copyOf(tasks, tasks.length + 1);
        now[now.length - 1] = task;
        tasks = now;
        listCallbacks();
        await(hasWork);
    }

    /** It is done no more. */
    public synchronized void remove(TurnTask task, BooleanSupplier hasWork) {
        engine.removeParkCheck(hasWork);
        tasks = Arrays.stream(tasks).filter(t -> t != task).toArray(TurnTask[]::new);
        listCallbacks();
    }

    /** The owner looks at something before it blocks, until it is to {@link #forget}. */
    public void await(BooleanSupplier hasWork) {
        engine.removeParkCheck(hasWork); // once, however often it was added
        engine.addParkCheck(hasWork);
        engine.wake();
    }

    /** The owner need not look at something any more before it blocks. */
    public void forget(BooleanSupplier hasWork) {
        engine.removeParkCheck(hasWork);
    }

    /** Whether the caller is within a turn. */
    public boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    /** Whether a turn would find something without waiting, callbacks and tasks aside. */
    @Override
    public boolean hasWork() {
        return connections.hasWork() || !commands.isEmpty() || retries.hasWork() || closing.getAsBoolean();
    }

    @Override
    public int doWork() {
        if (ended || inTurn.getPlain() || !inTurn.compareAndSet(false, true)) {
            return 0;
        }
        thread = Thread.currentThread();
        boolean entered = engine.enterCallback();
        try {
            if (ended) {
                return 0;
            }
            long now = clock.nanoTime();
            int work = connections.doWork(now);
            work += runCommands(COMMANDS_PER_TURN) + retries.doWork(now);
            work += watch.doWork(now);
            work += doAgentsWork(now);
            work += callbackTurns.run(sources);
            for (TurnTask task : tasks) {
                TenantCallbacks those = task.callbacks();
                if (those == null) {
                    work += task.doWork(now);
                } else if (!those.isAway()) {
                    work += callBack(task, those, now, true);
                }
            }
            return work;
        } finally {
            if (entered) {
                engine.leaveCallback();
            }
            thread = null;
            inTurn.setRelease(false);
        }
    }

    /**
     * The work of {@link #agent} alone: for a node that closes and calls nobody back any more, and while a callback
     * holds the node's thread. Any thread; nothing while another is at it.
     */
    public int doAgentsWork(long now) {
        DutyCycleAgent other = agent;
        if (other == null || !inAgent.compareAndSet(false, true)) {
            return 0;
        }
        try {
            return other.doWork(now);
        } finally {
            inAgent.set(false);
        }
    }

    private int runCommands(int limit) {
        int count = 0;
        while (count < limit) {
            Runnable command = commands.poll();
            if (command == null) {
                break;
            }
            count++;
            try {
                command.run();
            } catch (RuntimeException | Error e) {
                long leftOut = failures.ask(clock.nanoTime());
                if (leftOut >= 0) {
                    LOG.error("node '{}': a task failed; {} such lines left out", node, leftOut, e);
                }
            }
        }
        return count;
    }

    // ---- callbacks --------------------------------------------------------------------------------------------------

    private int callBack(CallbackSource source) {
        return source.callbacks().isAway() ? 0 : callBack(source, true);
    }

    private static int callBack(CallbackSource source, boolean onNode) {
        TenantCallbacks callbacks = source.callbacks();
        if (!callbacks.enter(source, onNode)) {
            return 0;
        }
        try {
            return source.callBack();
        } catch (RuntimeException | Error e) {
            callbacks.failed(source, "its message counts as taken", e);
            return 1;
        } finally {
            callbacks.leave();
        }
    }

    private static int callBack(TurnTask task, TenantCallbacks callbacks, long now, boolean onNode) {
        return callbacks.enter(task, onNode) ? callBackAndLeave(task, callbacks, now) : 0;
    }

    private static int callBackAndLeave(TurnTask task, TenantCallbacks callbacks, long now) {
        try {
            return task.doWork(now);
        } catch (RuntimeException | Error e) {
            callbacks.failed(task, "what it was told counts as told", e);
            return 1;
        } finally {
            callbacks.leave();
        }
    }

    /**
     * Does a task outside of its turn. By whoever does the turns, or ends them. @return false if callbacks of its
     * tenant run
     */
    public boolean tryNow(TurnTask task) {
        TenantCallbacks those = Objects.requireNonNull(task.callbacks());
        if (!those.enter(task, true)) {
            return false;
        }
        callBackAndLeave(task, those, clock.nanoTime());
        return true;
    }

    /** Runs a tenant's callbacks, on its own thread. */
    int callBack(TenantCallbacks those) {
        int work = 0;
        for (CallbackSource source : sources) {
            if (source.callbacks() == those) {
                work += callBack(source, false);
            }
        }
        long now = clock.nanoTime();
        for (TurnTask task : tasks) {
            if (task.callbacks() == those) {
                work += callBack(task, those, now, false);
            }
        }
        return work;
    }

    /** Whether a tenant's callbacks would find something. Any thread. */
    boolean hasCallbacks(TenantCallbacks those) {
        for (CallbackSource source : sources) {
            if (source.callbacks() == those && source.hasWork()) {
                return true;
            }
        }
        for (TurnTask task : tasks) {
            if (task.callbacks() == those && task.hasWork()) {
                return true;
            }
        }
        return false;
    }

    /** When a tenant's callbacks are needed at the latest. */
    long nextDeadline(TenantCallbacks those) {
        long next = Long.MAX_VALUE;
        for (CallbackSource source : sources) {
            if (source.callbacks() == those) {
                next = Math.min(next, source.nextAttempt());
            }
        }
        for (TurnTask task : tasks) {
            if (task.callbacks() == those) {
                next = Math.min(next, task.nextDeadline());
            }
        }
        return next;
    }

    /** Hands messages to executors, and runs no callback. Any thread. */
    int handOver(long now) {
        int work = 0;
        for (TurnTask task : tasks) {
            if (task.callbacks() == null) {
                work += task.doWork(now);
            }
        }
        return work;
    }

    @Override
    public long nextDeadline() {
        long next = Math.min(connections.nextDeadline(), retries.nextDeadline());
        for (CallbackSource source : sources) {
            if (!source.callbacks().isAway()) {
                next = Math.min(next, source.nextAttempt());
            }
        }
        for (TurnTask task : tasks) {
            TenantCallbacks those = task.callbacks();
            if (those == null || !those.isAway()) {
                next = Math.min(next, task.nextDeadline());
            }
        }
        if (agent != null) {
            next = Math.min(next, agent.nextDeadline());
        }
        return Math.min(next, watch.nextDeadline());
    }

    /**
     * Waits for the turn and the callbacks that are under way, which use memory that is about to go, for 10 s at most;
     * runs the commands that are left, tells of the calls that have ended, and lets nothing else begin.
     */
    public void end() {
        ended = true;
        watch.end();
        if (isCurrentThread()) {
            return;
        }
        long deadline = System.nanoTime() + LAST_TURN_NANOS; // real time: threads are waited for
        boolean quiet = awaitEnd(() -> inTurn.compareAndSet(false, true), "a callback of its", deadline);
        if (quiet) {
            runCommands(Integer.MAX_VALUE);
        }
        for (TurnTask task : tasks) {
            quiet &= awaitEnd(task::end, task, deadline);
        }
        quiet &= awaitEnd(watch::endAway, "a callback of its", deadline);
        if (quiet) {
            tellTheEnd();
        }
    }

    /** Tries at least once. */
    private boolean awaitEnd(BooleanSupplier end, Object what, long deadline) {
        while (!end.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                LOG.warn("node '{}' closes while {} has run for {} s", node, what, LAST_TURN_NANOS / 1_000_000_000L);
                return false;
            }
            LockSupport.parkNanos(this, LAST_TURN_LOOK);
        }
        return true;
    }

    /** What ended while other callbacks of the tenant ran. */
    private void tellTheEnd() {
        for (TurnTask task : tasks) {
            if (task.callbacks() != null && task.hasWork()) {
                tryNow(task);
            }
        }
    }
}

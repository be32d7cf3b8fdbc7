package io.verbena;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.engine.EngineAgent;
import io.verbena.nic.port.LogLimit;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does after each turn of its engine, on the same thread: connections, commands, callbacks and tasks. All code
 * of the application that the node runs, runs here.
 *
 * <p>One thread at a time does a turn: the engine's own, or in the mode INVOKER the application's. The rest is thread-safe.
 */
final class Turns implements EngineAgent {
    private static final Logger LOG = LoggerFactory.getLogger(Turns.class);
    private static final long LAST_TURN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LAST_TURN_LOOK = TimeUnit.MICROSECONDS.toNanos(100);
    private static final int COMMANDS_A_TURN = 256;
    private static final Inbox[] NO_INBOXES = {};
    private static final TurnTask[] NO_TASKS = {};
    private static final Tenant[] NO_TENANTS = {};

    private final String node;
    private final Engine engine;
    private final Connections connections;
    private final BooleanSupplier closing;
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean inTurn = new AtomicBoolean();
    private final CallbackWatch watch;
    private final CallbackTurns<Inbox, Tenant> callbackTurns = new CallbackTurns<>(
            Inbox::tenant, Tenant::weight, Inbox::hasMessageForNode, this::callBack, System::nanoTime);
    private final Retries retries;
    private final LogLimit failures = new LogLimit();
    private volatile Inbox[] callbacks = NO_INBOXES;
    private volatile TurnTask[] tasks = NO_TASKS;
    private volatile Tenant[] tenants = NO_TENANTS; // that have some of either
    private @Nullable Thread thread; // in a turn; others only compare it with themselves
    private volatile boolean ended;

    /**
     * Creates them.
     *
     * @param node whose they are, for texts
     */
    Turns(
            String node,
            Engine engine,
            Connections connections,
            BooleanSupplier closing,
            long callbackBoundNanos,
            BooleanSupplier mayMoveCallbacks) {
        this.node = node;
        this.retries = new Retries(node);
        this.engine = engine;
        this.connections = connections;
        this.closing = closing;
        this.watch = new CallbackWatch(node, this, engine, callbackBoundNanos, mayMoveCallbacks);
    }

    /** Runs something in the next turn. */
    void run(Runnable command) {
        commands.add(command);
        engine.wake();
    }

    /** Tries something in each turn until it says that it is done. Any thread. */
    void retry(BooleanSupplier attempt) {
        retries.add(attempt);
        engine.wake();
    }

    synchronized void add(Inbox inbox) {
        Inbox[] now = Arrays.copyOf(callbacks, callbacks.length + 1);
        now[now.length - 1] = inbox;
        callbacks = now;
        listTenants();
        await(inbox.callbackCheck());
    }

    private void listTenants() {
        tenants = Stream.concat(
                        Arrays.stream(callbacks).map(Inbox::tenant),
                        Arrays.stream(tasks).map(TurnTask::tenant).filter(Objects::nonNull))
                .distinct()
                .toArray(Tenant[]::new);
        if (tenants.length > 0) {
            watch.start();
        }
    }

    /** Those that have callbacks; not to be changed. */
    Tenant[] tenants() {
        return tenants;
    }

    synchronized void remove(Inbox inbox) {
        engine.removeParkCheck(inbox.parkCheck());
        engine.removeParkCheck(inbox.callbackCheck());
        callbacks = Arrays.stream(callbacks).filter(i -> i != inbox).toArray(Inbox[]::new);
        listTenants();
    }

    /** Adds something that is done in each turn, and a look at whether it has something to do. */
    synchronized void add(TurnTask task, BooleanSupplier hasWork) {
        TurnTask[] now = Arrays.copyOf(tasks, tasks.length + 1);
        now[now.length - 1] = task;
        tasks = now;
        listTenants();
        await(hasWork);
    }

    synchronized void remove(TurnTask task, BooleanSupplier hasWork) {
        engine.removeParkCheck(hasWork);
        tasks = Arrays.stream(tasks).filter(t -> t != task).toArray(TurnTask[]::new);
        listTenants();
    }

    /** The owner looks at something before it blocks, until it is to {@link #forget}. */
    void await(BooleanSupplier hasWork) {
        engine.removeParkCheck(hasWork); // once, however often it was added
        engine.addParkCheck(hasWork);
        engine.wake();
    }

    /** The owner need not look at something any more before it blocks. */
    void forget(BooleanSupplier hasWork) {
        engine.removeParkCheck(hasWork);
    }

    /** Whether the caller is within a turn. */
    boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    /** Whether a turn would find something without waiting, callbacks and tasks aside. */
    @Override
    public boolean hasWork() {
        return connections.hasWork() || !commands.isEmpty() || retries.hasNew() || closing.getAsBoolean();
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
            long now = System.nanoTime();
            int work = connections.doWork(now);
            work += runCommands(COMMANDS_A_TURN) + retries.doWork(now);
            work += watch.doWork(now);
            work += callbackTurns.run(callbacks);
            for (TurnTask task : tasks) {
                Tenant tenant = task.tenant();
                if (tenant == null) {
                    work += task.doWork(now);
                } else if (!tenant.callbacks().isAway()) {
                    work += callBack(task, tenant, now, true);
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
                long leftOut = failures.ask(System.nanoTime());
                if (leftOut >= 0) {
                    LOG.error("node '{}': a task failed; {} such lines left out", node, leftOut, e);
                }
            }
        }
        return count;
    }

    // ---- callbacks --------------------------------------------------------------------------------------------------

    private int callBack(Inbox inbox) {
        return inbox.tenant().callbacks().isAway() ? 0 : callBack(inbox, true);
    }

    private static int callBack(Inbox inbox, boolean onNode) {
        TenantCallbacks callbacks = inbox.tenant().callbacks();
        if (!callbacks.enter(inbox, onNode)) {
            return 0;
        }
        try {
            return inbox.callBack();
        } catch (RuntimeException | Error e) {
            callbacks.failed(inbox, "its message counts as taken", e);
            return 1;
        } finally {
            callbacks.leave();
        }
    }

    private static int callBack(TurnTask task, Tenant tenant, long now, boolean onNode) {
        return tenant.callbacks().enter(task, onNode) ? callBackAndLeave(task, tenant, now) : 0;
    }

    private static int callBackAndLeave(TurnTask task, Tenant tenant, long now) {
        try {
            return task.doWork(now);
        } catch (RuntimeException | Error e) {
            tenant.callbacks().failed(task, "what it was told counts as told", e);
            return 1;
        } finally {
            tenant.callbacks().leave();
        }
    }

    /** Does a task outside of its turn. By whoever does the turns, or ends them. @return false if callbacks of its tenant run */
    boolean tryNow(TurnTask task) {
        Tenant tenant = Objects.requireNonNull(task.tenant());
        if (!tenant.callbacks().enter(task, true)) {
            return false;
        }
        callBackAndLeave(task, tenant, System.nanoTime());
        return true;
    }

    /** Runs a tenant's callbacks, on its own thread. */
    int callBack(Tenant tenant) {
        int work = 0;
        for (Inbox inbox : callbacks) {
            if (inbox.tenant() == tenant) {
                work += callBack(inbox, false);
            }
        }
        long now = System.nanoTime();
        for (TurnTask task : tasks) {
            if (task.tenant() == tenant) {
                work += callBack(task, tenant, now, false);
            }
        }
        return work;
    }

    /** Whether a tenant's callbacks would find something. Any thread. */
    boolean hasCallbacks(Tenant tenant) {
        for (Inbox inbox : callbacks) {
            if (inbox.tenant() == tenant && inbox.mayHaveMessage()) {
                return true;
            }
        }
        for (TurnTask task : tasks) {
            if (task.tenant() == tenant && task.hasWork()) {
                return true;
            }
        }
        return false;
    }

    /** When a tenant's callbacks are needed at the latest. */
    long nextDeadline(Tenant tenant) {
        long next = Long.MAX_VALUE;
        for (Inbox inbox : callbacks) {
            if (inbox.tenant() == tenant) {
                next = Math.min(next, inbox.nextAttempt());
            }
        }
        for (TurnTask task : tasks) {
            if (task.tenant() == tenant) {
                next = Math.min(next, task.nextDeadline());
            }
        }
        return next;
    }

    /** Hands messages to executors, and runs no callback. Any thread. */
    int handOver(long now) {
        int work = 0;
        for (TurnTask task : tasks) {
            if (task.tenant() == null) {
                work += task.doWork(now);
            }
        }
        return work;
    }

    @Override
    public long nextDeadline() {
        long next = Math.min(connections.nextDeadline(), retries.nextDeadline());
        for (Inbox inbox : callbacks) {
            if (!inbox.tenant().callbacks().isAway()) {
                next = Math.min(next, inbox.nextAttempt());
            }
        }
        for (TurnTask task : tasks) {
            Tenant tenant = task.tenant();
            if (tenant == null || !tenant.callbacks().isAway()) {
                next = Math.min(next, task.nextDeadline());
            }
        }
        return Math.min(next, watch.nextDeadline());
    }

    /**
     * Waits for the turn and the callbacks that are under way, which use memory that is about to go, for 10 s at most; runs the
     * commands that are left, tells of the calls that have ended, and lets nothing else begin.
     */
    void end() {
        ended = true;
        watch.end();
        if (isCurrentThread()) {
            return;
        }
        long deadline = System.nanoTime() + LAST_TURN_NANOS;
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
            if (task.tenant() != null && task.hasWork()) {
                tryNow(task);
            }
        }
    }
}

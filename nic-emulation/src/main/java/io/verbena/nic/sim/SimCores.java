package io.verbena.nic.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cores of a simulated host, and the threads that share them: whoever is ready waits in one queue, in order, for
 * the core that it was on if that is free, else for any; who has had a core for a quantum gives it up if others wait. A
 * thread that is woken puts nobody off a core before that: the kernel's preemption at wake-up is not modelled. What
 * things take is in {@link HostModel}.
 *
 * <pre>
 *   SimTask ─ step ─▶ SimThread: run, acquire, park ...
 *                        │ on a core, one after the other
 *                        ├─ HostQueuePair ── post, doorbell ──▶ QueuePair, NicModel
 *                        ├─ HostFeed ─────── move ────────────▶ the same, of a SendSource
 *                        ├─ HostCompletionQueue ── poll, await ─▶ CompletionQueue
 *                        │      └─ HostPoller ── by a polling scheme
 *                        └─ SimLock ── spins or sleeps
 * </pre>
 *
 * <p>A run is a function of the simulation's seed: each move of a thread is in its trace. Not thread-safe.
 */
public final class SimCores implements Actor {
    static final int NO_CORE = -1;
    private static final int MAX_CORES = 1024;

    private final Simulation simulation;
    private final HostModel host;
    private final List<Core> cores = new ArrayList<>();
    private final List<SimThread> threads = new ArrayList<>();
    private final ArrayDeque<SimThread> ready = new ArrayDeque<>();
    private @Nullable SimThread running;
    private long contextSwitches;
    private long interrupts;

    private static final class Core {
        final int index;

        @Nullable
        SimThread thread;

        long since; // up to when its time is accounted for
        long overhead; // switches and interrupts that come before its thread
        long sliceEnd;
        long overheadNanos;
        long busyNanos;

        Core(int index) {
            this.index = index;
        }

        void pass(long now) {
            long elapsed = now - since;
            since = now;
            long before = Math.min(elapsed, overhead);
            overhead -= before;
            overheadNanos += before;
            busyNanos += thread == null ? before : elapsed;
            if (thread != null) {
                thread.pass(elapsed - before);
            }
        }
    }

    /**
     * Cores of a host, without threads.
     *
     * @param simulation that they take part in
     * @param count of them, 1 to 1024
     * @param host what things take; copied
     */
    public SimCores(Simulation simulation, int count, HostModel host) {
        if (count < 1 || count > MAX_CORES) {
            throw new IllegalArgumentException(count + " cores outside 1.." + MAX_CORES);
        }
        this.simulation = simulation;
        this.host = host.copy();
        for (int i = 0; i < count; i++) {
            Core core = new Core(i);
            core.since = simulation.nowNanos();
            cores.add(core);
        }
        simulation.add("cores", this);
    }

    /**
     * Starts a thread, which is ready at once.
     *
     * @param name in traces
     * @param task says what it does
     */
    public SimThread start(String name, SimTask task) {
        SimThread thread = new SimThread(this, name, task);
        threads.add(thread);
        ready.add(thread);
        return thread;
    }

    /** A lock between threads of these cores that guards nothing. */
    public SimLock lock(SimLock.Kind kind) {
        return lock(kind, 0);
    }

    /**
     * A lock between threads of these cores.
     *
     * @param dataLines cache lines that it guards and each owner uses, at least 0
     */
    public SimLock lock(SimLock.Kind kind, int dataLines) {
        if (dataLines < 0) {
            throw new IllegalArgumentException(dataLines + " lines < 0");
        }
        return new SimLock(this, kind, dataLines);
    }

    /** What things take; a copy. */
    public HostModel model() {
        return host.copy();
    }

    /** Times that a thread left a core: it went to sleep, ended, or its slice was over. */
    public long contextSwitches() {
        return contextSwitches;
    }

    /** Interrupts of devices and timers. */
    public long interrupts() {
        return interrupts;
    }

    /** Time for which cores were not idle, all together, in nanoseconds: threads that spin are included. */
    public long busyNanos() {
        account();
        return cores.stream().mapToLong(core -> core.busyNanos).sum();
    }

    /** Of that, the time that switches and interrupts took. */
    public long overheadNanos() {
        account();
        return cores.stream().mapToLong(core -> core.overheadNanos).sum();
    }

    /** Of that, the time in the kernel: switches, interrupts, and system calls, those that were just begun included. */
    public long kernelNanos() {
        return overheadNanos()
                + threads.stream().mapToLong(SimThread::callNanos).sum();
    }

    // ---- for threads and locks -----------------------------------------------------------------------------------

    HostModel host() {
        return host;
    }

    long now() {
        return simulation.nowNanos();
    }

    /** The thread whose action is carried out now; null if it is not a thread that acts. */
    @Nullable
    SimThread running() {
        return running;
    }

    void account() {
        for (Core core : cores) {
            core.pass(now());
        }
    }

    boolean hasIdle() {
        return idle(NO_CORE) != null;
    }

    void ready(SimThread thread) {
        ready.add(thread);
    }

    /** A thread sleeps or has ended. */
    void left(SimThread thread) {
        cores.get(thread.core()).thread = null;
        contextSwitches++;
        simulation.note(thread.toString());
    }

    /** A device wakes a thread: the core that it was on runs the handler first. */
    void interrupt(SimThread thread) {
        Core core = cores.get(Math.max(thread.core(), 0));
        core.pass(now());
        core.overhead += host.interrupt;
        interrupts++;
        simulation.note("interrupt for " + thread.name() + " on core " + core.index);
        thread.wakeFrom(host.interrupt);
    }

    // ---- in time -------------------------------------------------------------------------------------------------

    @Override
    public int step() {
        long now = now();
        account();
        int work = 0;
        for (int i = 0; i < threads.size(); i++) { // a step may start another
            work += threads.get(i).look(now);
        }
        for (Core core : cores) {
            work += turn(core, now);
        }
        return work + dispatch(now);
    }

    private int turn(Core core, long now) {
        SimThread thread = core.thread;
        if (thread == null || core.overhead > 0) {
            return 0;
        }
        int work = 0;
        if (thread.goesOn()) {
            running = thread;
            try {
                thread.proceed();
            } finally {
                running = null;
            }
            work = 1;
        }
        if (core.thread == thread && now >= core.sliceEnd && !ready.isEmpty()) {
            thread.preempted(now);
            core.thread = null;
            contextSwitches++;
            simulation.note(thread.toString());
            ready.add(thread);
            work = 1;
        }
        return work;
    }

    private int dispatch(long now) {
        int dispatched = 0;
        for (SimThread next = ready.peek(); next != null; next = ready.peek()) {
            Core core = idle(next.core());
            if (core == null) {
                break;
            }
            ready.remove();
            core.overhead += host.contextSwitch;
            core.sliceEnd = now + core.overhead + host.quantum;
            core.thread = next;
            next.dispatched(core.index, now);
            simulation.note(next + " on core " + core.index);
            dispatched++;
        }
        return dispatched;
    }

    private @Nullable Core idle(int preferred) {
        if (preferred != NO_CORE && cores.get(preferred).thread == null) {
            return cores.get(preferred);
        }
        for (Core core : cores) {
            if (core.thread == null) {
                return core;
            }
        }
        return null;
    }

    @Override
    public long nextDeadlineNanos() {
        long next = NO_DEADLINE;
        for (Core core : cores) {
            SimThread thread = core.thread;
            if (thread == null) {
                continue;
            }
            long left = thread.left();
            if (left != NO_DEADLINE) {
                next = Math.min(next, core.since + core.overhead + left);
            }
            if (!ready.isEmpty()) {
                next = Math.min(next, Math.max(core.sliceEnd, core.since + core.overhead));
            }
        }
        for (SimThread thread : threads) {
            next = Math.min(next, thread.due());
        }
        return next;
    }
}

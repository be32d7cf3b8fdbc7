package io.verbena.nic.sim;

import io.verbena.nic.Completion;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.QueuePair;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A NIC in a simulation, with a name: steps its engine and its allocator, writes what changes into the trace, crashes,
 * and comes up again as a new NIC of the same identity that knows nothing. Deterministic: memory, keys and time are the
 * simulation's.
 *
 * <p>Not thread-safe.
 */
public final class SimNode implements Actor {
    /** Ends a step of a node in the middle, as the death of its process would: thrown by {@link #kill}. */
    public static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Killed() {
            super("killed", null, false, false);
        }
    }

    /**
     * What the node's NIC has room for, and how long its memory takes; fluent.
     *
     * <p>By default 64 queue pairs, 8 append queues, and memory at once.
     */
    public static final class Options {
        int queuePairs = 64;
        int appendQueues = 8;
        int chunksPerQueue = 64;
        long allocationNanos;
        long sharedReserve;

        @Nullable
        ArbiterSettings arbiter;

        /** Creates the default. */
        public Options() {}

        /** Queue pairs that may exist at a time: 16 or more, a power of two. */
        public Options queuePairs(int most) {
            queuePairs = most;
            return this;
        }

        /** Append queues that may exist at a time, at least 1. */
        public Options appendQueues(int most) {
            appendQueues = most;
            return this;
        }

        /** Chunks that an append queue may have at a time, 4 to 4096, a power of two; 64 by default. */
        public Options chunksPerQueue(int most) {
            chunksPerQueue = most;
            return this;
        }

        /**
         * How long memory of append queues takes (L of RIMA 3.2.1): what is wanted when an allocation ends is there so
         * long after the first of it was wanted. Until then appends live on the reserve. By default 0: it is there at
         * once.
         */
        public Options allocationNanos(long nanos) {
            if (nanos < 0) {
                throw new IllegalArgumentException("allocation of " + nanos + " ns < 0");
            }
            allocationNanos = nanos;
            return this;
        }

        /** Bytes that its append queues have ready together: see {@link NicContext#sharedReserve}; 0 by default. */
        public Options sharedReserve(long bytes) {
            sharedReserve = bytes;
            return this;
        }

        /** Who sends next, and how much; by default as any NIC has it. */
        public Options arbiter(ArbiterSettings settings) {
            arbiter = settings;
            return this;
        }

        Options copy() {
            Options copy = new Options()
                    .queuePairs(queuePairs)
                    .appendQueues(appendQueues)
                    .chunksPerQueue(chunksPerQueue)
                    .allocationNanos(allocationNanos)
                    .sharedReserve(sharedReserve);
            copy.arbiter = arbiter;
            return copy;
        }
    }

    /**
     * How often the allocator looks for what time alone makes to do, when the node is stepped and none is under way.
     */
    private static final long MAINTENANCE_NANOS = 1_000_000;

    private final Simulation simulation;
    private final SimFabric fabric;
    private final String name;
    private final long nicId;
    private final Options options;
    private final List<Watched> watched = new ArrayList<>();
    private final SimRandom keys;
    private @Nullable Nic nic;
    private Simulation.@Nullable Participant participant;
    private @Nullable Runnable onKill;
    private int incarnation;
    private boolean killed;
    private long allocatedAtNanos = NO_DEADLINE; // when what is wanted is there
    private long maintainedNanos;

    private static final class Watched {
        final QueuePair qp;
        QpState state = QpState.RESET;

        Watched(QueuePair qp) {
            this.qp = qp;
        }
    }

    /**
     * Creates a node and opens its NIC.
     *
     * @param simulation in which it takes part
     * @param fabric that links it
     * @param name in the trace
     * @param nicId its NIC's identity, not 0
     */
    public SimNode(Simulation simulation, SimFabric fabric, String name, long nicId) {
        this(simulation, fabric, name, nicId, new Options());
    }

    /**
     * Creates a node and opens its NIC.
     *
     * @param simulation in which it takes part
     * @param fabric that links it
     * @param name in the trace
     * @param nicId its NIC's identity, not 0
     * @param options of the NIC, in each life the same
     */
    public SimNode(Simulation simulation, SimFabric fabric, String name, long nicId, Options options) {
        this.options = options.copy();
        this.simulation = simulation;
        this.fabric = fabric;
        this.name = name;
        this.nicId = nicId;
        keys = simulation.newRandom();
        open();
    }

    private void open() {
        NicContext context = new NicContext()
                .id(nicId)
                .mode(EngineMode.INVOKER)
                .clock(simulation.clock())
                .random(keys::nextLong)
                .deregisterTimeoutNanos(0)
                .acknowledgeTimeoutNanos(0)
                .maxQueuePairs(options.queuePairs)
                .maxMemoryRegions(64)
                .maxAppendQueues(options.appendQueues)
                .chunksPerAppendQueue(options.chunksPerQueue)
                .sharedReserve(options.sharedReserve)
                .backgroundThread(false)
                .memory(new SimMemory())
                .waiters(new SimWaiter());
        ArbiterSettings arbiter = options.arbiter;
        nic = Nic.open(arbiter == null ? context : context.arbiter(arbiter));
        allocatedAtNanos = NO_DEADLINE;
        maintainedNanos = simulation.nowNanos();
        participant = simulation.add(name, this);
        incarnation++;
    }

    /** Name in the trace. */
    public String name() {
        return name;
    }

    /** Identity of its NIC, in each life the same. */
    public long nicId() {
        return nicId;
    }

    /** Lives so far, this one included. */
    public int incarnation() {
        return incarnation;
    }

    /** Whether it is there. */
    public boolean isAlive() {
        return nic != null;
    }

    /**
     * Its NIC.
     *
     * @throws IllegalStateException if it has crashed and not restarted
     */
    public Nic nic() {
        Nic present = nic;
        if (present == null) {
            throw new IllegalStateException(name + " has crashed");
        }
        return present;
    }

    /** Its place in the simulation, by which it can be paused; null while it is down. */
    public Simulation.@Nullable Participant participant() {
        return participant;
    }

    /** Sets what is done when the node was {@link Killed} in the middle of its step, after the crash. */
    public void onKill(Runnable action) {
        onKill = action;
    }

    /**
     * Writes the state moves of a queue pair into the trace from now on; what was destroyed is forgotten by a crash.
     */
    public void watch(QueuePair qp) {
        watched.add(new Watched(qp));
    }

    /** Stops watching a queue pair. */
    public void unwatch(QueuePair qp) {
        watched.removeIf(w -> w.qp == qp);
    }

    /** Writes a line about this node into the trace. */
    public void note(String text) {
        simulation.note(name + ' ' + text);
    }

    /** Writes a completion into the trace. */
    public void note(Completion c) {
        note("wc " + c);
    }

    /**
     * The node's process dies in the middle of what it does: for a {@link SteppedMemory} hook. Its peers hear nothing
     * of it but the fabric's word.
     *
     * @throws Killed always, to end the step
     */
    public void kill() {
        killed = nic != null;
        crash();
        throw new Killed();
    }

    /** The node's process dies where it is. */
    public void crash() {
        if (nic == null) {
            return;
        }
        look();
        nic = null;
        watched.clear();
        if (participant != null) {
            participant.remove();
            participant = null;
        }
        fabric.crash(nicId);
    }

    /**
     * Comes up again, empty, and is linked with its peers.
     *
     * @throws IllegalStateException if it has not crashed
     */
    public void restart() {
        if (nic != null) {
            throw new IllegalStateException(name + " is up");
        }
        open();
        fabric.restart(nic().engine(0).endpoint());
    }

    /**
     * Lets the node's application do something, such as a post or a poll, which may run its engine: the node is not
     * stepped meanwhile, and dies if it is {@link Killed} there.
     *
     * @param action what the application does
     * @return whether the node is alive after it
     */
    public boolean act(Runnable action) {
        Simulation.Participant self = participant;
        if (nic == null || self == null) {
            return false;
        }
        try {
            self.act(action);
        } catch (Killed e) {
            // its end
        }
        tellOfDeath();
        return nic != null;
    }

    @Override
    public int step() {
        Nic present = nic;
        if (present == null) {
            return 0;
        }
        try {
            int work = present.engine(0).doWork() + allocate(present);
            look();
            tellOfDeath();
            return work;
        } catch (Killed e) {
            tellOfDeath();
            return 1;
        }
    }

    /** The allocator's turn: at once, or when an allocation has taken its time. */
    private int allocate(Nic present) {
        if (options.allocationNanos == 0) {
            return present.backgroundWork();
        }
        long now = simulation.nowNanos();
        boolean maintenance = false;
        if (allocatedAtNanos == NO_DEADLINE) {
            if (present.isBackgroundWanted()) {
                allocatedAtNanos = now + options.allocationNanos;
                return 0;
            }
            maintenance = now - maintainedNanos >= MAINTENANCE_NANOS;
        }
        if (!maintenance && now < allocatedAtNanos) {
            return 0;
        }
        allocatedAtNanos = NO_DEADLINE;
        maintainedNanos = now;
        int work = 0;
        for (int turn = present.backgroundWork(); turn > 0; turn = present.backgroundWork()) {
            work += turn;
        }
        return work;
    }

    /** Whoever caught what ended the step may have been the engine itself. */
    private void tellOfDeath() {
        if (killed) {
            killed = false;
            if (onKill != null) {
                onKill.run();
            }
        }
    }

    /** Notes what state moves there were; several between two looks are one. */
    public void look() {
        for (int i = 0; i < watched.size(); i++) {
            Watched w = watched.get(i);
            QpState now = w.qp.state();
            if (now != w.state) {
                note("qp=" + w.qp.number() + ' ' + w.state + '>' + now);
                w.state = now;
            }
        }
    }

    @Override
    public long nextDeadlineNanos() {
        Nic present = nic;
        return present == null
                ? NO_DEADLINE
                : Math.min(allocatedAtNanos, present.engine(0).nextDeadlineNanos());
    }

    @Override
    public String toString() {
        return name + (nic == null ? " down" : " up") + ", life " + incarnation;
    }
}

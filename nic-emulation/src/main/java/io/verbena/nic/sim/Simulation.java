package io.verbena.nic.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and who acts in it. Actors are stepped in the order in which they were added until none has work; then
 * the clock goes to the next event or the next actor's deadline. Everything is a function of the seed.
 *
 * <p>Not thread-safe: the simulation and its actors belong to one thread, and nothing in them blocks.
 */
public final class Simulation {
    /** Rounds of steps at one instant after which a simulation is taken to run in circles. */
    static final int MAX_ROUNDS_PER_INSTANT = 1_000_000;

    private static final int TAIL_LINES = 80;
    private static final long MAX_NUDGE_NANOS = 1L << 24;

    private final long seed;
    private final VirtualClock clock = new VirtualClock();
    private final EventQueue events = new EventQueue();
    private final SimTrace trace;
    private final List<Participant> participants = new ArrayList<>();
    private long nextPart;
    private long nudgeNanos;

    /**
     * Creates a simulation at time 0.
     *
     * @param seed of all chance in it
     */
    public Simulation(long seed) {
        this(seed, SimTrace.DEFAULT_CAPACITY);
    }

    /**
     * Creates a simulation at time 0.
     *
     * @param seed of all chance in it
     * @param traceLines lines of trace to keep, at least 1
     */
    public Simulation(long seed, int traceLines) {
        this.seed = seed;
        trace = new SimTrace(traceLines);
    }

    /** The seed of this run. */
    public long seed() {
        return seed;
    }

    /** The clock, to be injected into whatever takes part. */
    public VirtualClock clock() {
        return clock;
    }

    /** The time now, in nanoseconds since the start. */
    public long nowNanos() {
        return clock.nanoTime();
    }

    /** What has happened. */
    public SimTrace trace() {
        return trace;
    }

    /** Writes a line into the trace. */
    public void note(String text) {
        trace.note(clock.nanoTime(), text);
    }

    /** A new sequence of chance, of its own for each call; the same calls in the same order give the same sequences. */
    public SimRandom newRandom() {
        return SimRandom.forPart(seed, nextPart++);
    }

    /**
     * Adds an actor. It is stepped after those that were added before.
     *
     * @param name for traces
     * @param actor who acts
     * @return its place in the simulation, by which it can be paused
     */
    public Participant add(String name, Actor actor) {
        Participant participant = new Participant(name, actor);
        participants.add(participant);
        return participant;
    }

    /**
     * An actor's place in the simulation.
     *
     * @param name under which it was added
     * @throws IllegalArgumentException if there is none of that name
     */
    public Participant participant(String name) {
        for (Participant p : participants) {
            if (p.name.equals(name)) {
                return p;
            }
        }
        throw new IllegalArgumentException("no actor \"" + name + "\" among " + participants);
    }

    /**
     * Lets something happen later.
     *
     * @param delayNanos from now, at least 0
     * @param action runs once, between the actors' steps
     */
    public void after(long delayNanos, Runnable action) {
        if (delayNanos < 0) {
            throw new IllegalArgumentException("delay " + delayNanos + " ns < 0");
        }
        events.add(
                new SimEvent() {
                    @Override
                    void fire() {
                        action.run();
                    }
                },
                clock.nanoTime() + delayNanos);
    }

    void schedule(SimEvent event, long atNanos) {
        events.add(event, atNanos);
    }

    /**
     * Runs until a condition holds.
     *
     * @param condition looked at between rounds of steps; must change nothing
     * @param limitNanos most virtual time to pass from now
     * @throws SimulationException if the time is over, if nothing can happen any more, or if actors run in circles
     */
    public void runUntil(BooleanSupplier condition, long limitNanos) {
        long end = end(limitNanos);
        while (!settle(condition)) {
            long next = nextNanos();
            if (next == Actor.NO_DEADLINE) {
                throw failure("nothing can happen any more");
            }
            if (next > end) {
                clock.advanceTo(Math.max(end, clock.nanoTime()));
                throw failure("the condition did not hold within " + limitNanos + " ns");
            }
            advance(next);
        }
    }

    /**
     * Runs for a span of virtual time, and leaves the clock at its end.
     *
     * <p>An actor may call this in the middle of its step: time passes for all others while it stands still between two
     * of its own instructions, as a thread does that a collection or the scheduler stops.
     *
     * @param nanos how long
     * @throws SimulationException if actors run in circles
     */
    public void runFor(long nanos) {
        long end = end(nanos);
        for (; ; ) {
            settle(null);
            long next = nextNanos();
            if (next > end) {
                clock.advanceTo(Math.max(end, clock.nanoTime()));
                return;
            }
            advance(next);
        }
    }

    /**
     * Runs until nothing can happen any more: no actor has work, no event and no deadline is left.
     *
     * @param limitNanos most virtual time to pass from now
     * @throws SimulationException if the time is over before, or if actors run in circles
     */
    public void runToIdle(long limitNanos) {
        long end = end(limitNanos);
        for (; ; ) {
            settle(null);
            long next = nextNanos();
            if (next == Actor.NO_DEADLINE) {
                return;
            }
            if (next > end) {
                clock.advanceTo(Math.max(end, clock.nanoTime()));
                throw failure("not idle within " + limitNanos + " ns");
            }
            advance(next);
        }
    }

    /** A failure of this run with what is needed to look into it and to replay it. */
    public SimulationException failure(String what) {
        StringBuilder text = new StringBuilder(what)
                .append("; seed ")
                .append(seed)
                .append(", now ")
                .append(clock.nanoTime())
                .append(" ns, events ")
                .append(events.size());
        for (Participant p : participants) {
            text.append(", ").append(p);
        }
        return new SimulationException(
                text.append('\n').append(trace.tail(TAIL_LINES)).toString(), seed);
    }

    private long end(long limitNanos) {
        if (limitNanos < 0) {
            throw new IllegalArgumentException("limit " + limitNanos + " ns < 0");
        }
        long end = clock.nanoTime() + limitNanos;
        return end < 0 ? Actor.NO_DEADLINE - 1 : end;
    }

    /** Steps until nobody has work or the condition holds. */
    private boolean settle(@Nullable BooleanSupplier condition) {
        for (int round = 0; ; round++) {
            if (condition != null && condition.getAsBoolean()) {
                return true;
            }
            int work = fireDue();
            for (int i = 0; i < participants.size(); i++) { // a step may remove a participant, also itself
                work += participants.get(i).step();
            }
            if (work == 0) {
                return condition != null && condition.getAsBoolean();
            }
            nudgeNanos = 0;
            if (round == MAX_ROUNDS_PER_INSTANT) {
                throw failure(round + " rounds of steps at one instant");
            }
        }
    }

    private int fireDue() {
        int fired = 0;
        for (SimEvent e = events.pollDue(clock.nanoTime()); e != null; e = events.pollDue(clock.nanoTime())) {
            e.fire();
            fired++;
        }
        return fired;
    }

    private long nextNanos() {
        long now = clock.nanoTime();
        long next = events.nextNanos();
        for (int i = 0; i < participants.size(); i++) {
            long deadline = participants.get(i).nextDeadlineNanos();
            if (deadline <= now) {
                // Due, and yet it did nothing: its timers may be coarser than its deadline says. Go on in doubling
                // steps.
                nudgeNanos = nudgeNanos == 0 ? 1 : Math.min(nudgeNanos * 2, MAX_NUDGE_NANOS);
                deadline = now + nudgeNanos;
            }
            next = Math.min(next, deadline);
        }
        return next;
    }

    private void advance(long toNanos) {
        clock.advanceTo(Math.max(toNanos, clock.nanoTime()));
    }

    /** An actor's place in a simulation. */
    public final class Participant {
        private final String name;
        private final Actor actor;
        private long idleUntilNanos;
        private long turnNanos;
        private long steps;
        private boolean removed;
        private boolean stepping;

        Participant(String name, Actor actor) {
            this.name = name;
            this.actor = actor;
        }

        /** Steps taken that did work. */
        public long steps() {
            return steps;
        }

        /**
         * Sets what a step that does work costs.
         *
         * @param nanos virtual time for which the actor then does nothing; 0 by default
         */
        public Participant turnCost(long nanos) {
            if (nanos < 0) {
                throw new IllegalArgumentException("turn of " + nanos + " ns < 0");
            }
            turnNanos = nanos;
            return this;
        }

        /** Stops the actor as a collection or a debugger would, until {@link #resume}. */
        public void pause() {
            note(name + " paused");
            idleUntilNanos = Actor.NO_DEADLINE;
        }

        /** Stops the actor for a span of virtual time. */
        public void pauseFor(long nanos) {
            note(name + " paused for " + nanos + " ns");
            idleUntilNanos = clock.nanoTime() + nanos;
        }

        /** Lets the actor go on. */
        public void resume() {
            note(name + " resumed");
            idleUntilNanos = removed ? Actor.NO_DEADLINE : 0;
        }

        /** Whether the actor is paused, or its last step still costs time. */
        public boolean isIdle() {
            return idleUntilNanos > clock.nanoTime();
        }

        /** Takes the actor out for good. */
        public void remove() {
            participants.remove(this);
            removed = true;
            idleUntilNanos = Actor.NO_DEADLINE;
        }

        /**
         * Does something as this actor, which is not stepped meanwhile: also when the action lets the simulation run.
         *
         * @param action what its application does
         */
        public void act(Runnable action) {
            boolean was = stepping;
            stepping = true;
            try {
                action.run();
            } finally {
                stepping = was;
            }
        }

        private int step() {
            if (idleUntilNanos > clock.nanoTime() || stepping) {
                return 0;
            }
            int work;
            stepping = true;
            try {
                work = actor.step();
            } finally {
                stepping = false;
            }
            if (work != 0) {
                steps++;
                if (turnNanos > 0) {
                    idleUntilNanos = clock.nanoTime() + turnNanos;
                }
            }
            return work;
        }

        private long nextDeadlineNanos() {
            if (idleUntilNanos == Actor.NO_DEADLINE || stepping) {
                return Actor.NO_DEADLINE;
            }
            return idleUntilNanos > clock.nanoTime() ? idleUntilNanos : actor.nextDeadlineNanos();
        }

        @Override
        public String toString() {
            String state = idleUntilNanos > clock.nanoTime() ? " idle" : "";
            return name + (removed ? " removed" : state) + " (" + steps + " steps)";
        }
    }
}

package io.verbena.bench.check.nodes;

import io.verbena.NodeRuntime;
import io.verbena.nic.sim.SimRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The time of a walk, and what else its nodes take from it: real, where they have threads; or virtual, where the walk's
 * thread drives all of them, and the same seed does the same.
 *
 * <p>Virtual time passes as the walk lets it: a little with each turn of a node, and while nobody has work in steps
 * that grow, so that what waits for seconds is there soon. What would run on other threads runs between the turns.
 */
final class WalkTime {
    private static final long TURN = 500;
    private static final long MIN_REST = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long MAX_REST = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long RANDOM_PART = 7L << 40;
    private static final int IDLE_ROUNDS = 64;

    private final boolean virtual;
    private final NodeRuntime runtime;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private long now = 1;
    private long rest = MIN_REST;
    private int idle;

    private WalkTime(boolean virtual, NodeRuntime system, long seed, Runnable whileClosing) {
        this.virtual = virtual;
        SimRandom random = SimRandom.forPart(seed, RANDOM_PART);
        runtime = virtual ? new NodeRuntime(() -> now, random::nextLong, tasks::add, whileClosing, false) : system;
    }

    /** Time as it is. */
    static WalkTime real() {
        return new WalkTime(false, NodeRuntime.system(), 0, () -> {});
    }

    /**
     * Time that the walk makes.
     *
     * @param whileClosing run while a node closes and there is nothing to do for it
     */
    static WalkTime virtual(long seed, Runnable whileClosing) {
        return new WalkTime(true, NodeRuntime.system(), seed, whileClosing);
    }

    /** What nodes are launched with. */
    NodeRuntime runtime() {
        return runtime;
    }

    /** Nanoseconds, from any point. */
    long now() {
        return runtime.clock().nanoTime();
    }

    /** Whether the walk makes the time, and so drives the nodes even while one of them closes. */
    boolean isVirtual() {
        return virtual;
    }

    /** A node has had a turn. */
    void turn() {
        now += TURN;
    }

    /** Runs what was left for other threads. @return how much that was */
    int runTasks() {
        int ran = 0;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
            ran++;
        }
        return ran;
    }

    /** All nodes have had a turn, and have done so much work: time passes if it was none. */
    void passes(int work) {
        if (work > 0) {
            idle = 0;
            rest = MIN_REST;
        } else if (virtual) {
            now += rest;
            rest = Math.min(2 * rest, MAX_REST);
        } else if (++idle > IDLE_ROUNDS) {
            LockSupport.parkNanos(MIN_REST);
        }
    }
}

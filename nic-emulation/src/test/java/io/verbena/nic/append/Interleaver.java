package io.verbena.nic.append;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;

/**
 * Runs actors one at a time and switches between them at memory accesses, as a seed says: a run replays exactly. An
 * actor can be killed at an access, or left out for a while.
 */
final class Interleaver {
    /** Ends an actor in the middle of what it does. */
    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final class Actor {
        final Thread thread;
        final Semaphore turn = new Semaphore(0);
        final double killProbability;
        final double stallProbability;
        int stalledSteps;
        boolean done;

        Actor(Thread thread, double killProbability, double stallProbability) {
            this.thread = thread;
            this.killProbability = killProbability;
            this.stallProbability = stallProbability;
        }
    }

    private static final ThreadLocal<Actor> SELF = new ThreadLocal<>();

    private final Random random;
    private final List<Actor> actors = new ArrayList<>();
    private final Semaphore allDone = new Semaphore(0);
    private volatile Throwable failure;
    private long steps;
    private final long maxSteps;

    Interleaver(long seed, long maxSteps) {
        this.random = new Random(seed);
        this.maxSteps = maxSteps;
    }

    /** Adds an actor that is killed at an access, or stalls at a switch, with the given probabilities. */
    void actor(String name, double killProbability, double stallProbability, Runnable body) {
        Actor[] holder = new Actor[1];
        Thread thread = new Thread(
                () -> {
                    Actor me = holder[0];
                    SELF.set(me);
                    me.turn.acquireUninterruptibly();
                    try {
                        if (failure == null) {
                            body.run();
                        }
                    } catch (Killed e) {
                        // its end
                    } catch (Throwable e) {
                        failure = e;
                    }
                    me.done = true;
                    Actor next = pick();
                    if (next == null) {
                        allDone.release();
                    } else {
                        next.turn.release();
                    }
                },
                name);
        thread.setDaemon(true);
        holder[0] = new Actor(thread, killProbability, stallProbability);
        actors.add(holder[0]);
    }

    /** Runs all actors to their end; fails as the first of them did. */
    void run() {
        for (Actor actor : actors) {
            actor.thread.start();
        }
        pick().turn.release();
        allDone.acquireUninterruptibly();
        if (failure != null) {
            throw new AssertionError(failure.toString(), failure);
        }
    }

    private Actor pick() {
        List<Actor> ready = new ArrayList<>(actors.size());
        List<Actor> alive = new ArrayList<>(actors.size());
        for (Actor actor : actors) {
            if (!actor.done) {
                alive.add(actor);
                if (actor.stalledSteps > 0) {
                    actor.stalledSteps--;
                } else {
                    ready.add(actor);
                }
            }
        }
        List<Actor> choice = ready.isEmpty() ? alive : ready;
        return choice.isEmpty() ? null : choice.get(random.nextInt(choice.size()));
    }

    /** The hook of stepped memory: here another actor may come in. */
    void step() {
        Actor me = SELF.get();
        if (me == null) {
            return;
        }
        if (failure != null || ++steps > maxSteps) {
            if (failure == null) {
                failure = new AssertionError("no end after " + maxSteps + " steps");
            }
            throw new Killed();
        }
        if (me.killProbability > 0 && random.nextDouble() < me.killProbability) {
            throw new Killed();
        }
        if (random.nextInt(3) != 0) {
            return;
        }
        if (random.nextDouble() < me.stallProbability) {
            me.stalledSteps = random.nextInt(4000);
        }
        Actor next = pick();
        if (next != null && next != me) {
            next.turn.release();
            me.turn.acquireUninterruptibly();
            if (failure != null) {
                throw new Killed();
            }
        }
    }
}

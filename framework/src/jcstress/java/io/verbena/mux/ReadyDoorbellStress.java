package io.verbena.mux;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two posters publish, list and ring while the engine, which was rung, takes turns: one may find the list's first place
 * taken and not filled yet. Both are served, in a turn that a doorbell has asked for.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both were served")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "published, and nobody looks: a lost wake-up")
@State
public class ReadyDoorbellStress {
    private static final VarHandle PUBLISHED;
    private static final VarHandle RUNG;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PUBLISHED = lookup.findVarHandle(Queue.class, "published", int.class);
            RUNG = lookup.findVarHandle(ReadyDoorbellStress.class, "rung", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final class Queue extends ReadyList.Entry {
        @SuppressWarnings("unused") // through PUBLISHED
        private int published;

        private int served;
    }

    private final ReadyList ready = new ReadyList();
    private final Queue one = new Queue();
    private final Queue other = new Queue();

    @SuppressWarnings("unused") // through RUNG
    private int rung = 1; // as the queue pair's doorbell, and by the same operations

    private void post(Queue queue) {
        PUBLISHED.setRelease(queue, 1);
        ready.add(queue);
        VarHandle.fullFence();
        if ((int) RUNG.getOpaque(this) == 0) {
            RUNG.getAndSet(this, 1);
        }
    }

    /** Posts a request. */
    @Actor
    public void poster() {
        post(one);
    }

    /** Posts another. */
    @Actor
    public void another() {
        post(other);
    }

    /** Takes turns, as all turns are: only where a doorbell was rung. */
    @Actor
    public void engine() {
        turn();
        turn();
    }

    private void turn() {
        if ((int) RUNG.getOpaque(this) == 0) {
            return;
        }
        RUNG.setVolatile(this, 0);
        for (Queue queue = (Queue) ready.take(); queue != null; queue = (Queue) ready.take()) {
            VarHandle.fullFence();
            queue.served = (int) PUBLISHED.getAcquire(queue);
        }
    }

    /** The next turn, if a doorbell was rung. */
    @Arbiter
    public void next(II_Result r) {
        turn();
        r.r1 = one.served;
        r.r2 = other.served;
    }
}

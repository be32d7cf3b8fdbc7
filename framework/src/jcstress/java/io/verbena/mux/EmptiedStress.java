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
 * A queue that was emptied and is listed still, as its engine, which has heard an earlier doorbell, looks at it and then
 * has it make way, while its poster publishes something and rings: it is served in this turn, or a doorbell or the list
 * has it served in the next one.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "served in this turn")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "served in the next turn")
@Outcome(id = "0, .*", expect = FORBIDDEN, desc = "published, and nobody looks: a lost wake-up")
@State
public class EmptiedStress {
    private static final VarHandle PUBLISHED;
    private static final VarHandle RUNG;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PUBLISHED = lookup.findVarHandle(Queue.class, "published", int.class);
            RUNG = lookup.findVarHandle(EmptiedStress.class, "rung", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final class Queue extends ReadyList.Entry {
        @SuppressWarnings("unused") // through PUBLISHED
        private int published;
    }

    private final ReadyList ready = new ReadyList();
    private final Queue queue = new Queue();

    @SuppressWarnings("unused") // through RUNG
    private int rung = 1; // as the queue pair's doorbell, and by the same operations

    private boolean kept = true; // among those that were emptied
    private int served;

    /** Creates one that is listed, and empty. */
    public EmptiedStress() {
        queue.list();
    }

    private boolean hasNext() {
        return served < (int) PUBLISHED.getAcquire(queue);
    }

    /** Posts a request: publishes, lists, rings. */
    @Actor
    public void poster() {
        PUBLISHED.setRelease(queue, 1);
        if (queue.list()) {
            ready.push(queue);
        }
        VarHandle.fullFence();
        if ((int) RUNG.getOpaque(this) == 0) {
            RUNG.getAndSet(this, 1);
        }
    }

    /** Takes a turn, as all turns are: only where a doorbell was rung. */
    @Actor
    public void engine() {
        turn();
    }

    private void turn() {
        if ((int) RUNG.getOpaque(this) == 0) {
            return;
        }
        RUNG.setVolatile(this, 0);
        serve();
        for (ReadyList.Entry entry = ready.takeAll(); entry != null; entry = entry.next()) {
            serve();
            kept = true;
        }
        if (kept) { // others came: it makes way
            kept = false;
            queue.unlist();
            if (hasNext() && queue.list()) {
                serve();
                kept = true;
            }
        }
    }

    private void serve() {
        if (hasNext()) {
            served++;
        }
    }

    /** The next turn, if a doorbell was rung. */
    @Arbiter
    public void next(II_Result r) {
        int before = served;
        turn();
        r.r1 = served;
        r.r2 = served - before;
    }
}

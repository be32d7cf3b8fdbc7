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

/** A queue that is listed and taken as its poster publishes something more: served now, or listed for the next turn. */
@JCStressTest
@Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "served in this turn")
@Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "listed, and served in the next turn")
@Outcome(id = "1, .*", expect = FORBIDDEN, desc = "published, and nobody looks: a lost wake-up")
@State
public class RelistStress {
    private static final VarHandle PUBLISHED;

    static {
        try {
            PUBLISHED = MethodHandles.lookup().findVarHandle(Queue.class, "published", int.class);
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
    private int served;

    /** Creates one that is listed with a first request. */
    public RelistStress() {
        publish(1);
    }

    private void publish(int requests) {
        PUBLISHED.setRelease(queue, requests);
        ready.add(queue);
    }

    private boolean hasNext() {
        return served < (int) PUBLISHED.getAcquire(queue);
    }

    private boolean serve() {
        if (ready.take() == null) {
            return false;
        }
        VarHandle.fullFence();
        int before = served;
        while (hasNext()) {
            served++;
        }
        return served > before;
    }

    /** Posts another request. */
    @Actor
    public void poster() {
        publish(2);
    }

    /** Takes a turn. */
    @Actor
    public void engine() {
        serve();
    }

    /** The next turn. */
    @Arbiter
    public void next(II_Result r) {
        r.r2 = serve() ? 1 : 0;
        r.r1 = served;
    }
}

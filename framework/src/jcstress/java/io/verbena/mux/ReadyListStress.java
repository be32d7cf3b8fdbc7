package io.verbena.mux;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two posters push while the engine takes: each queue is taken once, with what its poster has written before. */
@JCStressTest
@Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "each once, and those of one poster in its order")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "lost, taken twice, torn, or out of order")
@State
public class ReadyListStress {
    private static final class Queue extends ReadyList.Entry {
        private int content;
        private int taken;
        private int place;
    }

    private final ReadyList ready = new ReadyList();
    private final Queue first = new Queue();
    private final Queue second = new Queue();
    private final Queue other = new Queue();
    private int places;
    private boolean torn;

    private void push(Queue queue) {
        queue.content = 1;
        ready.add(queue);
    }

    private void takeAll() {
        for (Queue queue = (Queue) ready.take(); queue != null; queue = (Queue) ready.take()) {
            torn |= queue.content != 1;
            queue.taken++;
            queue.place = places++;
        }
    }

    /** Posts to two queues, one after the other. */
    @Actor
    public void poster() {
        push(first);
        push(second);
    }

    /** Posts to another. */
    @Actor
    public void another() {
        push(other);
    }

    /** Takes what there is. */
    @Actor
    public void engine() {
        takeAll();
        takeAll();
    }

    /** Takes the rest. */
    @Arbiter
    public void rest(III_Result r) {
        takeAll();
        r.r1 = first.taken == 1 && second.taken == 1 ? 1 : 0;
        r.r2 = other.taken == 1 && !torn ? 1 : 0;
        r.r3 = first.place < second.place ? 1 : 0;
    }
}

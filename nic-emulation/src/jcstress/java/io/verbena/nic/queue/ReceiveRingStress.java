package io.verbena.nic.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The poster and the engine at a receive ring of one slot, which is in use when the test begins. */
@JCStressTest
@Outcome(id = "111, -1", expect = ACCEPTABLE, desc = "the second was refused, or not seen")
@Outcome(id = "111, 222", expect = ACCEPTABLE, desc = "both, whole and in order")
@Outcome(expect = FORBIDDEN, desc = "torn, lost, or written while it was read")
@State
public class ReceiveRingStress {
    private final ReceiveRing ring = new ReceiveRing(1, 1, 0);

    /** Posts the request that is in the ring's only slot. */
    public ReceiveRingStress() {
        post(1);
    }

    private boolean post(int number) {
        int at = ring.claim();
        if (at < 0) {
            return false;
        }
        ring.buffer().putLong(at + ReceiveWqeDescriptor.WR_ID, number);
        ring.buffer().putInt(at + ReceiveWqeDescriptor.LENGTH, number * 11);
        ring.publish();
        return true;
    }

    private int take() {
        int at = ring.front();
        if (at < 0) {
            return -1;
        }
        int request = (int) ring.buffer().getLong(at + ReceiveWqeDescriptor.WR_ID) * 100
                + ring.buffer().getInt(at + ReceiveWqeDescriptor.LENGTH);
        ring.pop();
        return request;
    }

    /** Posts another, if there is room. */
    @Actor
    public void poster() {
        post(2);
    }

    /** Takes what is there. */
    @Actor
    public void engine(II_Result r) {
        r.r1 = take();
        r.r2 = take();
    }
}

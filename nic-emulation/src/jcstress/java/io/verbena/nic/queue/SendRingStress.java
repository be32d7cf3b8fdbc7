package io.verbena.nic.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The poster and the engine at a send ring. */
public class SendRingStress {
    private static int request(SendRing ring, int at) {
        return (int) ring.buffer().getLong(at + SendWqeDescriptor.WR_ID) * 100
                + ring.buffer().getInt(at + SendWqeDescriptor.LENGTH);
    }

    private static void fill(SendRing ring, int at, int number) {
        ring.buffer().putLong(at + SendWqeDescriptor.WR_ID, number);
        ring.buffer().putInt(at + SendWqeDescriptor.LENGTH, number * 11);
    }

    /** What the engine sees of a request is all of it. */
    @JCStressTest
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "nothing seen")
    @Outcome(id = "111, -1", expect = ACCEPTABLE, desc = "the first, whole")
    @Outcome(id = "111, 222", expect = ACCEPTABLE, desc = "both, whole and in order")
    @Outcome(expect = FORBIDDEN, desc = "torn, or out of order")
    @State
    public static class Publish {
        private final SendRing ring = new SendRing(2, 1, 0);

        /** Posts two requests. */
        @Actor
        public void poster() {
            fill(ring, ring.claim(), 1);
            ring.posted();
            ring.publish();
            fill(ring, ring.claim(), 2);
            ring.posted();
            ring.publish();
        }

        /** Reads what is there. */
        @Actor
        public void engine(II_Result r) {
            r.r1 = -1;
            r.r2 = -1;
            if (ring.hasNext()) {
                r.r1 = request(ring, ring.slot(ring.next()));
                ring.advanceNext();
            }
            if (r.r1 != -1 && ring.hasNext()) {
                r.r2 = request(ring, ring.slot(ring.next()));
            }
        }
    }

    /** A slot is not written again before the engine has let go of it. */
    @JCStressTest
    @Outcome(id = "111, 0", expect = ACCEPTABLE, desc = "full")
    @Outcome(id = "111, 1", expect = ACCEPTABLE, desc = "the slot was free again")
    @Outcome(expect = FORBIDDEN, desc = "the slot was written while it was read")
    @State
    public static class Reuse {
        private final SendRing ring = new SendRing(1, 1, 0);

        /** Posts the request that is in the ring's only slot. */
        public Reuse() {
            fill(ring, ring.claim(), 1);
            ring.posted();
            ring.publish();
        }

        /** Posts another. */
        @Actor
        public void poster(II_Result r) {
            int at = ring.claim();
            if (at >= 0) {
                r.r2 = 1;
                fill(ring, at, 2);
                ring.posted();
                ring.publish();
            }
        }

        /** Completes the first. */
        @Actor
        public void engine(II_Result r) {
            if (ring.hasNext()) {
                r.r1 = request(ring, ring.slot(ring.next()));
                ring.advanceNext();
                ring.advanceHead();
                ring.releaseConsumed();
            }
        }
    }
}

package io.verbena.nic.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The engine and the poller at a completion ring. */
public class CompletionRingStress {
    private static boolean offer(CompletionRing ring, int number) {
        return ring.offer(number, 0, 0, 0, number * 11, 0, 0, 0, 0);
    }

    private static int take(CompletionRing ring) {
        int at = ring.front();
        if (at < 0) {
            return -1;
        }
        int entry = (int) ring.buffer().getLong(at + CqeDescriptor.WR_ID) * 100
                + ring.buffer().getInt(at + CqeDescriptor.QP_NUMBER);
        ring.pop();
        ring.release();
        return entry;
    }

    /** One slot, in use when the test begins. */
    @JCStressTest
    @Outcome(id = "111, -1", expect = ACCEPTABLE, desc = "the second was refused, or not seen")
    @Outcome(id = "111, 222", expect = ACCEPTABLE, desc = "both, whole and in order")
    @Outcome(expect = FORBIDDEN, desc = "torn, lost, twice, or written while it was read")
    @State
    public static class Reuse {
        private final CompletionRing ring = new CompletionRing(1, 1);

        /** Fills the only slot. */
        public Reuse() {
            offer(ring, 1);
        }

        /** Completes another request, if there is room. */
        @Actor
        public void engine() {
            offer(ring, 2);
        }

        /** Polls. */
        @Actor
        public void poller(II_Result r) {
            r.r1 = take(ring);
            r.r2 = take(ring);
        }
    }

    /** Who asks for an event and then finds nothing is told of what comes (Dekker). */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "not seen, told")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "seen, not told")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "seen, and told")
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a completion that nobody learns of")
    @State
    public static class Arm {
        private final CompletionRing ring = new CompletionRing(1, 4);

        /** A turn with a completion. */
        @Actor
        public void engine() {
            offer(ring, 1);
            ring.noteOffered(false);
            VarHandle.fullFence(); // of the turn
            ring.fire();
        }

        /** Asks, and looks once more. */
        @Actor
        public void poller(II_Result r) {
            ring.arm(false);
            r.r1 = ring.isEmpty() ? 0 : 1;
        }

        /** Whether the event was raised. */
        @Arbiter
        public void events(II_Result r) {
            r.r2 = (int) ring.events();
        }
    }

    /** A request for any completion is not weakened by one for solicited ones. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "not seen, told")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "seen, not told")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "seen, and told")
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a completion that nobody learns of")
    @State
    public static class ArmTwice {
        private final CompletionRing ring = new CompletionRing(1, 4);

        /** A turn with a completion that is not solicited. */
        @Actor
        public void engine() {
            offer(ring, 1);
            ring.noteOffered(false);
            VarHandle.fullFence();
            ring.fire();
        }

        /** Asks for any, then for solicited ones, and looks once more. */
        @Actor
        public void poller(II_Result r) {
            ring.arm(false);
            ring.arm(true);
            r.r1 = ring.isEmpty() ? 0 : 1;
        }

        /** Whether the event was raised. */
        @Arbiter
        public void events(II_Result r) {
            r.r2 = (int) ring.events();
        }
    }
}

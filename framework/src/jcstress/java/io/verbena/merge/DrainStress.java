package io.verbena.merge;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.function.BooleanSupplier;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Threads that publish operations, and one of them that drains for all. */
public class DrainStress {
    private static final Runnable NOBODY = () -> {};

    /** Slots, claims and a baton as a queue has them; a drained operation is counted without an atomic operation. */
    static class Queue {
        final ClaimRing claims = new ClaimRing(8, 64);
        final MergeRequests requests = new MergeRequests(8);
        final DrainBaton baton = new DrainBaton();
        final BooleanSupplier round = this::drainOne;
        int next;
        int drained;
        int lengths;

        void post(int length) {
            int slot = requests.slot(ClaimRing.ticket(claims.tryClaim(8)));
            requests.fill(slot, MergeRequests.WRITE, 0, length);
            requests.publish(slot, 0, (id, outcome, value) -> {});
            baton.drain(round, NOBODY);
        }

        boolean drainOne() {
            if (!requests.isPublished(next)) {
                return false;
            }
            int slot = requests.slot(next);
            requests.take(slot);
            lengths += requests.lengths[slot];
            drained++;
            next = ClaimRing.after(next);
            return requests.isPublished(next);
        }
    }

    /** What two threads publish is drained once, by the time that both have returned. */
    @JCStressTest
    @Outcome(id = "2, 11", expect = ACCEPTABLE, desc = "both, whole")
    @Outcome(expect = FORBIDDEN, desc = "one is stranded, torn or drained twice")
    @State
    public static class TwoPosters extends Queue {
        /** Posts. */
        @Actor
        public void one() {
            post(1);
        }

        /** Posts. */
        @Actor
        public void other() {
            post(10);
        }

        /** Looks when both have returned. */
        @Arbiter
        public void all(II_Result r) {
            r.r1 = drained;
            r.r2 = lengths;
        }
    }

    /** The same of three threads, of which one posts twice. */
    @JCStressTest
    @Outcome(id = "4, 1111", expect = ACCEPTABLE, desc = "all, whole")
    @Outcome(expect = FORBIDDEN, desc = "one is stranded, torn or drained twice")
    @State
    public static class ThreePosters extends Queue {
        /** Posts twice. */
        @Actor
        public void one() {
            post(1);
            post(10);
        }

        /** Posts. */
        @Actor
        public void other() {
            post(100);
        }

        /** Posts. */
        @Actor
        public void third() {
            post(1000);
        }

        /** Looks when all have returned. */
        @Arbiter
        public void all(II_Result r) {
            r.r1 = drained;
            r.r2 = lengths;
        }
    }

    /** A drain that lets go while another thread posts: what that one has published is drained, or is known as left. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the poster came later and drained")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "drained before the other let go")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "left for who polls")
    @Outcome(expect = FORBIDDEN, desc = "stranded")
    @State
    public static class HandOver extends Queue {
        /** Drains and fails. */
        @Actor
        public void failing() {
            try {
                baton.drain(
                        () -> {
                            throw new IllegalStateException("fails");
                        },
                        NOBODY);
            } catch (IllegalStateException e) {
                // the point
            }
        }

        /** Posts. */
        @Actor
        public void poster() {
            post(1);
        }

        /** Looks when both have returned. */
        @Arbiter
        public void all(II_Result r) {
            r.r1 = drained;
            r.r2 = baton.isLeft() ? 1 : 0;
        }
    }

    /** A slot that is given back and claimed again is never mixed with what it held. */
    @JCStressTest
    @Outcome(id = "1, 22", expect = ACCEPTABLE, desc = "the poster found room")
    @Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "the poster found the ring full")
    @Outcome(expect = FORBIDDEN, desc = "the slot was written while it was in use")
    @State
    public static class Reuse {
        private final ClaimRing claims = new ClaimRing(1, 8);
        private final MergeRequests requests = new MergeRequests(1);

        /** An operation holds the only slot, and has ended. */
        public Reuse() {
            claims.tryClaim(8);
            requests.fill(0, MergeRequests.WRITE, 0, 1);
            requests.publish(0, 0, (id, outcome, value) -> {});
            requests.take(0);
            requests.end(0, true);
        }

        /** Tells it, and gives the slot back. */
        @Actor
        public void poller(II_Result r) {
            r.r1 = requests.lengths[0];
            requests.clear(0);
            claims.giveBack(1);
        }

        /** Claims the slot, if it can. */
        @Actor
        public void poster(II_Result r) {
            long claim = claims.tryClaim(8);
            if (claim >= 0) {
                requests.fill(0, MergeRequests.WRITE, 0, 22);
                requests.publish(0, 0, (id, outcome, value) -> {});
            }
            r.r2 = claim >= 0 && requests.isPublished(ClaimRing.ticket(claim)) ? requests.lengths[0] : -1;
        }
    }
}

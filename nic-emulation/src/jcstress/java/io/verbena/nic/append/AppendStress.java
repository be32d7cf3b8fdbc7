package io.verbena.nic.append;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Initiators, the owner and the consumer at an append queue. */
public class AppendStress {
    /** A direct append against the poll. */
    @JCStressTest
    @Outcome(id = "7, 0", expect = ACCEPTABLE, desc = "seen at once, whole")
    @Outcome(id = "0, 7", expect = ACCEPTABLE, desc = "seen afterwards, whole")
    @Outcome(expect = FORBIDDEN, desc = "torn, lost or twice")
    @State
    public static class Commit {
        private final StressQueue queue = StressQueue.take();

        /** Claims, writes, commits. */
        @Actor
        public void initiator() {
            queue.append(queue.peer(0), 7, 1);
        }

        /** Polls. */
        @Actor
        public void consumer(II_Result r) {
            r.r1 = queue.poll();
        }

        /** Polls once more. */
        @Arbiter
        public void after(II_Result r) {
            r.r2 = queue.poll();
            queue.giveBack();
        }
    }

    /** Two direct initiators at one tail. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = ACCEPTABLE,
            desc = "both, whole, in either order")
    @Outcome(expect = FORBIDDEN, desc = "torn, lost or twice")
    @State
    public static class TwoInitiators {
        private final StressQueue queue = StressQueue.take();

        /** The first. */
        @Actor
        public void one() {
            queue.append(queue.peer(0), 1, 1);
        }

        /** The second. */
        @Actor
        public void two() {
            queue.append(queue.peer(1), 2, 2);
        }

        /** What came of it. */
        @Arbiter
        public void after(II_Result r) {
            r.r1 = queue.poll();
            r.r2 = queue.poll();
            queue.giveBack();
        }
    }

    /** The owner, for a packet, and a direct initiator at one tail. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = ACCEPTABLE,
            desc = "both, whole, in either order")
    @Outcome(expect = FORBIDDEN, desc = "torn, lost or twice")
    @State
    public static class OwnerAndInitiator {
        private final StressQueue queue = StressQueue.take();

        /** The owner. */
        @Actor
        public void owner() {
            queue.append(queue.owner(), 1, -1);
        }

        /** The initiator. */
        @Actor
        public void initiator() {
            queue.append(queue.peer(0), 2, 2);
        }

        /** What came of it. */
        @Arbiter
        public void after(II_Result r) {
            r.r1 = queue.poll();
            r.r2 = queue.poll();
            queue.giveBack();
        }
    }

    /** The recovery of a hole against the commit of the initiator that was thought gone. */
    @JCStressTest
    @Outcome(id = "1, 7", expect = ACCEPTABLE, desc = "committed, and there")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "refused, and not there")
    @Outcome(expect = FORBIDDEN, desc = "the initiator was told a lie")
    @State
    public static class LateCommit {
        private final StressQueue queue = StressQueue.take();

        /** A claim that is old enough to be taken away. */
        public LateCommit() {
            queue.claim(queue.peer(0), 7, 1);
            queue.maintain();
            queue.elapse();
        }

        /** Commits after all. */
        @Actor
        public void initiator(II_Result r) {
            Appender appender = queue.peer(0);
            r.r1 = StressQueue.commit(appender, StressQueue.LENGTH, 7) ? 1 : 0;
        }

        /** Closes the hole. */
        @Actor
        public void owner() {
            queue.maintain();
        }

        /** What the consumer gets. */
        @Arbiter
        public void after(II_Result r) {
            r.r2 = queue.poll();
            queue.giveBack();
        }
    }

    /** A hole that is closed does not hide what another has appended behind it. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "the hole was closed, the other's message is there")
    @Outcome(expect = FORBIDDEN, desc = "torn, lost or twice")
    @State
    public static class BehindAHole {
        private final StressQueue queue = StressQueue.take();

        /** A claim that is old enough to be taken away. */
        public BehindAHole() {
            queue.claim(queue.peer(0), 7, 1);
            queue.maintain();
            queue.elapse();
        }

        /** Appends behind it. */
        @Actor
        public void initiator() {
            queue.append(queue.peer(1), 2, 2);
        }

        /** Closes the hole. */
        @Actor
        public void owner() {
            queue.maintain();
        }

        /** What the consumer gets; the late initiator lets go of its slot. */
        @Arbiter
        public void after(II_Result r) {
            r.r1 = queue.poll();
            r.r2 = queue.poll();
            Appender late = queue.peer(0);
            StressQueue.commit(late, StressQueue.LENGTH, 7);
            queue.giveBack();
        }
    }
}

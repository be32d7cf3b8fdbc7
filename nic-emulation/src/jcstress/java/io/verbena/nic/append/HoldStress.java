package io.verbena.nic.append;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Records that are held, and two consumers of one queue. */
public class HoldStress {
    /** The release of the last record of a chunk against the maintenance that looks whether it may have the chunk. */
    @JCStressTest
    @Outcome(id = "7, 0", expect = ACCEPTABLE, desc = "whole until its release, the chunk back or its allocator woken")
    @Outcome(expect = FORBIDDEN, desc = "used again under the reader, or kept for ever")
    @State
    public static class ReleaseAndRetire {
        private final StressQueue queue = StressQueue.take();
        private final AppendRecord record = new AppendRecord();

        /** A record is held of a chunk that the head has left. */
        public ReleaseAndRetire() {
            queue.append(queue.peer(0), 7, 1);
            queue.hold(record);
            queue.leaveChunk();
            queue.forgetWakes();
        }

        /** Reads the record and releases it. */
        @Actor
        public void holder(II_Result r) {
            r.r1 = StressQueue.number(record);
            record.release();
        }

        /** Would use the chunk again. */
        @Actor
        public void maintenance() {
            queue.turn();
        }

        /** Who was too early is called again. */
        @Arbiter
        public void after(II_Result r) {
            if (queue.isWoken()) {
                queue.maintain();
            }
            r.r2 = queue.heldChunks();
            queue.giveBack();
        }
    }

    /** Two consumers at the flag. */
    @JCStressTest
    @Outcome(
            id = {"1, 2, 0", "1, 0, 2", "0, 1, 2", "2, 1, 0", "0, 2, 1", "2, 0, 1", "0, 0, 3"},
            expect = ACCEPTABLE,
            desc = "each record once; who met the other may have found nothing")
    @Outcome(expect = FORBIDDEN, desc = "torn, lost or twice")
    @State
    public static class TwoConsumers {
        private final StressQueue queue = StressQueue.takeForConsumers();

        /** Two records. */
        public TwoConsumers() {
            queue.append(queue.peer(0), 1, 1);
            queue.append(queue.peer(0), 2, 1);
        }

        /** Takes one. */
        @Actor
        public void one(III_Result r) {
            r.r1 = queue.poll(0);
        }

        /** Takes one. */
        @Actor
        public void two(III_Result r) {
            r.r2 = queue.poll(1);
        }

        /** What is left, added up. */
        @Arbiter
        public void after(III_Result r) {
            int left = queue.poll(0);
            r.r3 = left + queue.poll(0);
            queue.giveBack();
        }
    }

    /** A record is released once, whoever tries. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one of them, the other is told")
    @Outcome(expect = FORBIDDEN, desc = "both or none")
    @State
    public static class ReleaseTwice {
        private final StressQueue queue = StressQueue.take();
        private final AppendRecord record = new AppendRecord();

        /** A record is held. */
        public ReleaseTwice() {
            queue.append(queue.peer(0), 7, 1);
            queue.hold(record);
        }

        private int release() {
            try {
                record.release();
                return 1;
            } catch (IllegalStateException e) {
                return 0;
            }
        }

        /** Releases it. */
        @Actor
        public void one(II_Result r) {
            r.r1 = release();
        }

        /** Releases it. */
        @Actor
        public void two(II_Result r) {
            r.r2 = release();
        }

        /** Gives the queue back. */
        @Arbiter
        public void after() {
            queue.giveBack();
        }
    }
}

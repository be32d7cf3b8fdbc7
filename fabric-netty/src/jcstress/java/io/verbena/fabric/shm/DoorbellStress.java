package io.verbena.fabric.shm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.nic.verbs.EngineMode;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Who posts and who drives, at one engine: what was posted is done when all of them have let the baton go, whoever of
 * them did it. Nobody runs the engine afterwards.
 */
public class DoorbellStress {
    /** Kept in a pool, for a NIC is too much for a state. */
    private static final class Nics extends WritingNics {
        private static final ConcurrentLinkedQueue<Nics> POOL = new ConcurrentLinkedQueue<>();

        private Nics() {
            super(context(EngineMode.INVOKER));
            settle(writer.engine(0)::doWork);
        }

        static Nics take() {
            Nics nics = POOL.poll();
            if (nics == null) {
                nics = new Nics();
            }
            nics.clear();
            return nics;
        }

        void drive() {
            while (writer.engine(0).doWork() > 0) {}
        }

        void giveBack() {
            while (writer.engine(0).hasWork()) {
                writer.engine(0).doWork();
            }
            takeCompletions();
            POOL.add(this);
        }
    }

    /** A poster, and somebody who drives the engine until it finds nothing. */
    @JCStressTest
    @Outcome(id = "7, 0", expect = ACCEPTABLE, desc = "done")
    @Outcome(expect = FORBIDDEN, desc = "the doorbell was lost")
    @State
    public static class PosterAndDriver {
        private final Nics nics = Nics.take();

        /** Posts a WRITE. */
        @Actor
        public void poster() {
            nics.post(0);
        }

        /** Drives. */
        @Actor
        public void driver() {
            nics.drive();
        }

        /** Whether it was done. */
        @Arbiter
        public void after(II_Result r) {
            r.r1 = nics.written(0);
            nics.giveBack();
        }
    }

    /** Two posters, each of whom may find the baton taken. */
    @JCStressTest
    @Outcome(id = "7, 7", expect = ACCEPTABLE, desc = "both done")
    @Outcome(expect = FORBIDDEN, desc = "a doorbell was lost")
    @State
    public static class TwoPosters {
        private final Nics nics = Nics.take();

        /** Posts a WRITE. */
        @Actor
        public void one() {
            nics.post(0);
        }

        /** Posts another. */
        @Actor
        public void two() {
            nics.post(1);
        }

        /** Whether they were done. */
        @Arbiter
        public void after(II_Result r) {
            r.r1 = nics.written(0);
            r.r2 = nics.written(1);
            nics.giveBack();
        }
    }
}

package io.verbena.fabric.shm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.nic.port.Waiter;
import io.verbena.nic.verbs.EngineMode;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Who rings while an engine's own thread goes to sleep: either the thread sees the doorbell before it sleeps, or it is
 * woken. One actor sends the thread round, so that it goes to sleep again while the others ring. Here it sleeps for as
 * long as nobody wakes it: when all have rung and it sleeps unwoken, what is not done never will be.
 */
public class SleepStress {
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    /** A sleep without an end of its own. */
    private static final class EndlessSleep implements Waiter {
        private static final int AWAKE = 0;
        private static final int ASLEEP = 1;
        private static final int WOKEN = 2;

        private final AtomicInteger state = new AtomicInteger();
        private volatile Thread sleeper;

        @Override
        public boolean isOwner() {
            return true;
        }

        @Override
        public int poll() {
            return 0;
        }

        @Override
        public void await(long nanos) {
            sleeper = Thread.currentThread();
            if (state.compareAndSet(AWAKE, ASLEEP)) {
                while (state.get() == ASLEEP) {
                    LockSupport.park(this);
                }
            }
            state.set(AWAKE);
        }

        @Override
        public void wake() {
            state.set(WOKEN);
            LockSupport.unpark(sleeper);
        }

        /** Whether it sleeps and nobody has woken it. */
        boolean isSound() {
            return state.get() == ASLEEP;
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    /** The writer's engine is the one that sleeps; kept in a pool, for a NIC is too much for a state. */
    private static final class Nics extends WritingNics {
        private static final ConcurrentLinkedQueue<Nics> POOL = new ConcurrentLinkedQueue<>();

        private final EndlessSleep sleep;

        private Nics(EndlessSleep sleep) {
            super(context(EngineMode.THREAD).longestSpinNanos(0).waiters(sleep));
            this.sleep = sleep;
            settle(sleep::wake);
        }

        static Nics take() {
            Nics nics = POOL.poll();
            if (nics == null) {
                nics = new Nics(new EndlessSleep());
            }
            nics.awaitSleep();
            nics.clear();
            return nics;
        }

        /** Sends the engine's thread round: a turn, and to sleep again. */
        void stir() {
            sleep.wake();
        }

        void awaitSleep() {
            long start = System.nanoTime();
            while (!sleep.isSound()) {
                Thread.yield();
                if (System.nanoTime() - start > PATIENCE_NANOS) {
                    throw new IllegalStateException("the engine does not sleep");
                }
            }
        }

        void giveBack() {
            takeCompletions();
            POOL.add(this);
        }
    }

    /** One rings. */
    @JCStressTest
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "done")
    @Outcome(expect = FORBIDDEN, desc = "the engine sleeps over a doorbell")
    @State
    public static class OnePoster {
        private final Nics nics = Nics.take();

        /** Posts a WRITE. */
        @Actor
        public void poster() {
            nics.post(0);
        }

        /** Lets the engine go to sleep meanwhile. */
        @Actor
        public void stirrer() {
            nics.stir();
        }

        /** Whether it was done. */
        @Arbiter
        public void after(I_Result r) {
            nics.awaitSleep();
            r.r1 = nics.written(0);
            nics.giveBack();
        }
    }

    /** Two ring, on queue pairs of their own: the first may have woken it for both, or not. */
    @JCStressTest
    @Outcome(id = "7, 7", expect = ACCEPTABLE, desc = "both done")
    @Outcome(expect = FORBIDDEN, desc = "the engine sleeps over a doorbell")
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

        /** Lets the engine go to sleep meanwhile. */
        @Actor
        public void stirrer() {
            nics.stir();
        }

        /** Whether they were done. */
        @Arbiter
        public void after(II_Result r) {
            nics.awaitSleep();
            r.r1 = nics.written(0);
            r.r2 = nics.written(1);
            nics.giveBack();
        }
    }
}

package io.verbena.dispatch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A thread goes on inside of what another closes: where it was seen to rest, it finds that closed. */
public final class RestStress {
    private RestStress() {}

    /** One that has a bias, or enters by compare-and-set. */
    public abstract static class Guarded {
        private final SingleThreadGuard use = new SingleThreadGuard();
        private volatile boolean closed;

        Guarded(boolean forMany) {
            if (forMany) {
                use.forMany();
            }
        }

        final boolean goesOnAndIsOpen() {
            if (!use.tryEnter()) {
                return false; // somebody looks, which this one does not do
            }
            use.rest();
            use.goOn();
            boolean open = !closed;
            use.leave();
            return open;
        }

        final boolean closesAndSeesItRest() {
            closed = true;
            return use.isResting();
        }
    }

    /** By plain stores. */
    @JCStressTest
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "seen to rest, and does not see what was written before")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "not seen to rest, or sees it")
    @State
    public static class Biased extends Guarded {
        /** Creates one that nobody has entered. */
        public Biased() {
            super(false);
        }

        /** Uses it. */
        @Actor
        public void user(ZZ_Result r) {
            r.r1 = goesOnAndIsOpen();
        }

        /** Closes it. */
        @Actor
        public void closer(ZZ_Result r) {
            r.r2 = closesAndSeesItRest();
        }
    }

    /** By compare-and-set. */
    @JCStressTest
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "seen to rest, and does not see what was written before")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "not seen to rest, or sees it")
    @State
    public static class ForMany extends Guarded {
        /** Creates one that nobody has entered. */
        public ForMany() {
            super(true);
        }

        /** Uses it. */
        @Actor
        public void user(ZZ_Result r) {
            r.r1 = goesOnAndIsOpen();
        }

        /** Closes it. */
        @Actor
        public void closer(ZZ_Result r) {
            r.r2 = closesAndSeesItRest();
        }
    }
}

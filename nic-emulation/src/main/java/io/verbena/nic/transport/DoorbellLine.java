package io.verbena.nic.transport;

import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.FlowGroup;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A queue pair's doorbell, on a cache line of its own: a poster that waits for room rings again and again, and what the
 * engine keeps of the queue pair is not to move to that poster's processor each time. Classes that extend each other,
 * for the JVM keeps the fields of a class before those of its subclasses.
 */
final class DoorbellLine {
    private DoorbellLine() {}

    /** Keeps the line apart from what lies before. */
    @SuppressWarnings("unused")
    abstract static class Before extends Flow {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;

        Before(FlowGroup group) {
            super(group);
        }
    }

    /** The line. */
    abstract static class Doorbell extends Before {
        private static final VarHandle RUNG;

        static {
            try {
                RUNG = MethodHandles.lookup().findVarHandle(Doorbell.class, "rung", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** Whether other groups send where it has sent last; the engine's, a hint for others. */
        public boolean contended;

        @SuppressWarnings("unused") // through RUNG
        private volatile int rung;

        Doorbell(FlowGroup group) {
            super(group);
        }

        /**
         * Poster: rings the doorbell. A full fence: what was published before is seen by whoever has not heard it yet.
         * One that was rung is only read.
         *
         * @return whether it was silent, so that the engine must be told
         */
        public final boolean ring() {
            VarHandle.fullFence();
            return rung == 0 && (int) RUNG.getAndSet(this, 1) == 0;
        }

        /** Engine: the doorbell was heard; looks at the ring must come after this. */
        public final void heard() {
            RUNG.setVolatile(this, 0);
        }

        /** Whether the doorbell was rung and not heard yet; any thread, a hint. */
        final boolean isRung() {
            return rung != 0;
        }
    }

    /** Keeps the line apart from what follows. */
    @SuppressWarnings("unused")
    abstract static class Behind extends Doorbell {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;

        Behind(FlowGroup group) {
            super(group);
        }
    }
}

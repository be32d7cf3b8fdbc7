package io.verbena.mux;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What posters keep of a {@link ReadyList}, on a cache line of its own: classes that extend each other, for the JVM
 * keeps the fields of a class before those of its subclasses.
 */
final class ReadyListLine {
    private ReadyListLine() {}

    /** Keeps the line apart from what lies before. */
    @SuppressWarnings("unused")
    abstract static class Before {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    }

    /** The line. */
    abstract static class Taken extends Before {
        static final VarHandle TAKEN;

        static {
            try {
                TAKEN = MethodHandles.lookup().findVarHandle(Taken.class, "taken", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** Entries that the engine has taken, as far as posters have looked. */
        @SuppressWarnings("unused") // through TAKEN
        private long taken;
    }

    /** Keeps the line apart from what follows. */
    @SuppressWarnings("unused")
    abstract static class Behind extends Taken {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    }
}

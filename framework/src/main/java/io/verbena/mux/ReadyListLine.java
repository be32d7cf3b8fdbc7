package io.verbena.mux;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The word of a {@link ReadyList}, on a cache line of its own: classes that extend each other, for the JVM keeps the
 * fields of a class before those of its subclasses.
 */
final class ReadyListLine {
    private ReadyListLine() {}

    /** Keeps the line apart from what lies before. */
    @SuppressWarnings("unused")
    abstract static class Before {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    }

    /** The line. */
    abstract static class Top extends Before {
        static final VarHandle TOP;

        static {
            try {
                TOP = MethodHandles.lookup().findVarHandle(Top.class, "top", ReadyList.Entry.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** The one that was pushed last. */
        volatile ReadyList.@Nullable Entry top;
    }

    /** Keeps the line apart from what follows. */
    @SuppressWarnings("unused")
    abstract static class Behind extends Top {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    }
}

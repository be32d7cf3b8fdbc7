package io.verbena.nic.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the two sides of a ring of requests know, on cache lines of their own: classes that extend each other, for the
 * JVM keeps the fields of a class before those of its subclasses.
 *
 * <pre>
 *   Before:  128 bytes
 *   Poster:  published (told to the engine), first, and the poster's own
 *   Between: 128 bytes
 *   Told:    consumed (told to the poster, who may wait for it and look again and again)
 *   Apart:   128 bytes
 *   Engine:  the engine's own
 *   Behind:  128 bytes
 * </pre>
 */
final class RingLines {
    private RingLines() {}

    /** Keeps the poster's line apart from what lies before: what was made just before a ring is often the engine's. */
    @SuppressWarnings("unused")
    abstract static class Before {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    }

    /** The poster's line. */
    abstract static class Poster extends Before {
        private static final VarHandle PUBLISHED = word(Poster.class, "published");

        @SuppressWarnings("unused") // through PUBLISHED
        private volatile long published;

        /** The request that lies in the first slot; written before a request behind it is published. */
        long first;

        /** Requests claimed and filled. */
        long produced;

        /** What the poster has seen of {@code consumed}. */
        long consumedSeen;

        /** Before which request the poster of a send ring looks whether it is empty. */
        long nextLook;

        long publishedAcquire() {
            return (long) PUBLISHED.getAcquire(this);
        }

        void publish(long index) {
            PUBLISHED.setRelease(this, index);
        }
    }

    /** Keeps the lines apart. */
    @SuppressWarnings("unused")
    abstract static class Between extends Poster {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    }

    /** What the engine tells. */
    abstract static class Told extends Between {
        private static final VarHandle CONSUMED = word(Told.class, "consumed");

        @SuppressWarnings("unused") // through CONSUMED
        private volatile long consumed;

        long consumedAcquire() {
            return (long) CONSUMED.getAcquire(this);
        }

        void consume(long index) {
            CONSUMED.setRelease(this, index);
        }
    }

    /** Keeps a poster that waits off the engine's own. */
    @SuppressWarnings("unused")
    abstract static class Apart extends Told {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    }

    /** The engine's own line. */
    abstract static class Engine extends Apart {
        /** The oldest request that is not complete. */
        long head;

        /** The request of a send ring that is to be sent next. */
        long next;

        /** What the engine has seen of {@code published}. */
        long publishedSeen;

        /** What the engine has seen of {@code first}. */
        long firstSeen;

        /** What was read of requests to fetch them: kept, so that it is read. */
        long fetched;
    }

    /** Keeps the engine's line apart from what follows. */
    @SuppressWarnings("unused")
    abstract static class Behind extends Engine {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    }

    private static VarHandle word(Class<?> of, String name) {
        try {
            return MethodHandles.privateLookupIn(of, MethodHandles.lookup()).findVarHandle(of, name, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}

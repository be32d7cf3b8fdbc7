package io.verbena.papers.model;

import io.verbena.bench.cores.CorePair;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Two threads, pinned, that ring each other's bell in turn: the median of batches of round trips. */
final class BellRoundTrip {
    private static final int BATCH = 16;
    private static final int MAX_BATCHES = 1 << 14;
    private static final long LIMIT_NANOS = 5_000_000_000L;
    private static final long JOIN_MILLIS = 120_000;

    /** How a thread is told that it is its turn; one waits, one rings. */
    interface Bell extends AutoCloseable {
        /** Tells it. */
        void ring();

        /** Waits until it was told once more, or some time is over; says which. */
        boolean await();

        @Override
        default void close() {}
    }

    private final CorePair cores;
    private final long spanNanos;
    private volatile boolean over;
    private volatile @Nullable Throwable failure;

    BellRoundTrip(CorePair cores, long spanNanos) {
        this.cores = cores;
        this.spanNanos = spanNanos;
    }

    /** A round trip in nanoseconds, by bells of a kind. */
    double nanos(Supplier<Bell> bells) {
        double[] median = new double[1];
        try (Bell there = bells.get();
                Bell back = bells.get()) {
            Thread far = thread("far", () -> {
                cores.pinFar();
                while (!over) {
                    if (there.await()) {
                        back.ring();
                    }
                }
            });
            Thread near = thread("near", () -> {
                cores.pinNear();
                try {
                    median[0] = median(there, back);
                } finally {
                    over = true;
                    there.ring();
                }
            });
            join(near);
            over = true;
            join(far);
        }
        Throwable thrown = failure;
        if (thrown != null) {
            throw new RunException("ping-pong: " + thrown, thrown);
        }
        return median[0];
    }

    private double median(Bell there, Bell back) {
        roundTrips(there, back, BATCH);
        long[] batches = new long[MAX_BATCHES];
        int count = 0;
        long begin = System.nanoTime();
        for (long start = begin; count == 0 || (start - begin < 2 * spanNanos && count < MAX_BATCHES); ) {
            roundTrips(there, back, BATCH);
            long end = System.nanoTime();
            if (end - begin > spanNanos) { // the first half warms up
                batches[count++] = end - start;
            }
            start = end;
        }
        Arrays.sort(batches, 0, count);
        return (double) batches[count / 2] / BATCH;
    }

    private static void roundTrips(Bell there, Bell back, int count) {
        for (int i = 0; i < count; i++) {
            there.ring();
            long limit = System.nanoTime() + LIMIT_NANOS;
            while (!back.await()) {
                if (System.nanoTime() - limit > 0) {
                    throw new RunException("no answer within 5 s");
                }
            }
        }
    }

    private Thread thread(String name, Runnable task) {
        Thread thread = new Thread(task, "ping-pong-" + name);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((who, thrown) -> {
            failure = thrown;
            over = true;
        });
        thread.start();
        return thread;
    }

    private static void join(Thread thread) {
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new RunException(thread.getName() + " does not end");
        }
    }

    /** A counter in a line of its own. */
    private abstract static class Counter implements Bell {
        private static final int AT = 16;
        private static final int LOOKS = 1 << 16;
        private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

        private final long[] line = new long[2 * AT];
        private long rung;
        private long heard;

        final void count() {
            WORD.setVolatile(line, AT, ++rung);
        }

        final boolean hear() {
            if ((long) WORD.getVolatile(line, AT) == heard) {
                return false;
            }
            heard++;
            return true;
        }

        final boolean spin() {
            for (int i = 0; i < LOOKS; i++) {
                if (hear()) {
                    return true;
                }
                Thread.onSpinWait();
            }
            return false;
        }
    }

    /** Heard by who looks all the time. */
    static Bell spinning() {
        return new Counter() {
            @Override
            public void ring() {
                count();
            }

            @Override
            public boolean await() {
                return spin();
            }
        };
    }

    /** Heard by who is parked. */
    static Bell parking() {
        return new Counter() {
            private volatile @Nullable Thread sleeper;

            @Override
            public void ring() {
                count();
                Thread asleep = sleeper;
                if (asleep != null) {
                    LockSupport.unpark(asleep);
                }
            }

            @Override
            public boolean await() {
                sleeper = Thread.currentThread();
                if (hear()) {
                    return true;
                }
                LockSupport.parkNanos(this, 1_000_000_000L);
                return hear();
            }
        };
    }

    /** Heard by who waits for an eventfd, by epoll, as an event loop does. */
    static Bell selecting() {
        Selector selector;
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new RunException("no selector: " + e.getMessage(), e);
        }
        return new Counter() {
            @Override
            public void ring() {
                count();
                selector.wakeup();
            }

            @Override
            public boolean await() {
                if (hear()) {
                    return true;
                }
                try {
                    selector.select(1_000);
                } catch (IOException e) {
                    throw new RunException("select: " + e.getMessage(), e);
                }
                return hear();
            }

            @Override
            public void close() {
                try {
                    selector.close();
                } catch (IOException e) {
                    throw new RunException("close: " + e.getMessage(), e);
                }
            }
        };
    }
}

package io.verbena.bench.tenants;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.bench.path.Idle;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A thread that sets something up, takes turns of it until it is told to stop, and closes it. */
final class TurnThread implements AutoCloseable {
    private static final long SECONDS_TO_STOP = 20;
    private static final int LOOK = 15;

    private final Thread thread;
    private volatile boolean ready;
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    /** What a worker does. */
    record Job(IntSupplier turn, Runnable end) {}

    /** Starts it. */
    TurnThread(String name, Supplier<Job> setUp) {
        thread = new FastThreadLocalThread(() -> run(setUp), name); // on others Netty makes new objects for each write
        thread.setDaemon(true);
        thread.start();
    }

    private void run(Supplier<Job> setUp) {
        try {
            Job job = setUp.get();
            ready = true;
            try {
                turns(job.turn());
            } catch (RuntimeException | Error e) {
                failure = e; // before the others see what it leaves
                throw e;
            } finally {
                job.end().run();
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    private void turns(IntSupplier turn) {
        Idle idle = new Idle();
        for (int i = 1; (i & LOOK) != 0 || !stopped; i++) {
            if (turn.getAsInt() == 0) {
                idle.idle();
            } else {
                idle.reset();
            }
        }
    }

    /** Whether it takes its turns. */
    boolean isReady() {
        check();
        return ready;
    }

    /** Throws if it has failed. */
    void check() {
        Throwable cause = failure;
        if (cause != null) {
            throw new RunException(thread.getName() + " failed: " + cause, cause);
        }
    }

    /** Lets it end, and waits for that. */
    @Override
    public void close() {
        stopped = true;
        if (!Waits.join(thread, TimeUnit.SECONDS.toMillis(SECONDS_TO_STOP))) {
            throw new RunException(thread.getName() + " has not ended within " + SECONDS_TO_STOP + " s");
        }
    }
}

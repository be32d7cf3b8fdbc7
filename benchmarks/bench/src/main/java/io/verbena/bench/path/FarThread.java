package io.verbena.bench.path;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.verbena.bench.cores.CorePair;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A path whose far end has a thread in this process, while the calling thread has the near end. */
public final class FarThread implements AutoCloseable {
    private static final int LIMIT = 256; // so that answers of a whole window may leave together
    private static final int LOOK = 1023;

    private final Thread thread;
    private final End near;
    private volatile boolean stopped;
    private volatile long taken;
    private volatile @Nullable Throwable failure;

    /**
     * Opens both ends; the far one is polled until {@link #close}.
     *
     * @param kind the path
     * @param length bytes of a message
     * @param echo whether the far end answers
     */
    public FarThread(PathKind kind, int length, boolean echo) {
        this(kind, PathSettings.ofLength(length), echo);
    }

    /**
     * Opens both ends; the far one is polled until {@link #close}.
     *
     * @param kind the path
     * @param settings of both ends
     * @param echo whether the far end answers
     */
    public FarThread(PathKind kind, PathSettings settings, boolean echo) {
        this(kind, settings, (own, far) -> own.serve(far, echo));
    }

    /**
     * Opens both ends and pins the calling thread and the far end's; the far end is polled until {@link #close}.
     *
     * @param kind the path
     * @param length bytes of a message
     * @param echo whether the far end answers
     * @param cores of both
     */
    public FarThread(PathKind kind, int length, boolean echo, CorePair cores) {
        this(kind, PathSettings.ofLength(length), (own, far) -> {
            cores.pinFar();
            own.serve(far, echo);
        });
        cores.pinNear();
    }

    /**
     * Opens both ends.
     *
     * @param kind the path
     * @param length bytes of a message
     * @param work the far end's, until it is told to stop
     */
    public FarThread(PathKind kind, int length, Consumer<End> work) {
        this(kind, PathSettings.ofLength(length), work);
    }

    /**
     * Opens both ends.
     *
     * @param kind the path
     * @param settings of both ends
     * @param work the far end's, until it is told to stop
     */
    public FarThread(PathKind kind, PathSettings settings, Consumer<End> work) {
        this(kind, settings, (own, far) -> work.accept(far));
    }

    private FarThread(PathKind kind, PathSettings settings, BiConsumer<FarThread, End> work) {
        Rendezvous[] pair = Rendezvous.pair();
        thread = new FastThreadLocalThread( // on others Netty makes new objects for each write
                () -> {
                    try (End far = kind.open(pair[1], false, settings)) {
                        work.accept(this, far);
                    } catch (RuntimeException | Error e) {
                        failure = e;
                    }
                },
                "far-end");
        thread.setDaemon(true);
        thread.start();
        near = kind.open(pair[0], true, settings);
    }

    private void serve(End far, boolean echo) {
        serve(far, echo, () -> {
            taken = far.taken();
            return stopped;
        });
    }

    /** Polls an end until told to stop. */
    public static void serve(End far, boolean echo, BooleanSupplier stop) {
        if (echo && far.isAnswered()) {
            far.echo();
        }
        Idle idle = new Idle(far);
        int look = far instanceof LocalEnd ? 0 : LOOK; // one that sleeps in each poll hears of the end at once
        for (int i = 1; (i & look) != 0 || !stop.getAsBoolean(); i++) {
            if (far.poll(LIMIT) == 0) {
                idle.idle();
            } else {
                idle.reset();
            }
        }
    }

    /** The end of the calling thread. */
    public End near() {
        return near;
    }

    /** Messages the far end has taken, now and then brought up to date. */
    public long taken() {
        return taken;
    }

    /** Throws if the far end has failed. */
    public void check() {
        Throwable cause = failure;
        if (cause != null) {
            throw new RunException("the far end failed: " + cause.getMessage(), cause);
        }
    }

    @Override
    public void close() {
        try {
            if (failure == null) {
                near.finish();
            }
        } finally {
            stop();
        }
    }

    private void stop() {
        stopped = true;
        boolean ended = Waits.join(thread, TimeUnit.SECONDS.toMillis(10));
        near.close();
        check();
        if (!ended) {
            throw new RunException("the far end has not ended within 10 s");
        }
    }
}

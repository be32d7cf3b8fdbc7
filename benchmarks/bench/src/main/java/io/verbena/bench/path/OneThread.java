package io.verbena.bench.path;

import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A path with both ends in the calling thread: what an operation costs the processor, without the way of cache lines
 * between cores. For paths whose ends may change their thread, so not for sockets.
 */
public final class OneThread implements AutoCloseable {
    private final End near;
    private final End far;

    /** Opens both ends. */
    public OneThread(PathKind kind, int length) {
        Rendezvous[] pair = Rendezvous.pair();
        AtomicReference<@Nullable End> opened = new AtomicReference<>();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread opener = new Thread(
                () -> {
                    try {
                        opened.set(kind.open(pair[1], false, length));
                    } catch (RuntimeException | Error e) {
                        failure.set(e);
                    }
                },
                "far-end-opener");
        opener.setDaemon(true);
        opener.start();
        near = kind.open(pair[0], true, length);
        Waits.join(opener, TimeUnit.SECONDS.toMillis(10));
        End other = opened.get();
        if (other == null) {
            near.close();
            throw new RunException("the far end does not open", failure.get());
        }
        far = other;
    }

    /** The end that sends. */
    public End near() {
        return near;
    }

    /** Sends messages, each with a doorbell of its own. */
    public void post(long first, int count) {
        for (int i = 0; i < count; i++) {
            near.offerNow(first + i);
            near.flush();
        }
    }

    /** Takes messages until so many have come since the beginning. */
    public void poll(long total) {
        int turns = 0;
        WaitLimit deadline = null;
        while (far.taken() < total) {
            if (far.poll(64) == 0) {
                near.poll(64);
                if (++turns > 1000) {
                    deadline = deadline == null ? WaitLimit.ofSeconds(10, "message " + far.taken()) : deadline;
                    deadline.check();
                }
            }
        }
    }

    @Override
    public void close() {
        far.close();
        near.close();
    }
}

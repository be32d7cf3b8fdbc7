package io.verbena.nic.jfr;

import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy.Waiting;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tells the JDK's flight recorder once a second what waiting at a NIC costs. Where this JVM was made without one it
 * does nothing.
 *
 * <p>Thread-safe.
 */
public final class WaitRecorder implements AutoCloseable {
    private static final boolean AVAILABLE =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private final @Nullable WaitEvents events; // the only one that knows the recorder's classes

    /**
     * Creates a recorder.
     *
     * @param nic name of the NIC
     * @param statistics gives what was counted so far; any thread
     */
    public WaitRecorder(String nic, Function<Waiting, WaitStatistics> statistics) {
        events = AVAILABLE ? new WaitEvents(nic, statistics) : null;
    }

    /** Tells from here on, until it is closed. */
    public void start() {
        if (events != null) {
            events.start();
        }
    }

    /** Tells no more. Idempotent. */
    @Override
    public void close() {
        if (events != null) {
            events.close();
        }
    }
}

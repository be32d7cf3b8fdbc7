package io.verbena.merge;

import io.verbena.MergingStatistics;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells the JDK's flight recorder once a second what the merging regions of a node's tenants have done. Where this JVM
 * was made without one it does nothing.
 *
 * <p>Thread-safe.
 */
public final class MergingRecorder implements AutoCloseable {
    private static final boolean AVAILABLE =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private final @Nullable MergingEvents events; // the only one that knows the recorder's classes

    /**
     * Creates a recorder.
     *
     * @param node its name
     * @param tenants gives what was counted so far, by the tenant's name; any thread
     */
    public MergingRecorder(String node, Supplier<Map<String, MergingStatistics>> tenants) {
        events = AVAILABLE ? new MergingEvents(node, tenants) : null;
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

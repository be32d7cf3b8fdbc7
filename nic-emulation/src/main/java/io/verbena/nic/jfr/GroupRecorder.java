package io.verbena.nic.jfr;

import io.verbena.nic.arbiter.FlowGroup;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells the JDK's flight recorder of a NIC's groups. Where this JVM was made without one it does nothing.
 *
 * <p>Thread-safe.
 */
public final class GroupRecorder implements AutoCloseable {
    private static final boolean AVAILABLE =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private final @Nullable GroupEvents events; // the only one that knows the recorder's classes

    /**
     * A group and its name.
     *
     * @param name of the group
     * @param group the group
     */
    public record Named(String name, FlowGroup group) {}

    /**
     * Creates a recorder.
     *
     * @param nic name of the NIC
     * @param groups gives the groups that there are; any thread
     */
    public GroupRecorder(String nic, Supplier<List<Named>> groups) {
        events = AVAILABLE ? new GroupEvents(nic, groups) : null;
    }

    /** Tells from here on, until it is closed. */
    public void start() {
        if (events != null) {
            events.start();
        }
    }

    /** A weight was changed. */
    public void changed(String group, int from, int to) {
        if (events != null) {
            events.changed(group, from, to);
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

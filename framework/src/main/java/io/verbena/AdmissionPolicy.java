package io.verbena;

import io.verbena.fabric.Nanos;
import io.verbena.merge.BacklogWindow;
import io.verbena.merge.TimelyWindow;
import io.verbena.merge.Window;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * How many bytes a merging region lets be under way to its node, see {@link RegionOptions#admission}. Immutable; each
 * region has a window of its own by it, and counts the bytes of all of the tenant's regions to that node against it.
 */
public final class AdmissionPolicy {
    private static final long MIN_NANOS = 1_000;

    private final Supplier<Window> windows;
    private final String text;

    private AdmissionPolicy(Supplier<Window> windows, String text) {
        this.windows = windows;
        this.text = text;
    }

    /**
     * Always as many (RDMAbox).
     *
     * @param bytes at least 1
     */
    public static AdmissionPolicy fixed(long bytes) {
        Limits.atLeast("window", bytes, 1);
        return new AdmissionPolicy(() -> Window.fixed(bytes), "fixed, " + bytes + " bytes");
    }

    /**
     * As many as the node takes in its least round trip and some time more (Homa's bound on what is queued at a NIC):
     * the rate of delivery times both. Both are measured, over the last 10 s at most. Never below 64 KiB.
     *
     * @param backlog time's worth of bytes that may be queued on the way, 1 us to 1 h
     */
    public static AdmissionPolicy backlogTime(Duration backlog) {
        long nanos = nanos("backlog", backlog);
        return new AdmissionPolicy(() -> new BacklogWindow(nanos), "backlog of " + backlog);
    }

    /**
     * By round trips (TIMELY): more below a low one, fewer above a high one, and between them fewer while they grow.
     * Between 64 KiB and 64 MiB.
     *
     * @param low round trip up to which nothing is queued, 1 us to 1 h
     * @param high round trip above which too much is queued, not below {@code low}
     */
    public static AdmissionPolicy timely(Duration low, Duration high) {
        long from = nanos("low", low);
        long to = nanos("high", Limits.atLeast("high", high, low));
        return new AdmissionPolicy(() -> new TimelyWindow(from, to), "round trips of " + low + " to " + high);
    }

    /**
     * As a control of the application's says, each time that something has ended.
     *
     * @param firstBytes the window until then, at least 1
     * @param controls gives each region a control of its own, when it is attached
     */
    public static AdmissionPolicy of(long firstBytes, Supplier<? extends AdmissionControl> controls) {
        Limits.atLeast("first window", firstBytes, 1);
        Objects.requireNonNull(controls, "controls");
        return new AdmissionPolicy(
                () -> new ControlledWindow(firstBytes, Objects.requireNonNull(controls.get(), "control")),
                "a control, from " + firstBytes + " bytes on");
    }

    private static long nanos(String what, Duration time) {
        long nanos = Nanos.of(time);
        Limits.atLeast(what + " in ns", nanos, MIN_NANOS);
        return Math.min(nanos, Nanos.of(Duration.ofHours(1)));
    }

    Window window() {
        return windows.get();
    }

    @Override
    public String toString() {
        return text;
    }
}

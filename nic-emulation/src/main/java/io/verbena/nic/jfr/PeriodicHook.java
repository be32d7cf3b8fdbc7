package io.verbena.nic.jfr;

import java.lang.ref.WeakReference;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * What the flight recorder keeps of a source of periodic events: not the source itself, so that a NIC or node that was
 * dropped without being closed is collected. Until the recorder is first used it is not even started.
 *
 * <p>Thread-safe: the recorder calls by one thread at a time.
 */
public final class PeriodicHook implements FlightRecorderListener, Runnable {
    private final Class<? extends Event> type;
    private final WeakReference<Runnable> source;

    /**
     * Creates it.
     *
     * @param type of the events, which says how often the recorder calls
     * @param source emits them
     */
    public PeriodicHook(Class<? extends Event> type, Runnable source) {
        this.type = type;
        this.source = new WeakReference<>(source);
    }

    /** Emits from here on, until it is closed. */
    public void start() {
        FlightRecorder.addListener(this); // which is told at once if it runs already
    }

    @Override
    public void recorderInitialized(FlightRecorder recorder) {
        FlightRecorder.addPeriodicEvent(type, this);
    }

    @Override
    public void run() {
        Runnable present = source.get();
        if (present == null) {
            close();
        } else {
            present.run();
        }
    }

    /** Emits no more. Idempotent. */
    public void close() {
        FlightRecorder.removeListener(this);
        FlightRecorder.removePeriodicEvent(this);
    }
}

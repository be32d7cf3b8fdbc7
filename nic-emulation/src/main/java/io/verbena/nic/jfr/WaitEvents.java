package io.verbena.nic.jfr;

import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy.Waiting;
import java.lang.ref.WeakReference;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * The events of a NIC's waits. The recorder calls once a second while it records {@code io.verbena.Wait}; until it is
 * first used it is not even started.
 *
 * <p>Thread-safe: the recorder calls by one thread at a time.
 */
final class WaitEvents {
    private final String nic;
    private final Function<Waiting, WaitStatistics> statistics;
    private final Map<Waiting, WaitStatistics> before = new EnumMap<>(Waiting.class); // of the recorder's calls
    private final Hook hook = new Hook(this);

    /** What the recorder keeps: it does not keep a NIC that was dropped without being closed. */
    private static final class Hook implements FlightRecorderListener, Runnable {
        private final WeakReference<WaitEvents> events;

        Hook(WaitEvents events) {
            this.events = new WeakReference<>(events);
        }

        @Override
        public void recorderInitialized(FlightRecorder recorder) {
            FlightRecorder.addPeriodicEvent(WaitEvent.class, this);
        }

        @Override
        public void run() {
            WaitEvents present = events.get();
            if (present == null) {
                close();
            } else {
                present.record();
            }
        }

        void close() {
            FlightRecorder.removeListener(this);
            FlightRecorder.removePeriodicEvent(this);
        }
    }

    WaitEvents(String nic, Function<Waiting, WaitStatistics> statistics) {
        this.nic = nic;
        this.statistics = statistics;
    }

    void start() {
        FlightRecorder.addListener(hook); // which is told at once if it runs already
    }

    void close() {
        hook.close();
    }

    private void record() {
        for (Waiting who : Waiting.values()) {
            WaitStatistics now = statistics.apply(who);
            WaitStatistics last = before.put(who, now);
            WaitStatistics since = last == null ? now : now.since(last);
            WaitEvent event = new WaitEvent();
            event.nic = nic;
            event.who = who.name();
            event.emptyLooks = since.emptyLooks();
            event.sleeps = since.sleeps();
            event.wakeUps = since.wakeUps();
            event.commit();
        }
    }
}

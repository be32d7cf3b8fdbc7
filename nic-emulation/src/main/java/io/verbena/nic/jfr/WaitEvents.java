package io.verbena.nic.jfr;

import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy.Waiting;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The events of a NIC's waits. The recorder calls once a second while it records {@code io.verbena.Wait}; until it is
 * first used it is not even started.
 *
 * <p>Thread-safe: the recorder calls by one thread at a time.
 */
final class WaitEvents implements Runnable {
    private final String nic;
    private final Function<Waiting, WaitStatistics> statistics;
    private final Map<Waiting, WaitStatistics> before = new EnumMap<>(Waiting.class); // of the recorder's calls
    private final PeriodicHook hook = new PeriodicHook(WaitEvent.class, this);

    WaitEvents(String nic, Function<Waiting, WaitStatistics> statistics) {
        this.nic = nic;
        this.statistics = statistics;
    }

    void start() {
        hook.start();
    }

    void close() {
        hook.close();
    }

    @Override
    public void run() {
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

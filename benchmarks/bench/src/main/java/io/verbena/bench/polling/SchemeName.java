package io.verbena.bench.polling;

import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.Polling.Scheme;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/** The schemes of the table, with RDMAbox' settings, by the names that a user types. */
public enum SchemeName {
    /** Never sleeps. */
    BUSY(Polling::busy),
    /** Sleeps at once, one entry a wake-up. */
    EVENT(Polling::event),
    /** Sleeps at once, 128 entries a wake-up. */
    EVENT_BATCH(() -> Polling.eventBatch(128)),
    /** Sleeps when nothing is left. */
    HYBRID(Polling::hybrid),
    /** One busy thread for all queues. */
    SHARED_CQ(() -> Polling.sharedCq(1)),
    /** 120 empty looks. */
    ADAPTIVE(Polling::adaptive),
    /** 20 us without work. */
    ADAPTIVE_20US(() -> Polling.adaptive().retryFor(Duration.ofNanos(20_000))),
    /** The default. */
    KVM(Polling::kvm);

    private final Supplier<Polling> polling;

    SchemeName(Supplier<Polling> polling) {
        this.polling = polling;
    }

    Polling polling() {
        return polling.get();
    }

    /** As it is typed and printed. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Why a cell with this scheme means nothing on a machine: threads that never sleep, and others' that burn a core,
     * are more than there are cores.
     *
     * @param busy processes that burn a core each
     */
    Optional<String> whyVoid(int busy, int cores) {
        Scheme scheme = polling().scheme();
        boolean awake = scheme == Scheme.BUSY || scheme == Scheme.SHARED_CQ;
        int needed = busy + 3; // both nodes' own threads, and the client's
        return awake && needed > cores
                ? Optional.of("void: " + needed + " threads that never sleep, " + cores + " cores")
                : Optional.empty();
    }
}

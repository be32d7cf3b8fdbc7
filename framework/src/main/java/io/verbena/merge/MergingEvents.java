package io.verbena.merge;

import io.verbena.MergingStatistics;
import io.verbena.nic.jfr.PeriodicHook;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The events of a node's tenants that merge. The recorder calls once a second while it records
 * {@code io.verbena.Merging}; until it is first used it is not even started.
 *
 * <p>Thread-safe: the recorder calls by one thread at a time.
 */
final class MergingEvents implements Runnable {
    private static final MergingStatistics NOTHING = new MergingStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0);

    private final String node;
    private final Supplier<Map<String, MergingStatistics>> tenants;
    private final Map<String, MergingStatistics> before = new HashMap<>(); // of the recorder's calls
    private final PeriodicHook hook = new PeriodicHook(MergingEvent.class, this);

    MergingEvents(String node, Supplier<Map<String, MergingStatistics>> tenants) {
        this.node = node;
        this.tenants = tenants;
    }

    void start() {
        hook.start();
    }

    void close() {
        hook.close();
    }

    /** One event a tenant, if it ever had a merging region that did something. */
    @Override
    public void run() {
        Map<String, MergingStatistics> now = tenants.get();
        before.keySet().retainAll(now.keySet());
        now.forEach((tenant, its) -> {
            if (!its.isIdle()) {
                tell(tenant, earlier(before.put(tenant, its), its), its);
            }
        });
    }

    /** What there was before; a tenant of the same name that has done less is another. */
    private static MergingStatistics earlier(@Nullable MergingStatistics known, MergingStatistics now) {
        return known == null || known.operations() > now.operations() ? NOTHING : known;
    }

    private void tell(String tenant, MergingStatistics from, MergingStatistics to) {
        MergingEvent event = new MergingEvent();
        event.node = node;
        event.tenant = tenant;
        event.operations = to.operations() - from.operations();
        event.workRequests = to.workRequests() - from.workRequests();
        event.doorbells = to.doorbells() - from.doorbells();
        event.merged = to.merged() - from.merged();
        event.chained = to.chained() - from.chained();
        event.waited = to.waited() - from.waited();
        event.refused = to.refused() - from.refused();
        event.bytesInFlight = to.bytesInFlight();
        event.window = to.window();
        event.commit();
    }
}

package io.verbena.nic.transport;

import io.verbena.nic.arbiter.FlowGroup;
import org.jspecify.annotations.Nullable;

/**
 * What an engine keeps of a queue pair: its doorbell, and its places in the engine's lists.
 *
 * <p>Concurrency: posters ring the doorbell; everything else is used under the engine's baton.
 */
public abstract class ScheduledFlow extends DoorbellLine.Behind {
    /** Place in the engine's timer queue, or -1; the engine's. */
    public int timerIndex = -1;
    /** When the engine's timer queue will look at this queue pair; the engine's. */
    public long timerNanos;
    /** Whether it is on the engine's list of acknowledgements; the engine's. */
    public boolean acknowledgementListed;
    /** Whether the arbiter knows it; the engine's. A doorbell may be heard when it is gone. */
    public boolean attached;
    /** The path on whose list of blocked flows it is, or null; the engine's. */
    public @Nullable Path blockedOn;
    /** Where it is on that list; the path's. */
    int blockedAt;

    ScheduledFlow(FlowGroup group) {
        super(group);
    }

    /** Whether other groups send to its peer too, and it has nothing that waits for its turn; any thread, a hint. */
    public final boolean isStarved() {
        return contended && !isScheduled();
    }
}

package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * What an {@link Arbiter} schedules: one queue pair's traffic. Belongs to a {@link FlowGroup}. The fields are the
 * arbiter's; they live here so that scheduling needs no look-up and no allocation.
 */
public abstract class Flow {
    final FlowGroup group;

    @Nullable
    Flow nextInGroup;

    boolean scheduled;
    long deficit;
    int budget;

    /**
     * Creates a flow without work.
     *
     * @param group whose share it takes part in
     */
    protected Flow(FlowGroup group) {
        this.group = group;
    }

    /** Bytes it may send in the visit that {@link Arbiter#next} granted. */
    public final int budget() {
        return budget;
    }

    /** Whether it takes part in the schedule now. */
    public final boolean isScheduled() {
        return scheduled;
    }
}

package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/** Which flows an {@link Arbiter} knows, and what they and their groups are entitled to: its control path. */
public interface Roster {
    /**
     * A flow may have work from now on: it is new, or is connected along another output. Idempotent; a flow that is
     * scheduled moves with what it is owed.
     *
     * @param output of the link that it sends on, or null: what it sends may go several ways, or none that fills up
     */
    void attach(Flow flow, @Nullable OutputQueue output);

    /** A flow is gone, or was reset: it leaves every list. Constant time; does nothing if it is not attached. */
    void detach(Flow flow);

    /**
     * A flow's weight, class or rate limit has changed, from its next visit on. Constant time, whatever the number of
     * flows.
     */
    void changed(Flow flow, int oldWeight, int newWeight, TrafficClass newClass);

    /** A group's weight or rates have changed. Constant time, whatever the number of flows. */
    void changed(FlowGroup group);
}

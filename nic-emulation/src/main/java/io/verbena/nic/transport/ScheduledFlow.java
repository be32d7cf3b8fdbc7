package io.verbena.nic.transport;

import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.FlowGroup;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What an engine keeps of a queue pair: its doorbell, and its places in the engine's lists.
 *
 * <p>Concurrency: posters ring the doorbell; everything else is used under the engine's baton.
 */
public abstract class ScheduledFlow extends Flow {
    private static final VarHandle DOORBELL;

    static {
        try {
            DOORBELL = MethodHandles.lookup().findVarHandle(ScheduledFlow.class, "doorbell", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Place in the engine's timer queue, or -1; the engine's. */
    public int timerIndex = -1;
    /** When the engine's timer queue will look at this queue pair; the engine's. */
    public long timerNanos;
    /** Whether it is on the engine's list of acknowledgements; the engine's. */
    public boolean acknowledgementListed;
    /** Whether the arbiter knows it; the engine's. A doorbell may be heard when it is gone. */
    public boolean attached;
    /** Whether other groups send where it has sent last; the engine's, a hint for others. */
    public boolean contended;
    /** The path on whose list of blocked flows it is, or null; the engine's. */
    public @Nullable Path blockedOn;
    /** Where it is on that list; the path's. */
    int blockedAt;

    private volatile int doorbell; // written through DOORBELL

    ScheduledFlow(FlowGroup group) {
        super(group);
    }

    /**
     * Poster: rings the doorbell. A full fence: what was published before is seen by whoever has not heard it yet.
     *
     * @return whether it was silent, so that the engine must be told
     */
    public final boolean ring() {
        return (int) DOORBELL.getAndSet(this, 1) == 0;
    }

    /** Engine: the doorbell was heard; looks at the ring must come after this. */
    public final void heard() {
        DOORBELL.setVolatile(this, 0);
    }

    /** Whether other groups send to its peer too, and it has nothing that waits for its turn; any thread, a hint. */
    public final boolean isStarved() {
        return contended && !isScheduled();
    }

    /** Whether the doorbell was rung and not heard yet; any thread, a hint. */
    final boolean isRung() {
        return doorbell != 0;
    }
}

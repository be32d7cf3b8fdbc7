package io.verbena.nic.transport;

import io.verbena.nic.arbiter.FlowGroup;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether more than one group has sent on a way of late. Costs a comparison while one is alone.
 *
 * <p>Pure state: used under the engine's baton.
 */
public final class Contention {
    /** Nanoseconds for which a way counts as contested after the sender has changed. */
    static final long CONTESTED = TimeUnit.MILLISECONDS.toNanos(20);

    private @Nullable FlowGroup sender; // the last
    private boolean contested;
    private long contestedUntil;

    Contention() {}

    /** Whether more than one group has sent of late. */
    public boolean isContested() {
        return contested;
    }

    /**
     * A group is about to send.
     *
     * @return whether it is not alone
     */
    public boolean isContested(FlowGroup group, TransportServices services) {
        if (group == sender && !contested) {
            return false;
        }
        if (group != sender) {
            if (sender != null) {
                contested = true;
                contestedUntil = services.now() + CONTESTED;
            }
            sender = group;
        } else if (services.now() > contestedUntil) {
            contested = false;
        }
        return contested;
    }
}

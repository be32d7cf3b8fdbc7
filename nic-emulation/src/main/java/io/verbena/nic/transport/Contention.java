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
    private int times;

    Contention() {}

    /** Whether more than one group has sent of late. */
    public boolean isContested() {
        return contested;
    }

    /** Whoever asks has to wait: for as long as nobody can send, nobody else has stopped sending. */
    public void held(long now) {
        if (contested) {
            contestedUntil = now + CONTESTED;
        }
    }

    /** How often it has come to be contested. */
    int times() {
        return times;
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
                times += contested ? 0 : 1;
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

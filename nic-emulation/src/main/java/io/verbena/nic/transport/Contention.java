package io.verbena.nic.transport;

import io.verbena.nic.arbiter.FlowGroup;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether more than one group has sent along a path recently. Costs one comparison while a group is alone.
 *
 * <p>Pure state: used under the engine's baton.
 */
public final class Contention {
    /** Nanoseconds for which a way counts as contended after the sender has changed. */
    static final long CONTENDED = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * And for at least so many bytes, two laps of the arbiter: on a slow way others may have waited for their turn all
     * that time.
     */
    static final int CONTENDED_BYTES = 2 * 1024 * 1024;

    private @Nullable FlowGroup sender; // the last
    private boolean contended;
    private long contendedUntil;
    private long sent; // bytes since then
    private int times;

    Contention() {}

    /** Whether more than one group has sent recently. */
    public boolean isContended() {
        return contended;
    }

    /** The group that is about to send has sent this many bytes. */
    public void sent(int bytes) {
        sent += bytes;
    }

    /** How often it has come to be contended. */
    int times() {
        return times;
    }

    /**
     * A group is about to send.
     *
     * @return whether it is not alone
     */
    public boolean isContended(FlowGroup group, TransportServices services) {
        if (group == sender && !contended) {
            return false;
        }
        if (group != sender) {
            if (sender != null) {
                times += contended ? 0 : 1;
                contended = true;
                contendedUntil = services.now() + CONTENDED;
                sent = 0;
            }
            sender = group;
        } else if (sent > CONTENDED_BYTES && services.now() > contendedUntil) {
            contended = false;
        }
        return contended;
    }
}

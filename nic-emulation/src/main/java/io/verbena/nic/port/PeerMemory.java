package io.verbena.nic.port;

import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A peer NIC's memory, mapped here: its control block and its data segments. The layouts are the NIC's; a fabric maps
 * them without looking in.
 *
 * <p>Used under the baton of the engine that owns the link.
 */
public interface PeerMemory {
    /** The peer's control block. */
    AtomicBuffer control();

    /**
     * A data segment of the peer.
     *
     * @param segmentId as found in the control block
     * @return the mapped segment (mapped at the first call, remembered afterwards), or null if there is none of that id
     */
    @Nullable
    AtomicBuffer segment(int segmentId);
}

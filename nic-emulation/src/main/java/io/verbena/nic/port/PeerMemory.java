package io.verbena.nic.port;

import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A peer NIC's memory, mapped here: its control block and its data segments. The layouts are the NIC's; a fabric maps
 * them without looking in.
 *
 * <p>Used under the baton of the engine that owns the link.
 */
public interface PeerMemory {
    /** What {@link #gone} is for a peer in this process: each finishes what it has begun. */
    BooleanSupplier NEVER_GONE = () -> false;

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

    /**
     * Tells whether the process that owns this memory is known to have ended, so that it touches no memory of this side
     * any more. A link may end long before. By default it never is, as a peer in this process: that finishes what it
     * has begun. To be asked by any thread, long after the link was released, and so it holds nothing of this memory;
     * may ask the operating system.
     */
    default BooleanSupplier gone() {
        return NEVER_GONE;
    }

    /**
     * Sets the listener for segments mapped here that the peer has given back: {@link #letGo} is worth a call.
     *
     * @param told on any thread, again and again; must not block
     */
    default void onRetired(Runnable told) {}

    /**
     * Lets go of segments that the peer has given back. They are not found any more, and their mappings end soon
     * afterwards, off the baton.
     *
     * @param mayGo asked of each such segment; where it says true, nobody here touches the segment from then on
     */
    default void letGo(Predicate<AtomicBuffer> mayGo) {}
}

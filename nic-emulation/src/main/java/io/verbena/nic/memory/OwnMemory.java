package io.verbena.nic.memory;

import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.PeerMemory;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A NIC's memory seen as a peer sees it: for its own engine, and for peers in the same process. As thread-safe as the
 * provider.
 */
public final class OwnMemory implements PeerMemory {
    private final MemoryProvider provider;

    /**
     * Creates the view.
     *
     * @param provider of the NIC, with a control block
     */
    public OwnMemory(MemoryProvider provider) {
        this.provider = provider;
    }

    @Override
    public AtomicBuffer control() {
        return provider.control();
    }

    @Override
    public @Nullable AtomicBuffer segment(int segmentId) {
        return provider.segment(segmentId);
    }
}

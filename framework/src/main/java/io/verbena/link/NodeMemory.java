package io.verbena.link;

import io.verbena.Address;
import io.verbena.fabric.shm.SharedMemoryProvider;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.MemoryProvider;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * Where a node's memory lies: in shared memory from the launch on, or from its first {@code shm:} address on; in this
 * process alone where the machine has no shared memory. Thread-safe.
 */
public final class NodeMemory {
    private final boolean mustShare;
    private MemoryProvider provider;
    private String whyNot = "";

    private NodeMemory(MemoryProvider provider, boolean mustShare) {
        this.provider = provider;
        this.mustShare = mustShare;
    }

    /**
     * Chooses.
     *
     * @param root directory of the shared memory
     * @param mustShare whether peers are to reach everything, and it is an error if they cannot
     * @throws IllegalStateException if the machine has no shared memory, which there must be; says why
     */
    public static NodeMemory choose(Path root, long nicId, boolean mustShare) {
        if (mustShare) {
            return new NodeMemory(new SharedMemoryProvider(root, nicId, Long.MAX_VALUE), true);
        }
        try {
            return new NodeMemory(SharedMemoryProvider.onDemand(root, nicId, new DirectMemoryProvider()), false);
        } catch (IllegalStateException | UncheckedIOException e) {
            NodeMemory own = new NodeMemory(new DirectMemoryProvider(), false);
            own.whyNot = String.valueOf(e.getMessage());
            return own;
        }
    }

    /** Opens a NIC with this memory; closes what it was given if that fails. */
    public Nic open(NicContext context) {
        try {
            return Nic.open(context.memory(provider));
        } catch (MemoryExhaustedException e) {
            provider.close();
            if (mustShare || provider instanceof DirectMemoryProvider) {
                throw e;
            }
            provider = new DirectMemoryProvider();
            whyNot = String.valueOf(e.getMessage());
            return Nic.open(context.memory(provider));
        } catch (RuntimeException e) {
            provider.close();
            throw e;
        }
    }

    /**
     * The shared memory, for an address that needs it; what is allocated from now on lies there.
     *
     * @throws IllegalStateException if there is none; says why
     */
    SharedMemoryProvider share(Address address) {
        if (provider instanceof SharedMemoryProvider memory) {
            memory.share();
            return memory;
        }
        throw new IllegalStateException(
                address + " needs shared memory, which node and machine had none of at the launch: " + whyNot);
    }
}

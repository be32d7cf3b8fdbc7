package io.verbena.bench.tenants;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import org.jspecify.annotations.Nullable;

/** Creates one of each of a NIC's objects and destroys them, again and again. */
final class ObjectStorm implements Attack {
    private static final int BYTES = 64 << 10;
    private static final int DEPTH = 64;

    private final Nic nic;

    ObjectStorm(Nic nic) {
        this.nic = nic;
    }

    @Override
    public int turn() {
        try (ProtectionDomain domain = nic.allocateProtectionDomain();
                CompletionQueue completions = nic.createCompletionQueue(DEPTH)) {
            MemoryRegion region = domain.allocate(BYTES, Access.ALL);
            AppendQueue queue = create(domain);
            domain.createQueuePair(new QueuePairAttributes().completionQueue(completions))
                    .close();
            if (queue != null) {
                queue.destroy(true);
            }
            domain.deregister(region);
        }
        return 1;
    }

    /** An append queue, or null where as many as there may be have been destroyed faster than they become free. */
    private static @Nullable AppendQueue create(ProtectionDomain domain) {
        try {
            return domain.createAppendQueue(
                    new AppendQueueAttributes().chunkLength(BYTES).maxMessage(BYTES / 4));
        } catch (IllegalStateException e) {
            return null;
        }
    }

    @Override
    public void close() {}
}

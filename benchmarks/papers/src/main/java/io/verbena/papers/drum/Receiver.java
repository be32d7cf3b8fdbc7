package io.verbena.papers.drum;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.QueuePair;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.Actor;

/** Posts a receive for each datagram that has come. */
final class Receiver implements Actor {
    private static final int LIMIT = 64;

    private final CompletionQueue completions;
    private final QueuePair qp;
    private final MemoryRegion memory;
    private final int bytes;
    private long received;

    Receiver(CompletionQueue completions, QueuePair qp, MemoryRegion memory, int bytes) {
        this.completions = completions;
        this.qp = qp;
        this.memory = memory;
        this.bytes = bytes;
    }

    @Override
    public int step() {
        int taken = completions.poll(each -> qp.postReceive(each.wrId(), memory.key(), 0, bytes), LIMIT);
        received += taken;
        return taken;
    }

    /** Datagrams that have come. */
    long received() {
        return received;
    }

    @Override
    public long nextDeadlineNanos() {
        return NO_DEADLINE;
    }
}

package io.verbena.nic.append;

import org.agrona.concurrent.NanoClock;

/**
 * Keeps the append queues of a NIC supplied: zeroes drained chunks, announces clean ones ahead of the tails, makes and
 * releases mappings, recovers holes, clears the slots of initiators that are gone.
 *
 * <p>An agent: one thread calls {@link #doWork} again and again, soon after the hook of {@link TailPointerTable#onWork}
 * was run and otherwise at least each millisecond while {@link #isActive}. Appends never wait for it; they are answered RNR when
 * the reserve is gone.
 */
public final class ChunkAllocator {
    /** Bytes zeroed for one queue in one turn, so that the others come to their turn. */
    private static final int ZERO_BUDGET = 4 << 20;

    private final TailPointerTable queues;
    private final NanoClock clock;
    private boolean active;

    /**
     * Creates the agent of a NIC.
     *
     * @param queues of the NIC
     */
    public ChunkAllocator(TailPointerTable queues) {
        this.queues = queues;
        this.clock = queues.clock();
    }

    /**
     * One turn over all queues. May map memory, so it belongs to no data path.
     *
     * @return work done, 0 if there was none
     */
    public int doWork() {
        long now = clock.nanoTime();
        int work = 0;
        boolean any = false;
        for (int id = 0; id < queues.size(); id++) {
            AppendQueue queue = queues.find(id);
            if (queue != null) {
                work += queue.maintain(now, ZERO_BUDGET, true);
                any |= queue.depth() != 0 || queue.hasSetAside();
            }
            AppendQueue dismantled = queues.dismantled(id);
            if (dismantled != null) {
                work += dismantled.maintain(now, ZERO_BUDGET, true);
                any = true;
            }
        }
        work += queues.clearAbandoned();
        active = any || work > 0;
        return work;
    }

    /** Whether the last turn left something that time alone may turn into work. Same thread as {@link #doWork}. */
    public boolean isActive() {
        return active;
    }
}

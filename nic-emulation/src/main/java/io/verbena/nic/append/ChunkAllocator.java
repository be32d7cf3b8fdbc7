package io.verbena.nic.append;

import io.verbena.nic.port.LogRateLimiter;
import org.agrona.concurrent.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the append queues of a NIC supplied, and the reserve that they share: zeroes drained chunks, announces clean
 * ones ahead of the tails, makes and releases mappings, recovers holes, clears the slots of initiators that are gone.
 *
 * <p>An agent: one thread calls {@link #doWork} again and again, soon after the hook of {@link TailPointerTable#onWork}
 * was run and otherwise at least each millisecond while {@link #isActive}. Appends never wait for it; they are answered
 * RNR when the reserve is gone.
 */
public final class ChunkAllocator {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkAllocator.class);

    /** Bytes zeroed for one queue in one turn, so that the others come to their turn. */
    private static final int ZERO_BUDGET = 4 << 20;

    private final TailPointerTable queues;
    private final NanoClock clock;
    private final LogRateLimiter reports = new LogRateLimiter();
    private boolean failed; // in this turn
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
                work += maintain(queue, now);
                any |= queue.depth() != 0 || queue.hasSetAside();
            }
            AppendQueue dismantled = queues.dismantled(id);
            if (dismantled != null) {
                work += maintain(dismantled, now);
                any = true;
            }
        }
        queues.sharedReserve().reclaim(queues);
        work += queues.sharedReserve().maintain(now, ZERO_BUDGET);
        any |= failed;
        failed = false;
        work += queues.initiators().clearAbandoned(now);
        active = any || work > 0;
        return work;
    }

    /** What is wrong with one queue, or with memory when it is its turn, is not the others'. */
    private int maintain(AppendQueue queue, long now) {
        try {
            return queue.maintain(now, ZERO_BUDGET, true);
        } catch (RuntimeException | Error e) {
            failed = true;
            long leftOut = reports.ask(now);
            if (leftOut >= 0) {
                LOG.error(
                        "{} of NIC {} could not be maintained, which is tried again every turn; {} such lines left out",
                        queue,
                        queues.nic(),
                        leftOut,
                        e);
            }
            return 0;
        }
    }

    /** Whether the last turn left something that time alone may turn into work. Same thread as {@link #doWork}. */
    public boolean isActive() {
        return active;
    }
}

package io.verbena.fabric.shm;

import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives peers' memory back: unmaps what they have retired and what links that ended had mapped, a segment at a time,
 * and removes the directories of dead processes.
 *
 * <p>Thread-safe; what unmaps while this side lives runs on the loop, off the baton.
 */
final class PeerMemoryRelease {
    private static final Logger LOG = LoggerFactory.getLogger(SharedMemoryFabric.class);
    private static final long SWEEP_MILLIS = 1_000;

    /** Between two segments that are unmapped, so that the owner of the loop has time for its other work. */
    private static final long UNMAP_MILLIS = 5;

    /** When to look whether a peer that is gone is dead, after its end of file: its lock goes a little later. */
    private static final long[] JANITOR_DELAYS_MILLIS = {100, 1_000, 5_000};

    private final ManualIoEventLoop loop;
    private final SharedMemoryProvider memory;
    private final Set<SharedMemoryLink> links;

    /** Set by the loop's owner. */
    private volatile @Nullable ScheduledFuture<?> sweep;

    PeerMemoryRelease(ManualIoEventLoop loop, SharedMemoryProvider memory, Set<SharedMemoryLink> links) {
        this.loop = loop;
        this.memory = memory;
        this.links = links;
    }

    /** Looks regularly for what the links' peers have retired, from now on; by the loop's owner. */
    void start() {
        if (sweep == null) {
            sweep = loop.scheduleWithFixedDelay(
                    () -> links.forEach(this::sweep), SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    void stop() {
        ScheduledFuture<?> regular = sweep;
        if (regular != null) {
            regular.cancel(false);
        }
    }

    private void sweep(SharedMemoryLink side) {
        unmap(side);
        side.memory().lookForRetired();
    }

    private void unmap(SharedMemoryLink side) {
        if (side.unmapOne()) {
            loop.schedule(() -> unmap(side), UNMAP_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Unmaps all of a peer's memory and the rings.
     *
     * @param now in the caller, because the fabric is closed; else on the loop
     */
    void unmapAll(SharedMemoryLink side, boolean now) {
        if (now) {
            unmapAll(side);
            return;
        }
        try {
            loop.execute(() -> unmapAllSlowly(side));
        } catch (RejectedExecutionException e) {
            unmapAll(side); // the loop is closed: its owner is the caller
        }
    }

    private void unmapAllSlowly(SharedMemoryLink side) {
        if (side.unmapOne()) {
            loop.schedule(() -> unmapAllSlowly(side), UNMAP_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            side.unmapRings();
        }
    }

    private static void unmapAll(SharedMemoryLink side) {
        boolean more = true;
        while (more) {
            more = side.unmapOne();
        }
        side.unmapRings();
    }

    /** A peer is gone: looks a few times whether its process is dead, and removes its directory then. */
    void removeDeadSoon() {
        for (long delay : JANITOR_DELAYS_MILLIS) {
            CompletableFuture.delayedExecutor(delay, TimeUnit.MILLISECONDS).execute(this::removeDead);
        }
    }

    private void removeDead() {
        try {
            memory.removeDeadNeighbours();
        } catch (RuntimeException e) {
            LOG.debug("removing the dead beside {}: {}", memory.directory(), e.getMessage());
        }
    }
}

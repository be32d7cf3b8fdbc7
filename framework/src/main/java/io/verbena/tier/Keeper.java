package io.verbena.tier;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that notices when a peer is lost: it finds out what was lost with it, and copies the blocks that have fewer
 * replicas than they should have to other peers, as far as there is room. For that, a page that no frame has is loaded,
 * found to lack a replica, and written back as any dirty page is.
 */
final class Keeper implements Runnable {
    private static final Logger LOGGER = LoggerFactory.getLogger(Keeper.class);
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(100);

    private final Space space;
    private final Pager pager;
    private final Duration timeout;
    private final Thread thread;
    private volatile boolean closed;

    Keeper(Space space, Pager pager, Duration timeout) {
        this.space = space;
        this.pager = pager;
        this.timeout = timeout;
        this.thread = new Thread(this, "verbena-paged-memory");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public void run() {
        int living = space.stores().peers();
        boolean isComplete = true;
        while (!closed) {
            LockSupport.parkNanos(this, LOOK);
            int now = space.stores().living();
            if (now != living || !isComplete) {
                living = now;
                isComplete = checkAll();
            }
        }
    }

    /** @return whether nothing more can be done */
    private boolean checkAll() {
        boolean isComplete = true;
        for (int i = 0; i < space.geometry().blocks && !closed; i++) {
            Block block = space.find(i);
            if (block != null) {
                isComplete &= check(block);
            }
        }
        return isComplete;
    }

    private boolean check(Block block) {
        block.check();
        try {
            boolean added = block.replicate();
            boolean copied = copy(block);
            if (added || copied) {
                pager.save(block, Deadline.in(timeout));
            }
            return true;
        } catch (RuntimeException e) {
            if (!closed) {
                LOGGER.warn(
                        "paged memory: block {} has not got its replicas, and will be tried again", block.number(), e);
            }
            return false;
        }
    }

    private boolean copy(Block block) {
        boolean copied = false;
        Deadline deadline = Deadline.in(timeout);
        for (int page = 0; page < space.geometry().pagesPerBlock; page++) {
            while (block.isToBeCopied(page) && !closed) {
                copied = true;
                pager.load(block, page, deadline);
                pager.awaitLoad(block, page, deadline);
                pager.checkInTime(block, page, deadline);
            }
        }
        return copied;
    }

    /** Ends it, and waits for a while until it has ended. */
    void close() {
        closed = true;
        LockSupport.unpark(thread);
        if (Thread.currentThread() != thread) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

package io.verbena.nic;

import io.verbena.nic.queue.SendRing;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a queue pair between {@code ibv_wr_start(3)} and {@code ibv_wr_complete(3)}: all are posted, or none.
 * An error in one is kept until the end. For the thread that posts.
 */
final class SendBatch {
    private final QueuePair qp;
    private final SendRing ring;
    private int posts;
    private @Nullable RuntimeException error;
    private boolean full;

    SendBatch(QueuePair qp, SendRing ring) {
        this.qp = qp;
        this.ring = ring;
    }

    /** Throws if a batch is open. */
    void checkNone(String what) {
        if (ring.isBatching()) {
            throw new IllegalStateException("queue pair " + qp.number() + ": " + what + " within a batch of "
                    + ring.batched() + " requests; complete or abort it first");
        }
    }

    private void checkOpen(String what) {
        if (!ring.isBatching()) {
            throw new IllegalStateException("queue pair " + qp.number() + ": " + what + " without start");
        }
    }

    void start() {
        ring.startBatch();
        posts = 0;
        error = null;
        full = false;
    }

    /** Puts a request behind the others; throws nothing. */
    PostResult post(SendRequest request) {
        int index = posts++;
        if (error != null) {
            return PostResult.REFUSED;
        }
        try {
            PostResult result = qp.enqueue(request);
            full |= result == PostResult.QUEUE_FULL;
            return result;
        } catch (IllegalArgumentException e) {
            error = new BadRequestException(index, e);
        } catch (IllegalStateException e) {
            error = e;
        }
        return PostResult.REFUSED;
    }

    /** Commits the batch, or drops it if one of its requests was refused or found no room. */
    PostResult complete() {
        checkOpen("complete");
        RuntimeException refused = error;
        error = null;
        if (refused == null && !full) {
            commit();
            return PostResult.POSTED;
        }
        ring.dropBatch();
        if (refused != null) {
            throw refused;
        }
        return PostResult.QUEUE_FULL;
    }

    private void commit() {
        if (ring.batched() > 0) {
            try {
                qp.checkSends(); // the state may have changed since
            } catch (IllegalStateException e) {
                ring.dropBatch();
                throw e;
            }
        }
        ring.commitBatch();
    }

    void abort() {
        checkOpen("abort");
        error = null;
        ring.dropBatch();
    }
}

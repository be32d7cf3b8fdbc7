package io.verbena.nic;

import io.verbena.nic.queue.ReceiveRing;

/**
 * Receives that several queue pairs of one engine share ({@code ibv_create_srq(3)}). One thread at a time posts.
 */
public final class SharedReceiveQueue implements AutoCloseable {
    private final ProtectionDomain pd;
    private final ReceiveRing ring;
    private int users;
    private boolean closed;

    SharedReceiveQueue(ProtectionDomain pd, int depth, int maxSge) {
        this.pd = pd;
        this.ring = new ReceiveRing(depth, maxSge);
    }

    /**
     * Posts a receive of one entry.
     *
     * @param wrId id that the completion carries
     * @param key local key, of the same protection domain
     * @param offset in the region
     * @param length bytes
     */
    public PostResult postReceive(long wrId, int key, long offset, int length) {
        return QueuePair.post(ring, wrId, key, offset, length);
    }

    /** Receives that are posted and not consumed. */
    public int size() {
        return ring.size();
    }

    ReceiveRing ring() {
        return ring;
    }

    ProtectionDomain pd() {
        return pd;
    }

    void use(int change) {
        users += change;
    }

    /**
     * Destroys it. Idempotent.
     *
     * @throws IllegalStateException (EBUSY) if queue pairs still use it
     */
    @Override
    public void close() {
        synchronized (pd.nic()) {
            if (!closed) {
                if (users > 0) {
                    throw new IllegalStateException("shared receive queue is busy: used by " + users + " queue pairs");
                }
                closed = true;
                pd.forget(this);
            }
        }
    }
}

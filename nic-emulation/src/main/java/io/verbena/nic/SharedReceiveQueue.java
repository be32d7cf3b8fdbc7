package io.verbena.nic;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.verbs.AsyncEventType.Element;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives that several queue pairs of one engine share ({@code ibv_create_srq(3)}). Their regions must belong to its
 * own protection domain, whatever those of the queue pairs are. A queue pair that goes to ERR does not flush it.
 *
 * <p>One thread at a time posts and resizes; {@link #modify}, {@link #query} and {@link #close} are for any thread.
 */
public final class SharedReceiveQueue implements AutoCloseable {
    /** Most receives of a shared receive queue. */
    public static final int MAX_DEPTH = 32768;

    /** Most scatter/gather entries of a receive. */
    public static final int MAX_SGE = 32;

    private final ProtectionDomain pd;
    private final int number;
    private final ReceiveRing ring;
    private final List<Integer> users = new ArrayList<>(); // numbers of queue pairs, under the NIC's monitor
    private @Nullable Engine engine; // of the queue pairs, while there are any; under the NIC's monitor
    private boolean closed;

    SharedReceiveQueue(ProtectionDomain pd, int number, int depth, int maxSge) {
        this.pd = pd;
        this.number = number;
        this.ring = new ReceiveRing(checkDepth(depth), checkMaxSge(maxSge), pd.number());
    }

    private static int checkDepth(int depth) {
        if (depth < 1 || depth > MAX_DEPTH) {
            throw new IllegalArgumentException("shared receive queue depth " + depth + " outside 1.." + MAX_DEPTH);
        }
        return depth;
    }

    private static int checkMaxSge(int maxSge) {
        if (maxSge < 1 || maxSge > MAX_SGE) {
            throw new IllegalArgumentException("shared receive queue max_sge " + maxSge + " outside 1.." + MAX_SGE);
        }
        return maxSge;
    }

    /**
     * The state of a shared receive queue ({@code ibv_query_srq(3)}).
     *
     * @param depth receives that it holds
     * @param maxSge entries that a receive may have
     * @param limit the limit that is armed, 0 if none is
     * @param posted receives that are posted and not consumed
     * @param queuePairs queue pairs that take their receives from it
     */
    public record Status(int depth, int maxSge, int limit, int posted, int queuePairs) {}

    /** Names it in asynchronous events. */
    public int number() {
        return number;
    }

    /** Receives that it holds. */
    public int depth() {
        return ring.capacity();
    }

    /** Entries that a receive may have. */
    public int maxSge() {
        return ring.maxSge();
    }

    /** Receives that are posted and not consumed. */
    public int size() {
        return ring.size();
    }

    /** The limit that is armed, or 0. */
    public int limit() {
        return query().limit();
    }

    /** What there is to know of it. */
    public Status query() {
        synchronized (pd.nic()) {
            checkOpen();
            int[] limit = new int[1];
            underBaton(() -> limit[0] = ring.limit());
            return new Status(depth(), maxSge(), limit[0], size(), users.size());
        }
    }

    // ---- posting -------------------------------------------------------------------------------------------------

    /**
     * Posts a receive of one entry ({@code ibv_post_srq_recv(3)}).
     *
     * @param wrId id that the completion carries
     * @param key local key, of the same protection domain
     * @param offset in the region
     * @param length bytes
     * @throws IllegalStateException if it is closed
     */
    public PostResult postReceive(long wrId, int key, long offset, int length) {
        checkOpen();
        return ReceiveRequest.post(ring, wrId, key, offset, length);
    }

    /**
     * Posts a receive.
     *
     * @throws IllegalArgumentException if the request has more entries than {@link #maxSge}
     * @throws IllegalStateException if it is closed
     */
    public PostResult postReceive(ReceiveRequest request) {
        checkOpen();
        return request.post(ring);
    }

    /**
     * Posts receives in order and stops at the first that cannot be posted: those before it are posted.
     *
     * @return requests posted; fewer than there are if the queue is full
     * @throws BadRequestException if one can never be executed; says which
     */
    public int postReceive(List<ReceiveRequest> requests) {
        checkOpen();
        return ReceiveRequest.post(ring, requests);
    }

    // ---- attributes ----------------------------------------------------------------------------------------------

    /**
     * Arms the limit ({@code ibv_modify_srq(3)}): when a receive is consumed and fewer than this are left, SRQ_LIMIT is
     * raised, once; arm it again for another event.
     *
     * @param limit receives, 0 (disarmed) to {@link #depth}
     */
    public void modify(int limit) {
        synchronized (pd.nic()) {
            checkOpen();
            if (limit < 0 || limit > depth()) {
                throw new IllegalArgumentException("srq_limit " + limit + " outside 0.." + depth());
            }
            underBaton(() -> ring.limit(limit));
        }
    }

    /**
     * Changes the number of receives that it holds ({@code ibv_modify_srq(3)} with {@code IBV_SRQ_MAX_WR}); posted ones
     * keep their order. Only for the thread that posts.
     *
     * @param depth receives, 1 to {@value #MAX_DEPTH}; rounded up to a power of two
     * @throws IllegalArgumentException if the depth is out of range
     * @throws IllegalStateException if more are posted than that, or the limit is above; nothing has changed
     */
    public void resize(int depth) {
        synchronized (pd.nic()) {
            checkOpen();
            checkDepth(depth);
            underBaton(() -> {
                int posted = ring.size();
                if (depth < posted || depth < ring.limit()) {
                    throw new IllegalStateException(this + ": depth " + depth + " < "
                            + (depth < posted ? posted + " receives that are posted" : "limit " + ring.limit()));
                }
                ring.resize(depth);
            });
        }
    }

    /** Runs an action while no engine consumes; under the NIC's monitor, so that no engine interferes. */
    private void underBaton(Runnable action) {
        Engine owner = engine;
        if (owner == null) {
            action.run();
        } else {
            owner.call(action);
        }
    }

    // ---- life ----------------------------------------------------------------------------------------------------

    ReceiveRing ring() {
        return ring;
    }

    ProtectionDomain pd() {
        return pd;
    }

    /** Throws if the engine is not that of the other queue pairs; under the NIC's monitor. */
    void checkEngine(Engine theirs) {
        checkOpen();
        Engine ours = engine;
        if (ours != null && ours != theirs) {
            throw new IllegalArgumentException("queue pair on engine " + theirs.index() + ", " + this
                    + " is used by queue pairs " + users + " on engine " + ours.index());
        }
    }

    /** Adds a queue pair that takes its receives from here; under the NIC's monitor. */
    void use(int queuePair, Engine theirs) {
        users.add(queuePair);
        engine = theirs;
        ring.listener(type -> theirs.services().event(type, number));
    }

    /** Removes a queue pair. */
    void leave(int queuePair) {
        users.remove((Integer) queuePair);
        if (users.isEmpty()) {
            engine = null;
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /**
     * Destroys it ({@code ibv_destroy_srq(3)}); what is posted is lost. Waits a bounded time
     * ({@link NicContext#acknowledgeTimeoutNanos}) for its asynchronous events: a thread acknowledges what it has taken
     * before it closes. Idempotent.
     *
     * @throws IllegalStateException (EBUSY) if queue pairs still use it, or events are not acknowledged; nothing has
     *     changed
     */
    @Override
    public void close() {
        synchronized (pd.nic()) {
            if (closed) {
                return;
            }
            checkUnused();
        }
        pd.nic().events().beginDestroy(Element.SHARED_RECEIVE_QUEUE, number);
        boolean destroyed = false;
        try {
            synchronized (pd.nic()) {
                if (!closed) {
                    checkUnused();
                    closed = true;
                    pd.forget(this);
                }
                destroyed = true;
            }
        } finally {
            pd.nic().events().endDestroy(Element.SHARED_RECEIVE_QUEUE, number, destroyed);
        }
    }

    private void checkUnused() {
        if (!users.isEmpty()) {
            throw new IllegalStateException(this + " is busy (EBUSY): used by queue pairs " + users);
        }
    }

    @Override
    public String toString() {
        return "shared receive queue " + number;
    }
}

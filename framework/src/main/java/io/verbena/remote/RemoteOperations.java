package io.verbena.remote;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.path.StagingRing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a remote region that have not ended: a ring of what is to be done at the end of each, by its
 * number, and the staging memory that they use. They end in the order in which they were posted.
 *
 * <p>Concurrency: the poster fills slots, the poller empties them and counts {@code ended} (release), after which the
 * poster may use slot and staging memory again. A slot goes from poster to poller with the request itself: the doorbell
 * publishes it, the completion queue acquires it.
 */
public final class RemoteOperations {
    /** Stands for the length of what is copied where an operation returns a value. */
    static final int ATOMIC = -1;

    private static final VarHandle POSTED;
    private static final VarHandle ENDED;

    static {
        try {
            POSTED = MethodHandles.lookup().findVarHandle(RemoteOperations.class, "posted", long.class);
            ENDED = MethodHandles.lookup().findVarHandle(RemoteOperations.class, "ended", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final StagingRing staging;
    private final int mask;
    private final @Nullable OperationHandler[] handlers;
    private final long[] correlationIds;
    private final @Nullable AtomicBuffer[] results; // staging memory that the NIC wrote to
    private final int[] resultOffsets;
    private final int[] lengths; // of what is copied to the target; -1: the value of an atomic
    private final @Nullable MutableDirectBuffer[] targets;
    private final int[] targetOffsets;

    private volatile long posted; // written by the poster
    private long endedSeen; // the poster's
    private volatile long ended; // written by the poller

    /** Creates it; as many operations may be under way as the depth says, a power of two. */
    public RemoteOperations(StagingRing staging, int depth) {
        this.staging = staging;
        this.mask = depth - 1;
        this.handlers = new OperationHandler[depth];
        this.correlationIds = new long[depth];
        this.results = new AtomicBuffer[depth];
        this.resultOffsets = new int[depth];
        this.lengths = new int[depth];
        this.targets = new MutableDirectBuffer[depth];
        this.targetOffsets = new int[depth];
    }

    // ---- poster -----------------------------------------------------------------------------------------------------

    /** Number of the next operation. */
    public long next() {
        return posted;
    }

    /** Whether another operation may be posted. */
    boolean hasSlot() {
        if (posted - endedSeen <= mask) {
            return true;
        }
        takeEnded();
        return posted - endedSeen <= mask;
    }

    /** Slots and the memory staged for them are freed together: the ring of stagings is as deep as that of slots. */
    private void takeEnded() {
        endedSeen = ended;
        staging.complete(endedSeen);
    }

    /**
     * Claims a slot and staging memory.
     *
     * @return false if there is no room now
     */
    public boolean claim(int length) {
        if (!hasSlot()) {
            return false;
        }
        if (staging.claim(length)) {
            return true;
        }
        takeEnded();
        return staging.claim(length);
    }

    /** The claimed staging memory. */
    public StagingRing staging() {
        return staging;
    }

    /** The claimed operation was posted: its data is in place, or it reads {@code length} bytes to a target. */
    public void postedStaged(
            long correlationId,
            OperationHandler handler,
            @Nullable MutableDirectBuffer target,
            int targetOffset,
            int length) {
        int slot = (int) posted & mask;
        results[slot] = staging.buffer();
        resultOffsets[slot] = staging.offset();
        lengths[slot] = length;
        targets[slot] = target;
        targetOffsets[slot] = targetOffset;
        staging.commit(posted);
        posted(correlationId, handler);
    }

    /** An operation was posted that uses no staging memory. */
    public void posted(long correlationId, OperationHandler handler) {
        int slot = (int) posted & mask;
        correlationIds[slot] = correlationId;
        handlers[slot] = handler;
        POSTED.setRelease(this, posted + 1);
    }

    // ---- poller -----------------------------------------------------------------------------------------------------

    /** Operations that have not ended. */
    public long outstanding() {
        return posted - ended;
    }

    /** The oldest operation ended: copies what it read, frees it, and tells its handler. */
    public void end(Outcome outcome) {
        long number = ended;
        int slot = (int) number & mask;
        OperationHandler handler = handlers[slot];
        AtomicBuffer result = results[slot];
        MutableDirectBuffer target = targets[slot];
        long correlationId = correlationIds[slot];
        long value = 0;
        if (result != null && outcome == Outcome.DONE) {
            if (lengths[slot] == ATOMIC) {
                value = result.getLong(resultOffsets[slot]);
            } else if (target != null && (!(handler instanceof BlockingOperation waiting) || waiting.take())) {
                target.putBytes(targetOffsets[slot], result, resultOffsets[slot], lengths[slot]);
            }
        }
        handlers[slot] = null;
        results[slot] = null;
        targets[slot] = null;
        ENDED.setRelease(this, number + 1);
        if (handler != null) {
            handler.onOperation(correlationId, outcome, value);
        }
    }

    /** Gives the staging memory back. Nobody posts any more. */
    public void release() {
        staging.close();
    }
}

package io.verbena;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a {@link RemoteRegion} that have not ended: a ring of what is to be done at the end of each, by its
 * number, and the staging memory that they use. They end in the order in which they were posted.
 *
 * <p>Concurrency: the poster fills slots, the poller empties them and counts {@code ended} (release), after which the
 * poster may use slot and staging memory again. A slot goes from poster to poller with the request itself: the doorbell
 * publishes it, the completion queue acquires it.
 */
final class RemoteOperations {
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

    RemoteOperations(StagingRing staging, int depth) {
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
    long next() {
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
    boolean claim(int length) {
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
    StagingRing staging() {
        return staging;
    }

    /** The claimed operation was posted: its data is in place, or it reads {@code length} bytes to a target. */
    void postedStaged(
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
    void posted(long correlationId, OperationHandler handler) {
        int slot = (int) posted & mask;
        correlationIds[slot] = correlationId;
        handlers[slot] = handler;
        POSTED.setRelease(this, posted + 1);
    }

    // ---- poller -----------------------------------------------------------------------------------------------------

    /** Operations that have not ended. */
    long outstanding() {
        return posted - ended;
    }

    /** The oldest operation ended: copies what it read, frees it, and tells its handler. */
    void end(Outcome outcome) {
        long number = ended;
        int slot = (int) number & mask;
        OperationHandler handler = handlers[slot];
        AtomicBuffer result = results[slot];
        MutableDirectBuffer target = targets[slot];
        long correlationId = correlationIds[slot];
        long value = 0;
        if (result != null && outcome == Outcome.DONE) {
            if (lengths[slot] == RemoteRegion.ATOMIC) {
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
    void release() {
        staging.close();
    }
}

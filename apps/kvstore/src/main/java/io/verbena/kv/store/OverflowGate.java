package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Lets requests of a shard pass whose values are here, and says of others that they wait: for values that are out, or
 * for room that cannot be made at once. Nothing has changed when a request waits. Without an {@link Overflow} all pass.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class OverflowGate {
    private final @Nullable Overflow overflow;
    private final Eviction eviction;
    private final Execution execution;
    private boolean waits;
    private boolean lastTry;
    private boolean isSingle; // the request passed by itself, and not as a part of a transaction
    private boolean isFull;

    OverflowGate(@Nullable Overflow overflow, Eviction eviction, Execution execution) {
        this.overflow = overflow;
        this.eviction = eviction;
        this.execution = execution;
    }

    /** A request comes. */
    void begin() {
        waits = false;
        isSingle = false;
    }

    /** Whether it waits. */
    boolean waits() {
        return waits;
    }

    /** Whether requests from now on fail in place of waiting. */
    void lastTry(boolean last) {
        lastTry = last;
    }

    /**
     * Whether there is room within the limit, or it was made, for an operation that needs some. It is made before the
     * request's values are moved in, and not again: one of these might go. So they may exceed the limit for a while.
     */
    boolean hasRoom() {
        if (isSingle) {
            return !isFull;
        }
        boolean hasRoom = !eviction.isOverLimit() || eviction.makeRoom(execution.now);
        return hasRoom || (overflow != null && !lastTry && eviction.isBusy());
    }

    /** Whether the request that {@link Execution#request} holds has to wait; what it waits for has been begun. */
    boolean mustWait(KvOp op, Transactions transactions, DirectBuffer buffer, int offset, int length) {
        Overflow out = overflow;
        if (out == null || lastTry || op.group() == KvOp.Group.TRANSFER) {
            return false;
        }
        boolean hasRoom = !eviction.isOverLimit() || eviction.makeRoom(execution.now);
        isFull = !hasRoom && !eviction.isBusy();
        isSingle = op != KvOp.TRANSACTION;
        boolean waitsForRoom = !hasRoom && !isFull && mayGrow(out, op);
        waits = waitsForRoom || !(isSingle ? prepare(op) : transactions.prepare(buffer, offset, length));
        return waits;
    }

    /** Whether the request that {@link Execution#request} holds may take memory, be it for values that come in. */
    private boolean mayGrow(Overflow out, KvOp op) {
        return op.isDeniedOnOom() || op == KvOp.TRANSACTION || !out.isReady(op, execution.request, execution.now);
    }

    /** Moves in what the request needs that {@link Execution#request} holds; false if that takes time. */
    boolean prepare(KvOp op) {
        Overflow out = overflow;
        try {
            return out == null || out.prepare(op, execution.request, execution.now);
        } catch (OverflowException | AllocationFailedException e) {
            return true; // the operation's own try says why it fails
        }
    }

    /**
     * Makes sure that what an operation needs is here, now.
     *
     * @throws OverflowException if it is not
     * @throws AllocationFailedException if there is no memory for it
     */
    void require(KvOp op) {
        Overflow out = overflow;
        if (out != null && !out.prepare(op, execution.request, execution.now)) {
            waits = isSingle; // it went when memory ran out
            throw new OverflowException("a value does not come in time from the peers that have it; try again");
        }
    }

    /** Whether the request waits, as there is no memory for it until values have been moved out. */
    boolean waitsForMemory() {
        waits = isSingle && eviction.isBusy();
        return waits;
    }

    /** Has a piece of an upload wait, for which no room could be made just now, if room is being made. */
    void waitForRoom() {
        waits = overflow != null && !lastTry && eviction.isBusy();
    }

    /** Whether what would have to wait fails. */
    boolean isLastTry() {
        return lastTry;
    }

    /** Answers an operation whose values are not to be had, unless it waits for them. */
    void fail(OverflowException reason) {
        if (overflow != null && !waits) {
            overflow.countFailure();
            execution.error("OVERFLOW " + reason.getMessage());
        }
    }

    /** All values go. */
    void clear() {
        if (overflow != null) {
            overflow.clear();
        }
    }

    OverflowStatistics statistics() {
        return overflow == null ? OverflowStatistics.NONE : overflow.statistics();
    }
}

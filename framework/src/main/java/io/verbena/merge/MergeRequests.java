package io.verbena.merge;

import io.verbena.OperationHandler;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Operations by their slots: what is to be done, whom to tell, and how far each is.
 *
 * <pre>
 *   FREE ──publish──▶ PUBLISHED ──take──▶ TAKEN ──end──▶ DONE, LOST ──clear──▶ FREE
 *        who posted              who drains      who polls, or drains      who polls
 * </pre>
 *
 * <p>Concurrency: each step is a release store of the state by the thread that has the slot, and gives it to the one
 * that does the next step, which has acquired it. From TAKEN to DONE it goes by the work request and its completion.
 */
final class MergeRequests {
    static final byte READ = 0;
    static final byte WRITE = 1;
    static final byte COMPARE_SWAP = 2;
    static final byte FETCH_ADD = 3;
    /** Whose caller failed before it had filled the slot: is told to nobody. */
    static final byte VOID = 4;

    static final int NONE = -1;

    private static final int FREE = 0;
    private static final int PUBLISHED = 1;
    private static final int TAKEN = 2;
    private static final int DONE = 3;
    private static final int LOST = 4;

    private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(int[].class);

    private final int mask;
    private final int[] states;

    // Written by who posts.
    final byte[] kinds;
    final long[] offsets; // in the region
    final int[] lengths;
    final boolean[] alone; // is a work request of its own
    final long[] operands; // expected by a compare-and-swap
    final long[] values; // desired, or the addend
    final @Nullable MutableDirectBuffer[] targets;
    final int[] targetOffsets;
    final long[] correlationIds;
    final @Nullable OperationHandler[] handlers;

    // Written by who drains.
    final int[] nexts; // ticket of the next one of the same work request, or NONE
    final boolean[] waited; // for the window

    /** Creates them; as many as the depth says, a power of two. */
    MergeRequests(int depth) {
        this.mask = depth - 1;
        this.states = new int[depth];
        this.kinds = new byte[depth];
        this.offsets = new long[depth];
        this.lengths = new int[depth];
        this.alone = new boolean[depth];
        this.operands = new long[depth];
        this.values = new long[depth];
        this.targets = new MutableDirectBuffer[depth];
        this.targetOffsets = new int[depth];
        this.correlationIds = new long[depth];
        this.handlers = new OperationHandler[depth];
        this.nexts = new int[depth];
        this.waited = new boolean[depth];
    }

    /** The slot of a ticket. */
    int slot(int ticket) {
        return ticket & mask;
    }

    // ---- who posts --------------------------------------------------------------------------------------------------

    /** What is to be done, at which bytes of the region. */
    void fill(int slot, byte kind, long offset, int length) {
        kinds[slot] = kind;
        offsets[slot] = offset;
        lengths[slot] = length;
        alone[slot] = false;
    }

    /** It is to be a work request of its own. */
    void keepAlone(int slot) {
        alone[slot] = true;
    }

    /** What an atomic operation needs. */
    void operands(int slot, long expected, long value) {
        operands[slot] = expected;
        values[slot] = value;
    }

    /** Where what was read is to be copied to. */
    void target(int slot, MutableDirectBuffer target, int offset) {
        targets[slot] = target;
        targetOffsets[slot] = offset;
    }

    /** Hands it to whoever drains. */
    void publish(int slot, long correlationId, OperationHandler handler) {
        correlationIds[slot] = correlationId;
        handlers[slot] = handler;
        STATE.setRelease(states, slot, PUBLISHED);
    }

    // ---- who drains -------------------------------------------------------------------------------------------------

    /** Whether the slot of a ticket is published and was not taken. */
    boolean isPublished(int ticket) {
        return state(slot(ticket)) == PUBLISHED;
    }

    /** Takes it. */
    void take(int slot) {
        waited[slot] = false;
        STATE.setRelease(states, slot, TAKEN);
    }

    // ---- who ends it ------------------------------------------------------------------------------------------------

    /** It was done, or will not be. */
    void end(int slot, boolean done) {
        STATE.setRelease(states, slot, done ? DONE : LOST);
    }

    // ---- who polls --------------------------------------------------------------------------------------------------

    /** Whether it has ended and was not told. */
    boolean isEnded(int ticket) {
        return state(slot(ticket)) >= DONE;
    }

    /** Whether it was done. */
    boolean isDone(int slot) {
        return state(slot) == DONE;
    }

    /** Forgets it. */
    void clear(int slot) {
        handlers[slot] = null;
        targets[slot] = null;
        STATE.setRelease(states, slot, FREE);
    }

    private int state(int slot) {
        return (int) STATE.getAcquire(states, slot);
    }
}

package io.verbena.call;

import org.jspecify.annotations.Nullable;

/**
 * The calls of one requester that have not ended, in slots. The id that a call has on the wire names its slot, and
 * which of the calls in that slot it is.
 *
 * <p>One thread begins calls, one polls and ends them. A slot goes from the caller to the poller by one
 * {@link IntSpscQueue} before its request is sent, and back by another when it has ended. Nothing is allocated per
 * call.
 *
 * @param <C> the channels that requests go by
 * @param <H> what is called when a call has ended
 */
public final class CallTable<C, H> {
    /** No slot. */
    public static final int NONE = IntSpscQueue.EMPTY;

    private final int slotBits;
    private final int mask;
    private final long[] wireIds; // of the call in the slot
    private final long[] deadlines;
    private final long[] correlationIds;
    private final Object[] channels;
    private final @Nullable Object[] handlers;
    private final IntSpscQueue free;
    private final IntSpscQueue begun;
    private final DeadlineHeap due; // the poller's

    private long generation; // the caller's
    private int spare = NONE; // the caller's: a slot that was claimed and not used

    /**
     * Creates a table without calls.
     *
     * @param slots calls that may be outstanding, a power of two
     */
    public CallTable(int slots) {
        this.slotBits = Integer.numberOfTrailingZeros(slots);
        this.mask = slots - 1;
        this.wireIds = new long[slots];
        this.deadlines = new long[slots];
        this.correlationIds = new long[slots];
        this.channels = new Object[slots];
        this.handlers = new Object[slots];
        this.free = new IntSpscQueue(slots);
        this.begun = new IntSpscQueue(slots);
        this.due = new DeadlineHeap(slots);
        for (int slot = 0; slot < slots; slot++) {
            free.add(slot);
        }
    }

    // ---- calling ----------------------------------------------------------------------------------------------------

    /** Caller: a slot for the next call, the same until {@link #begin}; {@link #NONE} if too many are outstanding. */
    public int claim() {
        if (spare == NONE) {
            spare = free.take();
        }
        return spare;
    }

    /**
     * Caller: begins a call in the claimed slot. From here on the poller finds its response.
     *
     * @param deadline when it expires, by the requester's clock
     * @return its id on the wire
     */
    public long begin(C channel, long deadline, long correlationId, H handler) {
        int slot = spare;
        spare = NONE;
        long wireId = ++generation << slotBits | slot;
        wireIds[slot] = wireId;
        deadlines[slot] = deadline;
        correlationIds[slot] = correlationId;
        channels[slot] = channel;
        handlers[slot] = handler;
        begun.add(slot);
        return wireId;
    }

    // ---- polling ----------------------------------------------------------------------------------------------------

    /** Whether calls have begun that the poller has not taken. Any thread. */
    public boolean hasBegun() {
        return begun.size() > 0;
    }

    /** Poller: takes the calls that have begun. */
    public void takeBegun() {
        for (int slot = begun.take(); slot != NONE; slot = begun.take()) {
            due.add(slot, deadlines[slot]);
        }
    }

    /** Poller: the slot of a call that was taken, or {@link #NONE} if that has ended or was another channel's. */
    public int find(long wireId, @Nullable Object channel) {
        int slot = (int) wireId & mask;
        return due.contains(slot) && wireIds[slot] == wireId && channels[slot] == channel ? slot : NONE;
    }

    /** Poller: whether no call that was taken is outstanding. */
    public boolean isEmpty() {
        return due.isEmpty();
    }

    /** Poller: when the next call expires, or {@link Long#MAX_VALUE} if there is none. */
    public long earliest() {
        return due.earliest();
    }

    /** Poller: the slot of a call that has expired, or {@link #NONE}. */
    public int expired(long now) {
        return !due.isEmpty() && due.earliest() - now <= 0 ? due.first() : NONE;
    }

    /** Slots, from 0. */
    public int slots() {
        return mask + 1;
    }

    /** Poller: whether the call in a slot was taken and has not ended. */
    public boolean isUnderWay(int slot) {
        return due.contains(slot);
    }

    /** Poller: the channel of the call in a slot. */
    @SuppressWarnings("unchecked") // begin puts nothing else there
    public C channel(int slot) {
        return (C) channels[slot];
    }

    /** Poller: what its caller knows the call in a slot by. */
    public long correlationId(int slot) {
        return correlationIds[slot];
    }

    /** Poller: ends the call in a slot, which may have another from here on. Returns who is told. */
    @SuppressWarnings("unchecked") // begin puts nothing else there
    public @Nullable H end(int slot) {
        H handler = (H) handlers[slot];
        handlers[slot] = null;
        due.remove(slot);
        free.add(slot);
        return handler;
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    /** Calls that have not ended. Any thread; an estimate while others work. */
    public int outstanding() {
        return mask + 1 - free.size() - (spare == NONE ? 0 : 1);
    }
}

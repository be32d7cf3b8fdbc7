package io.verbena.call;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A queue of ints from one thread to another, without allocation or boxing: as many as there are slots, so that it is
 * never full.
 *
 * <p>Concurrency: one thread adds, one takes. What the one wrote before it added, the other sees when it has taken.
 */
final class IntSpscQueue {
    /** Returned by {@link #take}: there is none. */
    static final int EMPTY = -1;

    private static final VarHandle ADDED;
    private static final VarHandle TAKEN;

    static {
        try {
            ADDED = MethodHandles.lookup().findVarHandle(IntSpscQueue.class, "added", long.class);
            TAKEN = MethodHandles.lookup().findVarHandle(IntSpscQueue.class, "taken", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int[] slots;
    private final int mask;
    private volatile long added;
    private volatile long taken;

    /**
     * Creates an empty queue.
     *
     * @param capacity a power of two
     */
    IntSpscQueue(int capacity) {
        slots = new int[capacity];
        mask = capacity - 1;
    }

    /** Adds a value, 0 or more. */
    void add(int value) {
        long at = (long) ADDED.get(this);
        slots[(int) at & mask] = value;
        ADDED.setRelease(this, at + 1);
    }

    /** The oldest, or {@link #EMPTY}. */
    int take() {
        long at = (long) TAKEN.get(this);
        if (at == (long) ADDED.getAcquire(this)) {
            return EMPTY;
        }
        int value = slots[(int) at & mask];
        TAKEN.setRelease(this, at + 1);
        return value;
    }

    /** Any thread; an estimate while others work. */
    int size() {
        return (int) (added - taken);
    }
}

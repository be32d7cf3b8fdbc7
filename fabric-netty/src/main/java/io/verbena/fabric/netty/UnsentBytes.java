package io.verbena.fabric.netty;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Bytes of a link that are committed and that its socket has not taken, bounded by a window.
 *
 * <p>Concurrency: {@link #take} by the loop's owner, or by the baton holder while the owner has nothing to write; the
 * others by the baton holder.
 */
final class UnsentBytes {
    private static final VarHandle TAKEN;

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(UnsentBytes.class, "taken", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int window;
    private long committed;
    private long takenSeen;

    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private volatile long taken;

    UnsentBytes(int window) {
        this.window = window;
    }

    /** The most that may be unsent. */
    int window() {
        return window;
    }

    /** Bytes committed since the link came up. */
    long committed() {
        return committed;
    }

    void commit(int bytes) {
        committed += bytes;
    }

    /** Whether so many more bytes would exceed the window. */
    boolean isFull(int more) {
        if (committed - takenSeen + more > window) {
            takenSeen = (long) TAKEN.getAcquire(this);
            return committed - takenSeen + more > window;
        }
        return false;
    }

    /** Bytes committed that the socket has not taken. */
    int count() {
        takenSeen = (long) TAKEN.getAcquire(this);
        return (int) (committed - takenSeen);
    }

    /** The socket has taken so many. */
    void take(long bytes) {
        TAKEN.setRelease(this, (long) TAKEN.getOpaque(this) + bytes);
    }
}

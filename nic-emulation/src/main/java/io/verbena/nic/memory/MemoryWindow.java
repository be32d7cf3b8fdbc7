package io.verbena.nic.memory;

import org.jspecify.annotations.Nullable;

/**
 * A memory window (ibv_alloc_mw(3)): a key of its own to a part of a region, given and taken back by work requests.
 * Remote addresses under it are offsets into the window, and the window's own range and access are what counts.
 *
 * <p>Type 1 is bound by a call ({@code QueuePair.bindWindow}) that chooses its new key, and holds for every queue pair
 * of the protection domain. Type 2 is bound by a request that names the new key ({@link #nextKey}), holds for the queue
 * pair that bound it, and is unbound by an invalidation, local or by the peer's SEND. Binding a window of type 1 anew,
 * or to nothing, takes its earlier key back.
 *
 * <p>Peers reach a window through packets only: so an invalidation holds at once, without waiting for a direct
 * initiator.
 *
 * <p>Concurrency: bound and invalidated under the baton of the engine of the queue pair that does it, with a lock that
 * only the window's deallocation on another thread ever contends for. The getters are for any thread.
 */
public final class MemoryWindow {
    /** How a window is bound. */
    public enum Type {
        /** By a call; for every queue pair of the protection domain. */
        TYPE_1,
        /** By a request; for the queue pair that bound it. */
        TYPE_2
    }

    private final MemoryTable table;
    private final Type type;
    private final int pd;
    private volatile int key;
    private volatile @Nullable MemoryRegion view;
    private @Nullable MemoryRegion region; // what it is bound to
    private int qpNumber;
    private boolean freed;

    MemoryWindow(MemoryTable table, Type type, int pd, int key) {
        this.table = table;
        this.type = type;
        this.pd = pd;
        this.key = key;
    }

    /** How it is bound. */
    public Type type() {
        return type;
    }

    /** Protection domain. */
    public int pd() {
        return pd;
    }

    /** The key: the last one that a bind was posted with. Peers may use it when that bind is complete. */
    public int key() {
        return key;
    }

    /** The key after the present one, for the next bind of a type 2 window (ibv_inc_rkey(3)). */
    public int nextKey() {
        return table.keyAfter(key);
    }

    /** Whether it may have a key: one that {@link #nextKey} might make, now or later. */
    public boolean mayHaveKey(int other) {
        return table.areOfOnePlace(key, other);
    }

    /** Whether it is bound now. */
    public boolean isBound() {
        return view != null;
    }

    /** A bind with this key was posted. */
    public void key(int newKey) {
        key = newKey;
    }

    /** The bound part as a peer reaches it through a queue pair, or null. */
    @Nullable
    MemoryRegion view(int remoteKey, int throughQp) {
        MemoryRegion bound = view;
        return bound != null && bound.key() == remoteKey && (type == Type.TYPE_1 || qpNumber == throughQp)
                ? bound
                : null;
    }

    /** Binds it; the region holds it already. Returns false if it has been freed. */
    synchronized boolean bind(MemoryRegion to, MemoryRegion part, int throughQp) {
        if (freed) {
            return false;
        }
        unbind();
        qpNumber = throughQp;
        region = to;
        view = part;
        return true;
    }

    /** Takes the key back that it is bound under, if it is bound. */
    synchronized void unbind() {
        MemoryRegion before = region;
        view = null;
        region = null;
        if (before != null) {
            before.releaseWindow();
        }
    }

    /** Unbinds it for good. */
    synchronized void free() {
        freed = true;
        unbind();
    }

    @Override
    public String toString() {
        return "MemoryWindow{" + type + ", key=" + KeyText.of(key) + ", pd=" + pd + ", bound to " + view + "}";
    }
}

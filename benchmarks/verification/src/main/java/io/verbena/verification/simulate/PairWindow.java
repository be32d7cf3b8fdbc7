package io.verbena.verification.simulate;

import io.verbena.nic.memory.MemoryWindow;
import org.jspecify.annotations.Nullable;

/** The memory window on one end's slice, for its peer. */
final class PairWindow {
    /** What has become of it. */
    enum State {
        NONE,
        UNBOUND,
        BINDING,
        BOUND,
        VOIDING
    }

    State state = State.NONE;

    @Nullable
    MemoryWindow memoryWindow;

    int key;

    /** A key that was the window's and is void; 0: there is none. */
    int voidKey;

    /** Whether it is bound by call, not by request. */
    boolean isBoundByCall() {
        MemoryWindow present = memoryWindow;
        return present != null && present.type() == MemoryWindow.Type.TYPE_1;
    }

    /** There is none: its queue pair is new. */
    void clear() {
        state = State.NONE;
        memoryWindow = null;
        voidKey = 0;
    }

    /** A request has bound it, or made its key void. */
    void done(ModelRequest r) {
        if (r.verb == PostedVerb.BIND_WINDOW) {
            state = r.binding.unbinds ? State.UNBOUND : State.BOUND;
            voidKey = r.binding.formerKey != 0 ? r.binding.formerKey : voidKey;
            key = r.binding.key;
        } else {
            state = State.UNBOUND;
            voidKey = r.binding.key;
        }
    }
}

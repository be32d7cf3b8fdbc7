package io.verbena.nic;

import io.verbena.nic.memory.MemoryWindow;

/** The change of key that goes with a posted bind of a window of type 1 ({@code ibv_bind_mw(3)}). */
final class WindowBinding {
    private WindowBinding() {}

    /**
     * Posts a bind. The window has its new key before the request is posted, because the thread that sees the
     * completion reads it; if the request is not posted, it gets the previous key back.
     */
    static PostResult post(QueuePair qp, SendRequest bind, MemoryWindow window, int key) {
        int before = window.key();
        window.key(key);
        PostResult result = PostResult.REFUSED;
        try {
            result = qp.postSend(bind);
        } finally {
            if (result != PostResult.POSTED) {
                window.key(before);
            }
        }
        return result;
    }
}

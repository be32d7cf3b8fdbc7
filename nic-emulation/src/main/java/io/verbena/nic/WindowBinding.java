package io.verbena.nic;

import io.verbena.nic.memory.MemoryWindow;

/** The change of key that goes with a posted bind of a window of type 1 ({@code ibv_bind_mw(3)}). */
final class WindowBinding {
    private WindowBinding() {}

    /**
     * Posts a bind. The window has its new key before the request is posted, for whoever sees the completion reads it;
     * it has the earlier one again if the request is not posted.
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

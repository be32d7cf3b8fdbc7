package io.verbena.channel;

import io.verbena.connection.Connection;
import io.verbena.dispatch.TenantCallbacks;
import io.verbena.dispatch.Turns;
import io.verbena.nic.verbs.QpState;
import io.verbena.path.SendPath;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Calls back when a channel that had no room for a message has some again, if that was asked for. Any thread. */
final class ReadyNotice {
    private final Object channel; // for the log
    private final Connection connection;
    private final SendPath path;
    private final TenantCallbacks callbacks;
    private final Turns turns;
    private final AtomicBoolean awaitsRoom = new AtomicBoolean();
    private volatile @Nullable Runnable listener;

    ReadyNotice(Object channel, Connection connection, TenantCallbacks callbacks, Turns turns) {
        this.channel = channel;
        this.connection = connection;
        this.path = connection.path;
        this.callbacks = callbacks;
        this.turns = turns;
    }

    /** Sets what the node runs when there is room again. */
    void listener(Runnable told) {
        listener = told;
    }

    /** There is no room. */
    void refused() {
        if (listener != null && !awaitsRoom.get() && awaitsRoom.compareAndSet(false, true)) {
            int outstanding = path.outstanding();
            turns.retry(() -> tellIfReady(outstanding));
        }
    }

    /** Runs the listener if something has been completed since the refusal. By the node. */
    private boolean tellIfReady(int atRefusal) {
        int state = connection.state;
        boolean isFull = atRefusal > 0 && path.outstanding() >= atRefusal && path.state() == QpState.RTS;
        if (state < Connection.OPEN || (state == Connection.OPEN && isFull)) {
            return false;
        }
        Runnable told = listener;
        if (told != null && !callbacks.enter(channel, true)) {
            return false; // other callbacks of the tenant run: in a moment
        }
        awaitsRoom.set(false); // before the listener, which may be refused again
        if (told != null) {
            try {
                told.run();
            } finally {
                callbacks.leave();
            }
        }
        return true;
    }
}

package io.verbena.channel;

import io.verbena.connection.Connection;
import io.verbena.dispatch.TenantCallbacks;
import io.verbena.dispatch.Turns;
import io.verbena.nic.verbs.QpState;
import io.verbena.path.SendPath;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What a node tries for a channel in each turn until it can be done: calls back when a channel that had no room for a
 * message has some again, if that was asked for; and flushes where a thread wanted to while another one was inside. Any
 * thread.
 */
final class SenderRetries {
    private static final VarHandle AWAITS_ROOM;

    static {
        try {
            AWAITS_ROOM = MethodHandles.lookup().findVarHandle(SenderRetries.class, "awaitsRoom", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Object channel; // for the log
    private final ChannelSender sender;
    private final Connection connection;
    private final SendPath path;
    private final TenantCallbacks callbacks;
    private final Turns turns;
    private volatile @Nullable Runnable listener;
    private volatile boolean awaitsRoom;
    private volatile boolean awaitsFlush;

    SenderRetries(Object channel, ChannelSender sender, Connection connection, TenantCallbacks callbacks, Turns turns) {
        this.channel = channel;
        this.sender = sender;
        this.connection = connection;
        this.path = connection.path;
        this.callbacks = callbacks;
        this.turns = turns;
    }

    // ---- room -------------------------------------------------------------------------------------------------------

    /** Sets what the node runs when there is room again. */
    void onReady(Runnable told) {
        listener = told;
    }

    /** There is no room. */
    void refused() {
        if (listener != null && !awaitsRoom && AWAITS_ROOM.compareAndSet(this, false, true)) {
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
        awaitsRoom = false; // before the listener, which may be refused again
        if (told != null) {
            try {
                told.run();
            } finally {
                callbacks.leave();
            }
        }
        return true;
    }

    // ---- flushing ---------------------------------------------------------------------------------------------------

    /** Another thread keeps the channel: the node flushes when that one is out. */
    void flushLater() {
        if (!awaitsFlush) {
            awaitsFlush = true; // a thread that comes at the same moment asks for a second one, which does no harm
            turns.retry(this::flush);
        }
    }

    /** By a thread that is inside, and has been for long, before it leaves: flushes if another one wanted to. */
    void flushIfAsked() {
        if (awaitsFlush) {
            sender.flushInside();
        }
    }

    /** Flushes if nobody is inside; a channel that is closed has flushed, or does. By the node. */
    private boolean flush() {
        if (connection.state > Connection.OPEN) {
            awaitsFlush = false;
            return true;
        }
        if (!sender.tryLook()) {
            return false;
        }
        try {
            awaitsFlush = false; // who has found it set is served by this flush, who asks from here on by another
            sender.flushInside();
        } finally {
            sender.endLook();
        }
        return true;
    }
}

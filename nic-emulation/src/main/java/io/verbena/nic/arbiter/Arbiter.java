package io.verbena.nic.arbiter;

import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Decides who sends next and how much: the port between the engine and a scheduling discipline. Two levels: groups (a
 * tenant each), and the flows (queue pairs) of a group.
 *
 * <p>The engine asks {@link #next} while something can be sent, lets that flow send up to {@link Flow#budget} bytes, says
 * what it really sent with {@link #charge}, and then exactly one of {@link #active} (more to send), {@link #idle} (nothing
 * left), {@link #blocked} (has work, but waits for an acknowledgement or a timer, or for a path without a port) or
 * {@link #full} (has work, but its port has no room). The same after {@link #nextAlone}.
 *
 * <p>Single-threaded: used under the engine's baton. After {@link #attach} and {@link #changed(FlowGroup)} it allocates
 * nothing.
 */
public interface Arbiter {
    /**
     * A flow may have work from now on: it is new, or is connected along another port. Idempotent; a flow that is scheduled
     * moves with what it is owed. Control path.
     *
     * @param port of the link that it sends on, or null: what it sends may go several ways, or none that fills up
     */
    void attach(Flow flow, @Nullable Port port);

    /** A flow is gone, or was reset: it leaves every list. Constant time; does nothing if it is not attached. */
    void detach(Flow flow);

    /** An attached flow has work: it takes part from now on. Does nothing if it does already. */
    void active(Flow flow);

    /** A flow has no work left: what it owes stays owed, what was left over is not kept. */
    void idle(Flow flow);

    /** A flow has work but cannot send: it keeps what is left over and takes no part until it is active again. */
    void blocked(Flow flow);

    /** A flow has met a port without room: it keeps its turn, and no flow of that port is chosen until {@link #room}. */
    void full(Flow flow);

    /** A port may be tried again. */
    void room(Port port);

    /**
     * The flow to serve next. Say what became of it before the next call.
     *
     * @return null if no flow can be served
     */
    @Nullable
    Flow next();

    /**
     * Serves a flow that has work and takes no part in the schedule: what {@link #active} and {@link #next} would come to if
     * nothing else has work, without the schedule's queues.
     *
     * @return false if that is not so; then nothing has changed
     */
    boolean nextAlone(Flow flow);

    /**
     * Says what the flow that {@link #next} gave has sent.
     *
     * @param flow that was served
     * @param bytes as the link carries them, at least 0
     * @param operations begun or answered, at least 0
     * @param nanos of the engine that it took; only looked at where {@link #isTimed}
     */
    void charge(Flow flow, int bytes, int operations, long nanos);

    /**
     * Sets where the time comes from that visits are not timed with: one reading may do for a whole turn of the engine. By
     * default the clock that the arbiter was made with.
     */
    default void timeBy(NanoClock turn) {}

    /** Whether visits are to be timed. */
    boolean isTimed();

    /**
     * Whether the flow that is served is urgent: it may use the window that links leave to urgent packets, which bulk keeps out
     * of.
     */
    default boolean isEarly() {
        return false;
    }

    /**
     * Bytes after which a turn of the engine ends, although there is more to send: whoever runs it may be an application's thread
     * that somebody waits for.
     */
    default int turnBytes() {
        return Integer.MAX_VALUE;
    }

    /** Whether {@link #next} would find a flow: not one behind a full port or above its group's ceiling. */
    boolean hasActive();

    /** A group's weight or rates have changed. Constant time, whatever the number of flows. */
    void changed(FlowGroup group);

    /** A flow's weight or class has changed, from its next visit on. Constant time, whatever the number of flows. */
    void changed(Flow flow, int oldWeight, int newWeight, TrafficClass newClass);

    /** When {@link #expire} is to be called, in the clock's nanoseconds; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNanos();

    /** Time has passed: groups that waited for their ceiling take part again. */
    void expire(long nowNanos);

    /** Whether {@link #acknowledged} is to be called. Constant. */
    boolean wantsAcknowledgements();

    /** All that a flow has sent was acknowledged, or is to be sent again, or never will be. */
    void acknowledged(Flow flow);
}

package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * Decides who sends next and how much: the port between the engine and a scheduling discipline. Two levels: groups (a
 * tenant each), and the flows (queue pairs) of a group.
 *
 * <p>The engine asks {@link #next} while something can be sent, lets that flow send up to {@link Flow#budget} bytes,
 * says what it really sent with {@link #charge}, and then exactly one of {@link #active} (more to send), {@link #idle}
 * (nothing left), {@link #blocked} (has work, but waits for an acknowledgement or a timer, or for a path without an
 * output) or {@link #full} (has work, but its output has no room). The same after {@link #nextAlone}.
 *
 * <p>Single-threaded: used under the engine's baton. After {@link #attach} and {@link #changed(FlowGroup)} it allocates
 * nothing.
 */
public interface Arbiter extends Roster {
    /**
     * An attached flow has work: it takes part from now on, or once its rate lets it. Does nothing if it does already.
     */
    void active(Flow flow);

    /** A flow has no work left: what it owes stays owed, what was left over is not kept. */
    void idle(Flow flow);

    /** A flow has work but cannot send: it keeps what is left over and takes no part until it is active again. */
    void blocked(Flow flow);

    /**
     * A flow has met an output without room: it keeps its turn, and no flow of that output is chosen until {@link
     * #room}.
     */
    void full(Flow flow);

    /** An output may be tried again. */
    void room(OutputQueue output);

    /**
     * The flow to serve next. Say what became of it before the next call.
     *
     * @return null if no flow can be served
     */
    @Nullable
    Flow next();

    /**
     * Serves a flow that has work and takes no part in the schedule: what {@link #active} and {@link #next} would come
     * to if nothing else has work, without the schedule's queues.
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
     * @param nanos of the engine that it took; only looked at where {@link ArbiterSettings#isTimed}
     */
    void charge(Flow flow, int bytes, int operations, long nanos);

    /**
     * Bytes after which a turn of the engine ends, although there is more to send: whoever runs it may be an
     * application's thread that somebody waits for.
     */
    default int turnBytes() {
        return Integer.MAX_VALUE;
    }

    /** Whether {@link #next} would find a flow: not one behind a full output, above its rate or its group's ceiling. */
    boolean hasActive();

    /** When {@link #expire} is to be called, in the clock's nanoseconds; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNanos();

    /** Time has passed: groups that waited for their ceiling take part again, and flows that waited for their rate. */
    void expire(long nowNanos);
}

package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * Decides who sends next and how much: the port between the engine and a scheduling discipline. Two levels: groups (a
 * tenant each), and the flows (queue pairs) of a group.
 *
 * <p>The engine asks {@link #next} while a link can take bytes, lets that flow send up to {@link Flow#budget} bytes, says
 * what it really sent with {@link #charge}, and then exactly one of {@link #active} (more to send), {@link #idle} (nothing
 * left) or {@link #blocked} (has work, but waits for a link, an acknowledgement or a timer). What a flow overshot or left
 * over is its deficit and is carried to its next visit, which is what makes long-run shares exact.
 *
 * <p>Single-threaded: used under the engine's baton. Allocates nothing.
 */
public interface Arbiter {
    /** A flow has work: it takes part from now on. Does nothing if it does already. */
    void active(Flow flow);

    /** A flow has no work left; its deficit is forgotten. */
    void idle(Flow flow);

    /** A flow has work but cannot send; it keeps its deficit and takes no part until it is active again. */
    void blocked(Flow flow);

    /**
     * The flow to serve next. It is taken out of the schedule: say what became of it.
     *
     * @return null if no flow is active
     */
    @Nullable
    Flow next();

    /**
     * Serves a flow that has work and takes no part in the schedule: what {@link #active} and {@link #next} would come to if
     * nothing else is active, without the schedule's queues.
     *
     * @return false if another flow is active; then nothing has changed
     */
    boolean nextAlone(Flow flow);

    /**
     * Says what the flow that {@link #next} gave has sent.
     *
     * @param flow that was served
     * @param bytes in the charged unit, at least 0
     */
    void charge(Flow flow, int bytes);

    /** Whether any flow is active. */
    boolean hasActive();
}

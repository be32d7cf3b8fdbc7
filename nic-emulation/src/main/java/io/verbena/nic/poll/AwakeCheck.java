package io.verbena.nic.poll;

import io.verbena.nic.port.PollStrategy;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Whether a thread that waits may stay awake: not beyond the wait's own deadline, and not while cores are short. It
 * reads the clock at the first look of a wait and at one look in {@value #LOOK_INTERVAL_POLLS} after that.
 *
 * <p>For one thread at a time.
 */
final class AwakeCheck implements AutoCloseable {
    private static final int LOOK_INTERVAL_POLLS = 4; // a poll may be a system call or two

    /** Longer than a look takes, unless others run meanwhile. */
    private static final long GAP = 50_000;

    private final NanoClock clock;
    private final @Nullable CoreShortage shortage;
    private long deadline = PollStrategy.NO_DEADLINE;
    private boolean began; // the clock has been read in this wait
    private long since;
    private long lastLook;
    private int polls;

    /**
     * Creates it.
     *
     * @param shortage says whether cores are short, or null if there are always enough
     */
    AwakeCheck(NanoClock clock, @Nullable CoreShortage shortage) {
        this.clock = clock;
        this.shortage = shortage;
    }

    /** One that watches for a shortage of cores. */
    static AwakeCheck watching(NanoClock clock, RunDelay runDelay) {
        return new AwakeCheck(clock, new CoreShortage(runDelay, clock.nanoTime()));
    }

    /** A wait begins. */
    void begin(long deadlineNanos) {
        deadline = deadlineNanos;
        began = false;
        polls = 0;
    }

    /** Whether this wait has looked at the clock. */
    boolean hasBegun() {
        return began;
    }

    /** A look has found nothing. @return whether the thread may look again without sleeping */
    boolean mayStayAwake() {
        if (!began) {
            long now = clock.nanoTime();
            began = true;
            since = now;
            lastLook = now;
            return (shortage == null || shortage.mayStayAwake(now)) && !isOver(now);
        }
        if ((++polls & (LOOK_INTERVAL_POLLS - 1)) != 0) {
            return true;
        }
        long now = clock.nanoTime();
        if (shortage != null && now - lastLook > GAP && shortage.isShortAfter(now, now - lastLook)) {
            return false;
        }
        lastLook = now;
        return !isOver(now);
    }

    private boolean isOver(long now) {
        return deadline != PollStrategy.NO_DEADLINE && now - deadline >= 0;
    }

    /** How long this wait has been awake, as of the last look at the clock. */
    long awakeNanos() {
        return lastLook - since;
    }

    /** When the wait looked at the clock first. */
    long since() {
        return since;
    }

    long now() {
        return clock.nanoTime();
    }

    /** Whether waits sleep at once for now. */
    boolean hasRetreated() {
        return shortage != null && shortage.hasRetreated();
    }

    @Override
    public void close() {
        if (shortage != null) {
            shortage.close();
        }
    }
}

package io.verbena.nic.poll;

/**
 * Whether there are cores enough for a thread to stay awake while it waits.
 *
 * <p>Where more threads want to run than there are cores, staying awake loses: the scheduler takes the core away for
 * milliseconds from a thread that has used its share, while one that sleeps is run soon after it is woken. So a thread
 * that was kept from running for a good part of the last time retreats: it sleeps at once, for a while. Then it tries
 * to stay awake again; when it is found out soon, the next retreat is twice as long.
 *
 * <p>One loss is not a shortage: a thread that is woken may be put on the core of one that is awake although another is
 * free, and a compiler's thread comes and goes; the kernel puts that right within a slice, and a retreat then would
 * cost more than the slice, since two that retreat wake each other at each message.
 *
 * <p>For one thread at a time.
 */
final class CoreShortage implements AutoCloseable {
    /** How far back it looks... */
    private static final long WINDOW = 32_000_000;

    /**
     * ...and how much of that it may have lost: more than a slice of another's, less than an equal share of a core
     * does.
     */
    private static final long TOLERATED = 6_000_000;

    /** So much of each time that it waited for a core is what being woken takes. */
    private static final long WAKE_UP = 50_000;

    private static final long LOOK_INTERVAL = 1_000_000;
    private static final long MIN_RETREAT = 100_000_000;
    private static final long MAX_RETREAT = 1_000_000_000;

    private final RunDelay runDelay;
    private long delaySeen;
    private long runsSeen;
    private long nextLook;
    private long windowBegan;
    private long lost;
    private long retreat = MIN_RETREAT;
    private long retreatUntil;
    private boolean retreated;
    private boolean retreatedBefore;

    CoreShortage(RunDelay runDelay, long now) {
        this.runDelay = runDelay;
        this.nextLook = now;
        this.windowBegan = now;
    }

    /** Whether the calling thread may stay awake in the wait that begins. */
    boolean mayStayAwake(long now) {
        if (retreated) {
            if (now - retreatUntil < 0) {
                return false;
            }
            retreated = false;
            begin(now);
            look(now);
            return true;
        }
        return now - nextLook < 0 || !isShortAfter(now, 0);
    }

    /**
     * The calling thread, awake, has not run for a while, or its look at the clock took as long.
     *
     * @return whether that was one time too many
     */
    boolean isShortAfter(long now, long gap) {
        if (now - windowBegan > WINDOW) {
            begin(now);
        }
        boolean comparable = runDelay.isOfCurrentThread();
        long delayBefore = delaySeen;
        long runsBefore = runsSeen;
        look(now);
        if (runDelay.isAbsent()) {
            lost += gap;
        } else if (comparable) {
            lost += keptFromRunning(delaySeen - delayBefore, runsSeen - runsBefore);
        }
        if (lost > TOLERATED) {
            retreat(now);
        }
        return retreated;
    }

    private void begin(long now) {
        windowBegan = now;
        lost = 0;
    }

    private void look(long now) {
        nextLook = now + LOOK_INTERVAL;
        runDelay.look();
        delaySeen = runDelay.nanos();
        runsSeen = runDelay.runs();
    }

    /** How long others kept a thread from running that has waited so long to run, in so many pieces. */
    static long keptFromRunning(long nanos, long runs) {
        return Math.max(0, nanos - runs * WAKE_UP);
    }

    private void retreat(long now) {
        boolean again = retreatedBefore && now - retreatUntil < MAX_RETREAT;
        retreat = again ? Math.min(retreat * 2, MAX_RETREAT) : MIN_RETREAT;
        retreatUntil = now + retreat;
        retreated = true;
        retreatedBefore = true;
    }

    /** Whether waits sleep at once for now. */
    boolean hasRetreated() {
        return retreated;
    }

    @Override
    public void close() {
        runDelay.close();
    }
}

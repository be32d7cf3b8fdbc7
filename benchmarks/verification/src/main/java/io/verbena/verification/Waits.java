package io.verbena.verification;

import java.util.concurrent.TimeUnit;

/** Waits of runs and measurements. A thread that is interrupted stays so, and does not wait any longer. */
public final class Waits {
    private Waits() {}

    /** What a wait ends with that is interrupted. */
    public static RunException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new RunException("interrupted", cause);
    }

    /**
     * Sleeps; not at all if the time is not above 0.
     *
     * @throws RunException if the thread is interrupted
     */
    public static void sleep(double seconds) {
        try {
            TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Waits for a thread's end, so long at most. @return whether it has ended */
    public static boolean join(Thread thread, long millis) {
        try {
            thread.join(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    /** Waits for a process' end, so long at most. @return whether it has ended */
    public static boolean end(Process process, double seconds) {
        try {
            return process.waitFor((long) (seconds * 1e3), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }
}

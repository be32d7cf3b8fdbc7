package io.verbena.nic.poll;

/**
 * What waiting has cost so far.
 *
 * @param emptyLooks looks that found nothing, after which a strategy was asked
 * @param sleeps times that a thread was told to sleep, found nothing after it had armed, and blocked
 * @param wakeUps times that a blocked thread ran again, for whatever reason
 */
public record WaitStatistics(long emptyLooks, long sleeps, long wakeUps) {
    /** Of two together. */
    public WaitStatistics plus(WaitStatistics other) {
        return new WaitStatistics(emptyLooks + other.emptyLooks, sleeps + other.sleeps, wakeUps + other.wakeUps);
    }

    /** What has come since an earlier look. */
    public WaitStatistics since(WaitStatistics before) {
        return new WaitStatistics(emptyLooks - before.emptyLooks, sleeps - before.sleeps, wakeUps - before.wakeUps);
    }
}

package io.verbena.redis;

/**
 * Commands a second, as of the last tick.
 *
 * <p>For the worker's thread, but for {@link #perSecond}.
 */
final class CommandRate {
    private long lastTick;
    private long commandsAtTick;
    private volatile double perSecond;

    CommandRate(long nowNanos) {
        lastTick = nowNanos;
    }

    /** Nanoseconds since the last tick. */
    long sinceTick(long nowNanos) {
        return nowNanos - lastTick;
    }

    /**
     * Takes the rate since the last tick.
     *
     * @param nowNanos after the last tick
     * @param commands executed so far; less than before if they were cleared
     */
    void tick(long nowNanos, long commands) {
        perSecond = Math.max(0, commands - commandsAtTick) * 1e9 / sinceTick(nowNanos);
        commandsAtTick = commands;
        lastTick = nowNanos;
    }

    /** The rate before the last tick; 0 at first. Any thread. */
    double perSecond() {
        return perSecond;
    }
}

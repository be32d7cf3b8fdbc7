package io.verbena.bench.check.redis;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What all parts of one run share. Thread-safe. */
final class Run {
    private final RedisCheckContext context;
    private final int tag;
    private final Tally tally = new Tally();
    private final Latencies latencies = new Latencies();
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    private volatile boolean ending;
    private volatile boolean watchOffered;

    /**
     * Creates one.
     *
     * @param context concluded
     * @param tag of all keys and values of this run, 24 bits
     */
    Run(RedisCheckContext context, int tag) {
        this.context = context;
        this.tag = tag & 0xFFFFFF;
    }

    RedisCheckContext context() {
        return context;
    }

    int tag() {
        return tag;
    }

    /** What every key of this run begins with. */
    String prefix() {
        return String.format(Locale.ROOT, "vck:%06x:", tag);
    }

    Tally tally() {
        return tally;
    }

    Latencies latencies() {
        return latencies;
    }

    /** Notes a failure; the first counts. */
    void fail(String text) {
        failure.compareAndSet(null, text);
    }

    boolean hasFailed() {
        return failure.get() != null;
    }

    @Nullable
    String failure() {
        return failure.get();
    }

    /** Whether the server has transactions with conditions. */
    void watchOffered(boolean value) {
        watchOffered = value;
    }

    boolean isWatchOffered() {
        return watchOffered;
    }

    /** The load's time is over: players look for the last time at what they own. */
    void end() {
        ending = true;
    }

    boolean isEnding() {
        return ending;
    }
}

package io.verbena.bench.check.redis;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What all parts of one run share. Thread-safe. */
final class Run {
    /** Memory of a server that does not tell. */
    static final long UNKNOWN = -1;

    private static final Pattern USED_MEMORY = Pattern.compile("\\bused_memory:(\\d+)");

    private final RedisCheckContext context;
    private final int tag;
    private final RedisTally tally = new RedisTally();
    private final Latencies latencies = new Latencies();
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
    private volatile boolean ending;
    private volatile boolean watchOffered;
    private volatile long memoryBefore = UNKNOWN;

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

    RedisTally tally() {
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

    /** Bytes that the server used before all began, or {@link #UNKNOWN}. */
    void memoryBefore(long bytes) {
        memoryBefore = bytes;
    }

    long memoryBefore() {
        return memoryBefore;
    }

    /** What INFO says is used, or {@link #UNKNOWN}. */
    static long usedMemory(Reply info) {
        Matcher matcher = USED_MEMORY.matcher(info.string());
        return matcher.find() ? Long.parseLong(matcher.group(1)) : UNKNOWN;
    }

    /** The load's time is over: players look for the last time at what they own. */
    void end() {
        ending = true;
    }

    boolean isEnding() {
        return ending;
    }
}

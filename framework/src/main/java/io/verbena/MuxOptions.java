package io.verbena;

import io.verbena.mux.MuxSettings;
import java.util.Objects;

/**
 * When and how channels share queue pairs ({@link NodeContext#shareConnections}): fluent setters over defaults.
 * Mutable; not thread-safe.
 *
 * <p>Who moves messages from the channels to the queue pair is not an option here: it is whoever does the node's work
 * just then, or sends, without a change of threads. Avatar has a thread of its own for that, the Worker: for the same,
 * let the node's thread alone do it ({@link NodeMode#THREAD}).
 */
public final class MuxOptions {
    private int after = 8;
    private int queuePairs = 2;
    private int depth = 4;
    private int segment = 16 << 10;
    private MuxScheduler scheduler = MuxScheduler.DEFICIT_ROUND_ROBIN;

    /**
     * Creates the defaults: from the ninth channel on, two queue pairs, 4 messages under way at first, segments of
     * 16 KiB, turns in bytes by weights.
     */
    public MuxOptions() {}

    /**
     * Channels of a tenant to the same peer that have queue pairs of their own, 0 or more; those that are
     * opened while there are so many share. Default 8; with {@link Integer#MAX_VALUE} none shares. Those that cannot
     * share ({@link ChannelOptions#dedicated}) do not count.
     */
    public MuxOptions after(int channels) {
        after = Limits.range("after", channels, 0, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Queue pairs to the same peer that a tenant's channels share, 1 to 64; default 2. Each is of up to 4,095 channels
     * in its life; one more follows each that is used up.
     */
    public MuxOptions queuePairs(int count) {
        queuePairs = Limits.range("queuePairs", count, 1, 64);
        return this;
    }

    /**
     * Messages that a channel which shares may have under way at first, a power of two, 2 to 32768; default 4. It
     * grows to {@link NodeContext#sendDepth} as soon as they do not suffice.
     */
    public MuxOptions depth(int messages) {
        depth = Limits.powerOfTwo("depth", messages, 2, 32768);
        return this;
    }

    /**
     * Bytes of a long message, one above 16 KiB, that are sent before others have their turn, 1024 to
     * {@link Integer#MAX_VALUE}; default 16 KiB. So a short message waits for a segment of another channel's long one,
     * not for all of it. Long messages of channels that share a queue pair go one after the other, by their channels'
     * weights in bytes. Where the peer's memory is mapped, what fits in a chunk of its inbox is one copy, not cut.
     */
    public MuxOptions segment(int bytes) {
        segment = Limits.range("segment", bytes, 1024, Integer.MAX_VALUE);
        return this;
    }

    /** Which of the channels that share a queue pair sends next; {@link MuxScheduler#DEFICIT_ROUND_ROBIN} at first. */
    public MuxOptions scheduler(MuxScheduler discipline) {
        scheduler = Objects.requireNonNull(discipline, "discipline");
        return this;
    }

    MuxSettings settings() {
        return new MuxSettings(after, queuePairs, depth, segment, scheduler);
    }
}

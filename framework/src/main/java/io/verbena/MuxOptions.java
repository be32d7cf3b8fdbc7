package io.verbena;

import io.verbena.mux.MuxSettings;

/**
 * When and how channels share queue pairs ({@link NodeContext#shareConnections}): fluent setters over defaults.
 * Mutable; not thread-safe.
 */
public final class MuxOptions {
    private int after = 8;
    private int queuePairs = 2;
    private int depth = 16;

    /** Creates the defaults: from the ninth channel on, two queue pairs, 16 messages under way at first. */
    public MuxOptions() {}

    /**
     * Channels of a tenant between the same two inboxes that have queue pairs of their own, 0 or more; those that are
     * opened while there are so many share. Default 8.
     */
    public MuxOptions after(int channels) {
        after = Limits.range("after", channels, 0, Integer.MAX_VALUE - 1);
        return this;
    }

    /**
     * Queue pairs that are shared between the same two inboxes, 1 to 64; default 2. Each is of up to 4,095 channels in
     * its life; one more follows each that is used up.
     */
    public MuxOptions queuePairs(int count) {
        queuePairs = Limits.range("queuePairs", count, 1, 64);
        return this;
    }

    /**
     * Messages that a channel which shares may have under way at first, a power of two, 2 to 32768; default 16. It
     * grows to {@link NodeContext#sendDepth} as soon as they do not suffice.
     */
    public MuxOptions depth(int messages) {
        depth = Limits.powerOfTwo("depth", messages, 2, 32768);
        return this;
    }

    MuxSettings settings() {
        return new MuxSettings(after, queuePairs, depth);
    }
}

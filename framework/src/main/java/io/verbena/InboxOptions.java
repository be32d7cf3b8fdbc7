package io.verbena;

import io.verbena.nic.append.AppendQueueAttributes;

/**
 * What an {@link Inbox} is made of: fluent setters over defaults, checked when the inbox is opened. An inbox holds
 * {@code (1 + reserveChunks) * chunkLength} bytes when it is empty, and grows up to the memory limit.
 */
public final class InboxOptions {
    private final AppendQueueAttributes attributes = new AppendQueueAttributes();

    /** Creates the defaults: chunks of 1 MiB, a reserve of 2, messages up to 16 MiB. */
    public InboxOptions() {}

    /** Bytes of a chunk, a power of two, 64 KiB to 64 MiB; messages above a quarter of it get a mapping of their own. */
    public InboxOptions chunkLength(int bytes) {
        attributes.chunkLength(bytes);
        return this;
    }

    /** Clean chunks to keep ready ahead of the senders, at least 1. */
    public InboxOptions reserveChunks(int chunks) {
        attributes.reserveChunks(chunks);
        return this;
    }

    /** Bytes of the longest message, 0 to 1 GiB; a longer one is refused at the sender. */
    public InboxOptions maxMessage(int bytes) {
        attributes.maxMessage(bytes);
        return this;
    }

    /**
     * Most bytes that the inbox may hold at a time; senders are back-pressured beyond it. 0, the default: as many chunks as
     * the node's limits allow and two of the longest messages.
     */
    public InboxOptions memoryLimit(long bytes) {
        attributes.memoryLimit(bytes);
        return this;
    }

    AppendQueueAttributes attributes() {
        return attributes;
    }
}

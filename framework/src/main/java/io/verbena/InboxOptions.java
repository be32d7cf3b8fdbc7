package io.verbena;

import io.verbena.fabric.Nanos;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.poll.Polling;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of an {@link Inbox}: fluent setters over defaults, checked when the inbox is opened. An inbox takes its
 * chunks from the {@linkplain NodeContext#sharedReserve reserve for all inboxes} of its node, holds none when it is idle, and
 * grows up to the memory limit. One that asks for a reserve of its own, by {@link #reserveChunks}, {@link #lineRate},
 * {@link #load}, {@link #measured} or {@link #lowWatermark}, holds {@code (1 + reserveChunks) * chunkLength} bytes when
 * it is idle; so does any inbox of a node whose reserve is 0.
 */
public final class InboxOptions {
    private static final int MAX_HELD = 1 << 20;

    private final AppendQueueAttributes attributes = new AppendQueueAttributes();
    int maxHeld = 4096;
    ChannelOptions channels = new ChannelOptions();

    @Nullable
    String tenant;

    @Nullable
    Polling polling;

    /** Creates the defaults: chunks of 1 MiB, messages up to 16 MiB. */
    public InboxOptions() {}

    /**
     * Bytes of a chunk, a power of two, 64 KiB to 64 MiB; messages above a quarter of it get a mapping of their own.
     */
    public InboxOptions chunkLength(int bytes) {
        attributes.chunkLength(bytes);
        return this;
    }

    /** Clean chunks to keep ready ahead of the senders for this inbox alone, at least 1. */
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
     * Most bytes that the inbox may hold at a time; senders are back-pressured beyond it. 0, the default: as many
     * chunks as the node's limits allow and two of the longest messages.
     */
    public InboxOptions memoryLimit(long bytes) {
        attributes.memoryLimit(bytes);
        return this;
    }

    /**
     * The highest rate of arrival, in bits a second, and how long an allocation takes: the reserve is then what arrives
     * in that time, instead of {@link #reserveChunks}.
     */
    public InboxOptions lineRate(long bitsPerSecond, Duration allocation) {
        attributes.lineRate(bitsPerSecond).allocationNanos(Nanos.of(allocation));
        return this;
    }

    /**
     * The expected load, as messages a second, how long each stays, and mean bytes of one. The memory for it stays
     * mapped while the inbox is empty for a while.
     */
    public InboxOptions load(double messagesPerSecond, Duration stay, int meanBytes) {
        attributes.arrivalRate(messagesPerSecond).serviceNanos(Nanos.of(stay)).meanMessage(meanBytes);
        return this;
    }

    /** Whether the reserve and what stays mapped follow measurements; off by default. */
    public InboxOptions measured(boolean follow) {
        attributes.measured(follow);
        return this;
    }

    /** Free bytes ahead of the senders below which a crossing is counted; default: the reserve less one chunk. */
    public InboxOptions lowWatermark(long bytes) {
        attributes.lowWatermark(bytes);
        return this;
    }

    /** How long an unfinished message of a dead sender may hold up those behind it; default 1 s. */
    public InboxOptions holeTimeout(Duration longest) {
        attributes.holeTimeoutNanos(Nanos.of(longest));
        return this;
    }

    /**
     * How long no part of a long message may arrive before its parts so far are given up, which happens after twice
     * that time at the latest. If its sender goes on after all, its channel closes with {@link CloseReason#ABORTED}.
     * Default 30 s.
     */
    public InboxOptions unfinishedTimeout(Duration longest) {
        attributes.unfinishedTimeoutNanos(Nanos.of(longest));
        return this;
    }

    /** How long memory may lie unused before it is given back; default 1 s. */
    public InboxOptions surplus(Duration longest) {
        attributes.surplusNanos(Nanos.of(longest));
        return this;
    }

    /**
     * How threads wait in {@link Inbox#await} and its consumers', and how many messages the node hands to its callback
     * before it looks at anything else ({@link Polling#batch}). By default as the node was told
     * ({@link NodeContext#polling}); when a node's own thread sleeps is the node's choice in any case. It is for good:
     * {@link Inbox#modify} does not change it.
     */
    public InboxOptions polling(Polling choice) {
        polling = choice;
        return this;
    }

    /** Messages that may be {@linkplain Message#hold held} at a time, 1 to 1048576; default 4096. */
    public InboxOptions maxHeld(int messages) {
        maxHeld = Limits.range("max held", messages, 1, MAX_HELD);
        return this;
    }

    /**
     * The name of the tenant that owns the inbox: the connections that lead to it, answers through them, and its
     * memory. By default the tenant that opens it, or the one named "default" if the node opens it.
     */
    public InboxOptions tenant(String name) {
        tenant = name;
        return this;
    }

    /**
     * Weight and class of the channels by which peers that connect to the inbox are answered. If the tenant may set
     * less when a peer connects than when the inbox was opened, the channel gets the lower value. Default: weight 1,
     * not urgent.
     */
    public InboxOptions channels(ChannelOptions options) {
        channels = new ChannelOptions(options);
        return this;
    }

    AppendQueueAttributes attributes() {
        return attributes;
    }
}

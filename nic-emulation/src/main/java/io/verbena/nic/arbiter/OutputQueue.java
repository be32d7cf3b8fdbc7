package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * What fills up for several flows at a time, as the arbiter sees it (an output, for short): a link, one a path, for all
 * flows whose packets it carries; or an append queue in a peer's mapped memory that has refused a message, for all
 * flows that append there next. Another flow whose next request is executed on mapped memory has none.
 *
 * <p>Used under the engine's baton.
 */
public final class OutputQueue {
    // Of the arbiter: what was found behind this output while it was full, in the order in which it stood.
    final ShareList<FlowQueue> stalledQueues = new ShareList<>();
    final ShareList<Flow> stalledFlows = new ShareList<>();

    boolean full; // for bulk
    boolean urgentFull; // for all
    int backlog; // bulk flows that have work
    int urgentBacklog; // urgent ones

    private @Nullable Object attachment; // of a discipline of another kind
    private int urgentFlows; // that are attached
    private int bulkWindow = Integer.MAX_VALUE;
    private int overhead;
    private long reopensAt;

    /** Whether a flow has met it without room since {@link Arbiter#room}. */
    public boolean isFull() {
        return full;
    }

    /**
     * Unsent bytes of the link above which it counts as full for bulk, so that an urgent packet does not wait behind
     * more; {@link Integer#MAX_VALUE} while no urgent flow uses it.
     */
    public int bulkWindow() {
        return bulkWindow;
    }

    /** Bytes that the link needs for a packet on top of the packet's own. */
    public int overhead() {
        return overhead;
    }

    /** Sets what a packet costs on top of its own bytes, at least 0. */
    public void overhead(int bytes) {
        overhead = bytes;
    }

    /** When a queue that had no room is asked again, in the engine's nanoseconds. */
    public long reopensAt() {
        return reopensAt;
    }

    /** Sets when a queue that had no room is asked again. */
    public void reopensAt(long nanos) {
        reopensAt = nanos;
    }

    /** What a discipline of another package keeps of it, or null. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** Sets what a discipline of another package keeps of it. */
    public void attachment(Object state) {
        attachment = state;
    }

    /** Sets whether a flow has met it without room; for disciplines of other packages. */
    public void full(boolean is) {
        full = is;
    }

    /** So many urgent flows more use it, or fewer; while there are some, bulk has this window. */
    void urgentFlows(int change, int window) {
        urgentFlows += change;
        bulkWindow = urgentFlows > 0 ? window : Integer.MAX_VALUE;
    }
}

package io.verbena.nic.arbiter;

/**
 * A link as the arbiter sees it: something that fills up for all flows that send on it. One a path whose packets all go over
 * one link; flows without a port are {@link Arbiter#blocked} one by one.
 *
 * <p>Used under the engine's baton.
 */
public final class Port {
    // Of the arbiter: what was found behind this port while it was full, in the order in which it stood.
    final ShareList<FlowQueue> stalledQueues = new ShareList<>();
    final ShareList<Flow> stalledFlows = new ShareList<>();

    boolean full;
    int backlog; // flows that have work

    private int overhead;

    /** Whether a flow has met it without room since {@link Arbiter#room}. */
    public boolean isFull() {
        return full;
    }

    /** Bytes that the link needs for a packet on top of the packet's own. */
    public int overhead() {
        return overhead;
    }

    /** Sets what a packet costs on top of its own bytes, at least 0. */
    public void overhead(int bytes) {
        overhead = bytes;
    }
}

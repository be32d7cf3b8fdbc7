package io.verbena.verification.simulate;

import io.verbena.nic.verbs.WcStatus;
import org.jspecify.annotations.Nullable;

/** One append: what was asked, what its sender was told, and whether it was taken. */
final class AppendMessage {
    /** Of a sender's epoch. */
    final int sequence;

    final int length;
    /** The queue that it goes to: the number of queues that there had been. */
    final int queue;

    final RequestFlaw flaw;
    /** What it consists of. */
    final long identity;
    /** Offset of its bytes in the sender's region. */
    final int at;

    /** What the sender was told, or null. */
    @Nullable
    WcStatus status;

    /** Failed, but may be taken still. */
    boolean inDoubt;

    /** Times that it was taken. */
    int taken;
    /** A later one of the same connection was taken before it. */
    boolean passed;

    AppendMessage(int sequence, int length, int queue, RequestFlaw flaw, long identity, int at) {
        this.sequence = sequence;
        this.length = length;
        this.queue = queue;
        this.flaw = flaw;
        this.identity = identity;
        this.at = at;
    }

    @Override
    public String toString() {
        return "append " + sequence + " of " + length + " bytes to queue " + queue
                + (flaw == RequestFlaw.NONE ? "" : ", " + flaw) + (status == null ? "" : ", " + status)
                + (taken == 0 ? "" : ", taken " + taken + " times");
    }
}

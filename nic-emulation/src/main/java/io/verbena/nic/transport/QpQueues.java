package io.verbena.nic.transport;

import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.queue.CqeDescriptor;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.ReceiveWqeDescriptor;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a queue pair.
 *
 * @param sends where requests are posted
 * @param receives where receives are posted
 * @param sharesReceives whether other queue pairs take receives there too
 * @param sendCompletions where requests complete
 * @param receiveCompletions where receives complete
 * @param slices where messages are laid that are cut before they are sent ({@link
 *     io.verbena.nic.arbiter.Discipline#PALOS_AS_PRINTED}); null where requests are sent as they are posted
 */
public record QpQueues(
        SendRing sends,
        ReceiveRing receives,
        boolean sharesReceives,
        CompletionRing sendCompletions,
        CompletionRing receiveCompletions,
        @Nullable SendRing slices) {
    /** Queues whose requests are sent as they are posted. */
    public QpQueues(
            SendRing sends,
            ReceiveRing receives,
            boolean sharesReceives,
            CompletionRing sendCompletions,
            CompletionRing receiveCompletions) {
        this(sends, receives, sharesReceives, sendCompletions, receiveCompletions, null);
    }

    /** Forgets what was posted, but not receives that others may take. */
    void reset() {
        sends.reset();
        if (!sharesReceives) {
            receives.reset();
        }
    }

    /** Ends the receives of a queue pair in error, oldest first, but not those that others may take. */
    void flushReceives(QpContext qp) {
        if (sharesReceives) {
            return;
        }
        for (int slot = receives.front(); slot >= 0; slot = receives.front()) {
            long wrId = receives.buffer().getLong(slot + ReceiveWqeDescriptor.WR_ID);
            receives.pop();
            qp.completeReceive(
                    wrId, WcStatus.WR_FLUSH_ERR, WcOpcode.RECEIVE, CqeDescriptor.SOLICITED, qp.peerQp(), 0, 0);
        }
    }
}

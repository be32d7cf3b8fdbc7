package io.verbena.bench.tenants;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;

/**
 * A victim's append queue, to which others may append too. Any thread.
 *
 * @param domain the victim's
 * @param completions for queue pairs that others get
 * @param queue where the victim's messages arrive
 */
record OpenQueue(ProtectionDomain domain, CompletionQueue completions, AppendQueue queue) {
    /** A queue pair for somebody else; who asked closes it. */
    QueuePair accept(long peerNic, int peerQp) {
        QueuePair made = domain.createQueuePair(new QueuePairAttributes()
                .completionQueue(completions)
                .maxSend(1)
                .maxReceive(1));
        made.connect(peerNic, peerQp);
        return made;
    }

    /** Makes a request an append to the queue. */
    SendRequest appendTo(SendRequest request) {
        return request.append(queue.id(), queue.key());
    }
}

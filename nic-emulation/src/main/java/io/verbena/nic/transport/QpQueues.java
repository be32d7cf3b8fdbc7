package io.verbena.nic.transport;

import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.SendRing;

/**
 * The queues of a queue pair.
 *
 * @param sends where requests are posted
 * @param receives where receives are posted
 * @param sharesReceives whether other queue pairs take receives there too
 * @param sendCompletions where requests complete
 * @param receiveCompletions where receives complete
 */
public record QpQueues(
        SendRing sends,
        ReceiveRing receives,
        boolean sharesReceives,
        CompletionRing sendCompletions,
        CompletionRing receiveCompletions) {}

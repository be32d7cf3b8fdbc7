package io.verbena.papers.rima;

import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;

/**
 * A queue at the server in which messages wait until their service is done: an append queue, or shared receive queues,
 * each for a range of sizes and with a queue pair a client of its own, its lane.
 */
interface ServedQueue {
    /** Queue pairs that a client needs. */
    int lanes();

    /** Which of them a message of a length goes by. */
    int laneOf(int length);

    /** Attributes of the server's end of a connection. */
    QueuePairAttributes serverEnd(int lane);

    /** Makes a request one to this queue; the caller adds the data. */
    SendRequest address(SendRequest request);

    /**
     * Notes what has come, and releases what has been in the queue for the service time.
     *
     * @param now virtual time
     * @return work done
     */
    int serve(long now);

    /** When the next message is to be released, or {@link io.verbena.nic.sim.Actor#NO_DEADLINE}. */
    long nextDeadlineNanos();

    /** Messages released so far. */
    long released();

    /** Bytes that messages in the queue take, with what rounding them up to buffers costs. */
    long activeBytes();

    /** Bytes that the queue has in all: what is mapped, or what it must have posted by RIMA 3.2.1. */
    long totalBytes();

    /** Most bytes that the queue had at a time. */
    long peakBytes();
}

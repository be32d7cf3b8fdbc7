package io.verbena.papers.receive;

import org.agrona.DirectBuffer;

/**
 * The sending end of a {@link Scheme}. For one thread, which must drive the engine where its mode leaves that to
 * callers; {@link #poll} does.
 */
public interface SendScheme extends AutoCloseable {
    /**
     * Connects with a receiver; the NICs are linked. Nothing may be sent before the receiver has accepted the answer.
     *
     * @param invitation of the receiver
     * @return the answer
     */
    SchemeAddress connect(SchemeAddress invitation);

    /**
     * Sends a message; its bytes are copied, or on their way, when this returns.
     *
     * @param buffer holds the message
     * @param offset of its first byte
     * @param length in bytes, 0 to the scheme's largest
     * @param number what the receiver sees in the tag
     * @return false if there is no room now: nothing has changed, poll and try again
     * @throws IllegalArgumentException if it is longer than the scheme takes
     */
    boolean offer(DirectBuffer buffer, int offset, int length, int number);

    /**
     * Drives the engine, and what the scheme has to do for messages under way.
     *
     * @return messages that are complete since the last call: the receiver has them
     * @throws io.verbena.verification.RunException if one ended in an error
     */
    int poll();

    /** Messages offered and not complete. */
    int outstanding();

    /** Queue pairs that it needs for this one receiver. */
    int queuePairs();

    /** Times that the receiver had no room for a message of this NIC. */
    long notReady();

    /** Gives everything back; what is under way may come or not. Idempotent. */
    @Override
    void close();
}

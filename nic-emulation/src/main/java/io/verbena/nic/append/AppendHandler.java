package io.verbena.nic.append;

import org.agrona.DirectBuffer;

/** Takes the messages that {@link AppendQueue#poll} finds. */
@FunctionalInterface
public interface AppendHandler {
    /**
     * One message. Its memory is the queue's and is valid during the call only.
     *
     * @param buffer holds the message
     * @param offset of its first byte, a multiple of 8
     * @param length in bytes, 0 to the queue's maximum
     * @param qpNumber the local queue pair by which it came
     * @param immediate the immediate value, if there is one
     * @param flags {@link RecordDescriptor#HAS_IMMEDIATE} or 0, and {@linkplain RecordDescriptor#stream which stream}
     *     of its queue pair the sender said it is of; of that of number 0 no bit is set
     */
    void onMessage(DirectBuffer buffer, int offset, int length, int qpNumber, int immediate, int flags);
}

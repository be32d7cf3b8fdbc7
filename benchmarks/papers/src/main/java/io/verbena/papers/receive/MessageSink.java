package io.verbena.papers.receive;

import org.agrona.DirectBuffer;

/** Takes messages that a {@link ReceiveScheme} has received. */
@FunctionalInterface
public interface MessageSink {
    /**
     * One message. Its memory is the receiver's and is valid during the call only.
     *
     * @param buffer holds the message
     * @param offset of its first byte
     * @param length in bytes
     * @param tag who sent it, and what the sender calls it: {@link #sender} and {@link #number}
     */
    void onMessage(DirectBuffer buffer, int offset, int length, long tag);

    /** The sender of a tag: 0 for the first that was invited, 1 for the next and so on. */
    static int sender(long tag) {
        return (int) (tag >>> Integer.SIZE);
    }

    /** What the sender calls the message of a tag. */
    static int number(long tag) {
        return (int) tag;
    }

    /** Makes a tag. */
    static long tag(int sender, int number) {
        return (long) sender << Integer.SIZE | Integer.toUnsignedLong(number);
    }
}

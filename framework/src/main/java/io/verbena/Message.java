package io.verbena;

import io.verbena.nic.append.AppendConsumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A cursor on a message in an {@link Inbox}: valid during {@link MessageHandler#onMessage} only, unless it is held. */
public final class Message {
    private static final DirectBuffer NOTHING = new UnsafeBuffer(new byte[0]);

    private final Inbox inbox;
    private final Channels channels;
    private final @Nullable AppendConsumer consumer;
    private DirectBuffer buffer = NOTHING;
    private int offset;
    private int length;
    private int immediate;
    private int queuePair;
    private int stream;

    Message(Inbox inbox, Channels channels, @Nullable AppendConsumer consumer) {
        this.inbox = inbox;
        this.channels = channels;
        this.consumer = consumer;
    }

    void wrap(DirectBuffer memory, int at, int bytes, int qpNumber, int streamNumber, int immediateData) {
        buffer = memory;
        offset = at;
        length = bytes;
        queuePair = qpNumber;
        stream = streamNumber;
        immediate = immediateData;
    }

    void unwrap() {
        buffer = NOTHING;
        offset = 0;
        length = 0;
    }

    /** The memory that holds the message. */
    public DirectBuffer buffer() {
        return buffer;
    }

    /** Where it begins, a multiple of 8. */
    public int offset() {
        return offset;
    }

    /** Its length in bytes, 0 to the inbox's maximum. */
    public int length() {
        return length;
    }

    /** A copy of the message. */
    public byte[] bytes() {
        return Payload.bytes(buffer, offset, length);
    }

    /** The message, read as UTF-8; allocates. */
    public String text() {
        return Payload.text(buffer, offset, length);
    }

    /** The 32 bits of immediate data that came with it, 0 if there were none. */
    public int immediate() {
        return immediate;
    }

    /** The inbox that it lies in. */
    public Inbox inbox() {
        return inbox;
    }

    /**
     * The channel back to the sender; null if that connection is over and forgotten, or the sender named a stream that
     * has no channel. The object is the same for all messages of a connection, so it may carry an
     * {@linkplain Channel#attachment attachment}.
     */
    public @Nullable Channel channel() {
        Channel channel = channels.find(queuePair, stream);
        if (channel != null) {
            channel.connection().confirm();
        }
        return channel;
    }

    /**
     * Leaves the message in the inbox: the poll ends when the handler has returned, and the message is the first of the
     * next poll (the node's next turn, where the node polls). Use it when something cannot be done now, such as an
     * answer that meets {@link SendResult#BACK_PRESSURED}; the messages behind wait. If the handler throws, the message
     * counts as taken all the same.
     *
     * @throws IllegalStateException if it is held, or this is not inside its handler
     */
    public void again() {
        inbox.again(consumer);
    }

    /**
     * Keeps the message where it lies after its handler has returned, until it is released. It pins only its own chunk
     * of the inbox's memory; the inbox goes on.
     *
     * @return the held message, or null if as many are held as {@link InboxOptions#maxHeld} allows
     * @throws IllegalStateException if it is held already, or this is not inside its handler
     */
    public @Nullable HeldMessage hold() {
        return hold(0);
    }

    @Nullable
    HeldMessage hold(int headerLength) {
        return inbox.hold(consumer, headerLength);
    }

    @Override
    public String toString() {
        return "message of " + length + " bytes in " + inbox;
    }
}

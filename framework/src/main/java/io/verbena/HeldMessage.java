package io.verbena;

import io.verbena.nic.append.AppendRecord;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message (or a request) that is kept after its handler has returned, without a copy: {@link Message#hold},
 * {@link Request#hold}. It counts against its inbox's memory until it is {@linkplain #release released}; the inbox goes
 * on meanwhile.
 *
 * <p>For one thread at a time; hand it to another as any object. It is reused after its release: keep no reference to
 * it.
 */
public final class HeldMessage implements AutoCloseable {
    private final Inbox inbox;
    private final Channels channels;
    private final AppendRecord record = new AppendRecord();
    private int header;

    HeldMessage(Inbox inbox, Channels channels) {
        this.inbox = inbox;
        this.channels = channels;
    }

    /** What the queue holds it by; the message proper begins this many bytes behind its first. */
    AppendRecord record(int headerLength) {
        header = headerLength;
        return record;
    }

    /** The memory that holds the message; without bytes if it was released. */
    public DirectBuffer buffer() {
        return record.buffer();
    }

    /** Where it begins, a multiple of 8. */
    public int offset() {
        return record.offset() + header;
    }

    /** Its length in bytes. */
    public int length() {
        return record.length() - header;
    }

    /** The 32 bits that the sender gave beside it, 0 if it gave none. */
    public int immediate() {
        return record.immediate();
    }

    /** The inbox that it lies in. */
    public Inbox inbox() {
        return inbox;
    }

    /** The channel back to the sender, or null if that connection is over and forgotten. */
    public @Nullable Channel channel() {
        Channel channel = channels.find(record.qpNumber(), record.stream());
        if (channel != null) {
            channel.connection().confirm();
        }
        return channel;
    }

    /** Whether it is held. */
    public boolean isHeld() {
        return record.isHeld();
    }

    /**
     * Gives its memory back. Any thread, also after the inbox was closed.
     *
     * @throws IllegalStateException if it was released
     */
    public void release() {
        record.release();
        header = 0;
        inbox.returned(this);
    }

    /** As {@link #release}. */
    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return isHeld() ? "held message of " + length() + " bytes in " + inbox : "released message of " + inbox;
    }
}

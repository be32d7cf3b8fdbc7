package io.verbena.mux;

import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.WcStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The requests of one channel that shares a queue pair: a ring with one poster, which the engine reads. A request keeps
 * its place here until it is complete, so that what a channel may have outstanding is its own. It is made with the
 * channel's first request, and holds what the engine writes with each; what posters read and the channel has while it
 * is idle is in the {@link SharedPath}, so that neither waits for the other's cache lines.
 *
 * <pre>
 *   completed ......... moved ......... published ......... posted
 *             in the queue              wait here      not seen yet
 *             pair's own ring
 * </pre>
 *
 * <p>Concurrency: one thread at a time posts; what is said so is for any thread; everything else is for the engine's
 * baton holder.
 */
final class EgressQueue extends Round.Member {
    private static final VarHandle BYTES;
    private static final VarHandle MESSAGES;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            BYTES = lookup.findVarHandle(EgressQueue.class, "bytes", long.class);
            MESSAGES = lookup.findVarHandle(EgressQueue.class, "messages", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Requests that are fetched at a time, of one channel. */
    private static final int FETCHED = 64;

    private final SharedPath path;
    private final SendRing ring;
    private final int stream;
    private final boolean weighs; // where it takes turns

    boolean counted; // its weight is in the queue pair's
    boolean waits; // it stands in a round
    boolean isLong; // in that of long messages
    long tag; // of the last message that was sent, where tags say who is next
    private boolean shut; // what was not moved is not moved any more
    private long fetched; // before this one, the first lines of requests are in the engine's cache
    private int cut; // bytes of the next request that were moved
    private int underWay; // requests and segments that were moved and are not complete
    private long bytes; // of messages that were moved
    private long messages;

    /**
     * Creates an empty one.
     *
     * @param ring for the channel's requests
     * @param weighs whether its channel's weight counts among those that share the queue pair
     */
    EgressQueue(SharedPath path, SendRing ring, boolean weighs) {
        this.path = path;
        this.ring = ring;
        this.stream = path.stream();
        this.weighs = weighs;
    }

    // ---- any thread's -----------------------------------------------------------------------------------------------

    /** Messages that were sent from here. */
    long messages() {
        return (long) MESSAGES.getOpaque(this);
    }

    /** Bytes of them, their own. */
    long bytes() {
        return (long) BYTES.getOpaque(this);
    }

    // ---- the engine's -----------------------------------------------------------------------------------------------

    /** The number of what is sent from here. */
    int stream() {
        return stream;
    }

    /** Its weight where it takes turns: its channel's, or 1 if that does not count. */
    @Override
    int weight() {
        return weighs ? path.weight() : 1;
    }

    /** Its channel's weight. */
    int channelWeight() {
        return path.weight();
    }

    /** Whether it waits until the inbox of its next message is ready. */
    boolean isHeld() {
        return path.isHeld();
    }

    /** It waits for that from here on, or no longer. */
    void hold(boolean waits) {
        path.hold(waits);
    }

    /** Whether what was not moved is not moved any more. */
    boolean isShut() {
        return shut;
    }

    /** From here on. */
    void shut() {
        shut = true;
    }

    /** Whether a request waits to be moved. What {@linkplain #isCut was begun} goes to its end in any case. */
    @Override
    boolean hasNext() {
        return !shut && ring.hasNext();
    }

    /** Whether a part of the next request was moved. */
    boolean isCut() {
        return cut > 0;
    }

    /** Bytes of the next request's message, of all of it. */
    int nextLength() {
        return SendWqeDescriptor.length(ring.buffer().getLong(ring.slot(ring.next()) + SendWqeDescriptor.HEADER));
    }

    /** The append queue that the next request leads to. */
    int nextTarget() {
        return ring.buffer().getInt(ring.slot(ring.next()) + SendWqeDescriptor.REMOTE_OFFSET);
    }

    /**
     * Copies the next request to a slot of the queue pair's ring, or the next part of it; one that is inline is not
     * cut.
     *
     * @param longest most bytes of a part
     * @return bytes of the message that are moved
     */
    int move(UnsafeBuffer to, int at, int longest) {
        if (ring.next() >= fetched) {
            fetched = ring.fetch(FETCHED);
        }
        int slot = ring.slot(ring.next());
        long header = ring.buffer().getLong(slot + SendWqeDescriptor.HEADER);
        int length = SendWqeDescriptor.length(header);
        boolean inline = (SendWqeDescriptor.flags(header) & SendWqeDescriptor.INLINE) != 0;
        int data = inline ? length : SendWqeDescriptor.entries(header) * SendWqeDescriptor.SGE_LENGTH;
        copy(to, at, ring.buffer(), slot, SendWqeDescriptor.DATA + data);
        underWay++;
        int bytes = inline ? length : Math.min(longest, length - cut);
        if (bytes < length) {
            cut(to, at, header, bytes);
        }
        cut += bytes;
        if (cut == length) {
            cut = 0;
            ring.advanceNext();
            count(length, 1);
        }
        return bytes;
    }

    /** Word by word, which for so few bytes is quicker than a call; a slot has room for the last word. */
    private static void copy(UnsafeBuffer to, int at, UnsafeBuffer from, int slot, int length) {
        for (int i = 0; i < length; i += Long.BYTES) {
            to.putLong(at + i, from.getLong(slot + i));
        }
    }

    /** Makes a copy of a request the part of it that comes next. */
    private void cut(UnsafeBuffer to, int at, long header, int bytes) {
        int length = SendWqeDescriptor.length(header);
        int flags = SendWqeDescriptor.flags(header)
                | (cut > 0 ? SendWqeDescriptor.CONTINUES : 0)
                | (cut + bytes < length ? SendWqeDescriptor.UNFINISHED : 0);
        to.putLong(
                at + SendWqeDescriptor.HEADER,
                SendWqeDescriptor.header(SendWqeDescriptor.opcode(header), flags, 1, bytes));
        to.putInt(at + SendWqeDescriptor.MESSAGE_LENGTH, length);
        int entry = at + SendWqeDescriptor.DATA;
        to.putInt(entry + SendWqeDescriptor.SGE_BYTES, bytes);
        to.putLong(entry + SendWqeDescriptor.SGE_OFFSET, to.getLong(entry + SendWqeDescriptor.SGE_OFFSET) + cut);
    }

    private void count(int length, int more) {
        BYTES.setOpaque(this, bytes + length);
        MESSAGES.setOpaque(this, messages + more);
    }

    /**
     * The last of what was moved was taken back: it is to be moved again.
     *
     * @param moved bytes of it
     * @param ends whether it ended a request
     */
    void takeBack(int moved, boolean ends) {
        underWay--;
        if (ends) {
            ring.rewind(ring.next() - 1);
            int length = nextLength();
            cut = length;
            count(-length, -1);
        }
        cut -= moved;
    }

    /** The peer has forgotten what it had of the next message. */
    void restart() {
        cut = 0;
    }

    /** The oldest message was refused for good: nothing is sent any more. */
    void refused(WcStatus why) {
        shut = true;
        path.refused(why);
    }

    /**
     * The oldest of what was moved is complete; its poster sees it after {@link #releaseComplete}.
     *
     * @param ends whether it ends a request
     * @return whether nothing is left
     */
    boolean complete(boolean ends) {
        if (ends) {
            ring.advanceHead();
        }
        return --underWay == 0;
    }

    /** Gives the places of what is complete back to the poster. */
    void releaseComplete() {
        ring.releaseConsumed();
    }

    /** Whether something that was moved is not complete. */
    boolean isUnderWay() {
        return underWay > 0;
    }
}

package io.verbena.mux;

import io.verbena.nic.PostResult;
import io.verbena.nic.SendFeed;
import io.verbena.nic.SendRequest;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.WcStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one channel that shares a queue pair: a ring with one poster, which the engine reads. A request keeps
 * its place here until it is complete, so that what a channel may have outstanding is its own. Memory comes with the
 * first request.
 *
 * <pre>
 *   completed ......... moved ......... published ......... posted
 *             in the queue              wait here      not seen yet
 *             pair's own ring
 * </pre>
 *
 * <p>Concurrency: one thread at a time posts; what is said so is for the engine's baton holder; the questions are for
 * any thread.
 */
abstract class EgressQueue extends Round.Member {
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

    private final int firstDepth;
    private volatile int depth;
    private volatile int weight;
    private volatile @Nullable SendRing ring;

    // The engine's.
    boolean counted; // its weight is in the queue pair's
    boolean waits; // it stands in a round
    boolean isLong; // in that of long messages
    volatile boolean held; // until the inbox of its next message is ready; read by any thread, as a hint
    private int cut; // bytes of the next request that were moved
    private int underWay; // requests and segments that were moved and are not complete
    private boolean closed;
    private long bytes; // of messages that were sent
    private long messages;

    /**
     * Creates an empty one.
     *
     * @param weight among those that share the queue pair, at least 1
     * @param depth requests that may be outstanding at first, a power of two
     */
    EgressQueue(int weight, int depth) {
        this.weight = weight;
        this.firstDepth = depth;
        this.depth = depth;
    }

    // ---- the poster's -----------------------------------------------------------------------------------------------

    /** Posts a request that nobody sees before {@link #publish}. */
    final PostResult post(SendFeed feed, SendRequest request) {
        SendRing own = ring;
        if (own == null) {
            own = feed.queue(depth);
            ring = own;
        }
        return feed.post(request, own);
    }

    /** Makes visible what was posted, and sees to it that the engine looks. */
    final void publish(ReadyList ready) {
        SendRing own = ring;
        if (own != null) {
            own.publish();
            if (list()) {
                ready.push(this);
            }
        }
    }

    /** Whether nothing is posted that is not complete. */
    final boolean isIdle() {
        SendRing own = ring;
        return own == null || own.isIdle();
    }

    // ---- any thread's -----------------------------------------------------------------------------------------------

    /** Whether requests were published that are not complete. */
    final boolean hasPublished() {
        SendRing own = ring;
        return own != null && own.hasPublished();
    }

    /** Requests posted and not complete. */
    public final int outstanding() {
        SendRing own = ring;
        return own == null ? 0 : own.outstanding();
    }

    /** Requests that may be outstanding. */
    public final int depth() {
        return depth;
    }

    /** Requests that may be outstanding at first. */
    public final int firstDepth() {
        return firstDepth;
    }

    /** Its weight among those that share the queue pair. */
    @Override
    public final int weight() {
        return weight;
    }

    /** Messages that were sent. */
    public final long messages() {
        return (long) MESSAGES.getOpaque(this);
    }

    /** Bytes of them, their own. */
    public final long bytes() {
        return (long) BYTES.getOpaque(this);
    }

    // ---- the engine's -----------------------------------------------------------------------------------------------

    /** Lets so many requests be outstanding; by the poster, under the baton. */
    final void capacity(int requests) {
        SendRing own = ring;
        if (own != null) {
            own.resize(requests);
        }
        depth = requests;
    }

    /** Sets the weight, while it is not counted. */
    final void reweigh(int value) {
        weight = value;
    }

    /** Whether a request waits to be moved, or the rest of one: what was begun goes to its end. */
    @Override
    final boolean hasNext() {
        SendRing own = ring;
        return (!closed || cut > 0) && own != null && own.hasNext();
    }

    /** Whether a part of the next request was moved. */
    final boolean isCut() {
        return cut > 0;
    }

    /** Bytes of the next request's message, of all of it. */
    final int nextLength() {
        SendRing own = posted();
        return SendWqeDescriptor.length(own.buffer().getLong(own.slot(own.next()) + SendWqeDescriptor.HEADER));
    }

    /** The append queue that the next request leads to. */
    final int nextTarget() {
        SendRing own = posted();
        return own.buffer().getInt(own.slot(own.next()) + SendWqeDescriptor.REMOTE_OFFSET);
    }

    private SendRing posted() {
        SendRing own = ring;
        if (own == null) {
            throw new IllegalStateException("nothing was posted");
        }
        return own;
    }

    /**
     * Copies the next request to a slot of the queue pair's ring, or the next part of it; one that is inline is not
     * cut.
     *
     * @param longest most bytes of a part
     * @return bytes of the message that are moved
     */
    final int move(UnsafeBuffer to, int at, int longest) {
        SendRing own = posted();
        int slot = own.slot(own.next());
        long header = own.buffer().getLong(slot + SendWqeDescriptor.HEADER);
        int length = SendWqeDescriptor.length(header);
        boolean inline = (SendWqeDescriptor.flags(header) & SendWqeDescriptor.INLINE) != 0;
        int data = inline ? length : SendWqeDescriptor.entries(header) * SendWqeDescriptor.SGE_LENGTH;
        copy(to, at, own.buffer(), slot, SendWqeDescriptor.DATA + data);
        underWay++;
        int bytes = inline ? length : Math.min(longest, length - cut);
        if (bytes < length) {
            cut(to, at, header, bytes);
        }
        cut += bytes;
        if (cut == length) {
            cut = 0;
            own.advanceNext();
            count(length);
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

    /** A message of this length is sent. */
    final void count(int length) {
        count(length, 1);
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
    final void takeBack(int moved, boolean ends) {
        underWay--;
        if (ends) {
            SendRing own = posted();
            own.rewind(own.next() - 1);
            int length = nextLength();
            cut = length;
            count(-length, -1);
        }
        cut -= moved;
    }

    /** The peer has forgotten what it had of the next message. */
    final void restart() {
        cut = 0;
    }

    /** The oldest message was refused for good: nothing is sent any more. */
    abstract void refused(WcStatus why);

    /**
     * The oldest of what was moved is complete.
     *
     * @param ends whether it ends a request
     * @return whether nothing is left
     */
    final boolean complete(boolean ends) {
        SendRing own = ring;
        if (own != null && ends) {
            own.advanceHead();
            own.releaseConsumed();
        }
        return --underWay == 0;
    }

    /** Whether something that was moved is not complete. */
    final boolean isUnderWay() {
        return underWay > 0;
    }

    /** What was not moved stays here for good, but for the rest of what was moved in part. */
    final void shut() {
        closed = true;
    }
}

package io.verbena.nic.transport;

import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Palos' Message Slicing Module (IV-A, step 5): stands between the requests that are posted and the transport, which is
 * given elements of its own, "regenerated" with another size and address.
 *
 * <pre>
 *   posted   [ 1500          ][ 400 ][ 2 MiB ...
 *   visits   |   1000   |   1000    |   1000   |
 *   slices   [   1000   ][500 ][400 ][100][ 1000 ...
 * </pre>
 *
 * <p>A WRITE is cut wherever a visit's bytes end, so a visit sends exactly what it was granted, in payload. Each slice
 * is a WRITE of its own: it has PSNs of its own, is acknowledged and sent again like any request. The last slice of a
 * message completes it. What has a meaning as a whole for the peer (SEND, append, immediate data, whose completion
 * tells a length) or is answered (READ, atomics) is passed on whole.
 *
 * <p>Pure state: used under the engine's baton.
 */
final class MessageSlicer {
    /** Flag of a slice: it is not its message's first. */
    private static final int GOES_ON = 1;
    /** Flag of a slice: it is its message's last. */
    private static final int ENDS = 2;

    /** What belongs to a message once: with its last slice. */
    private static final int AT_THE_END = SendWqeDescriptor.SIGNALED | SendWqeDescriptor.SOLICITED;

    private final QpContext qp;
    private final SendRing posted;
    private final SendRing slices;

    private int offset; // bytes of the next request posted that are cut
    private boolean reported; // the oldest request has failed and its completion says so
    private int outcome;
    private int paid; // payload of the last visit

    private MessageSlicer(QpContext qp, SendRing posted, SendRing slices) {
        this.qp = qp;
        this.posted = posted;
        this.slices = slices;
    }

    /** The slicer of a queue pair, or null if its requests are sent as they are posted. */
    static @Nullable MessageSlicer of(QpContext qp, QpQueues queues) {
        SendRing slices = queues.slices();
        return slices == null ? null : new MessageSlicer(qp, queues.sends(), slices);
    }

    /** What the transport works on. */
    SendRing slices() {
        return slices;
    }

    /** Forgets everything: both rings are reset. */
    void reset() {
        slices.reset();
        offset = 0;
        reported = false;
    }

    /** Whether something was posted that is not cut, or not to its end. */
    boolean hasUncut() {
        return posted.hasNext();
    }

    /** Whether a request was begun and is not cut to its end. */
    boolean isPartlyCut() {
        return offset > 0;
    }

    /** Whether a slice belongs to a request that was begun before. */
    boolean goesOn(int slot) {
        return (slices.buffer().getInt(slot + SendWqeDescriptor.SLICE) & GOES_ON) != 0;
    }

    /** Whether what is to be cut next is a request that mapped memory offers. */
    boolean offersNext() {
        return posted.hasNext()
                && DirectPath.offers(
                        posted.buffer().getByte(posted.slot(posted.next()) + SendWqeDescriptor.OPCODE),
                        posted.buffer().getByte(posted.slot(posted.next()) + SendWqeDescriptor.FLAGS));
    }

    /** Where the request lies that is sent next: a slice's ring, or that of what is not cut. */
    SendRing next() {
        return slices.hasNext() ? slices : posted;
    }

    /** Why the last {@link #transmit} ended, as in {@link QpContext}. */
    int outcome() {
        return outcome;
    }

    /**
     * What the last {@link #transmit} is charged: answers, and the payload of requests; one without payload counts as
     * a byte.
     */
    int paid() {
        return paid;
    }

    /**
     * Sends what was cut and not sent, then cuts and sends until the budget is spent.
     *
     * @param budget in bytes of payload
     * @param answered bytes of it that answers to the peer have taken
     * @return the bytes that were sent, as {@link QpRequester#transmit}
     */
    int transmit(QpRequester requester, int budget, int answered) {
        int sent = 0;
        paid = answered;
        outcome = QpContext.MORE;
        while (paid < budget) {
            boolean again = slices.hasNext(); // what is sent again may be more than the budget; what is cut now is not
            boolean open = qp.state() == QpState.RTS || (qp.state() == QpState.SQD && isPartlyCut());
            if (!again && open && !cut(budget - paid)) {
                outcome =
                        posted.hasNext() ? QpContext.WAITING : QpContext.IDLE; // no slot is free until an answer comes
                break;
            }
            long index = slices.next();
            int left = unsent(requester);
            sent += requester.transmit(again ? budget - paid : Integer.MAX_VALUE);
            paid += Math.max(left - unsent(requester), (int) Math.max(0, slices.next() - index));
            outcome = requester.outcome();
            if (!open || outcome != QpContext.IDLE) {
                outcome = outcome == QpContext.IDLE && posted.hasNext() ? QpContext.WAITING : outcome;
                break;
            }
            outcome = QpContext.MORE;
        }
        return sent;
    }

    /** Payload of slices that is not sent. */
    private int unsent(QpRequester requester) {
        int bytes = -requester.offset;
        for (long i = slices.next(); i < slices.published(); i++) {
            bytes += slices.buffer().getInt(slices.slot(i) + SendWqeDescriptor.LENGTH);
        }
        return bytes;
    }

    /** Makes a slice of at most this many bytes, if what was posted can be cut; false if there is none, or no slot. */
    private boolean cut(int most) {
        if (!posted.hasNext()) {
            return false;
        }
        int to = slices.claim();
        if (to < 0) {
            return false;
        }
        UnsafeBuffer source = posted.buffer();
        int from = posted.slot(posted.next());
        long header = source.getLong(from + SendWqeDescriptor.HEADER);
        int length = SendWqeDescriptor.length(header);
        boolean cuts = SendWqeDescriptor.opcode(header) == QpRequester.WRITE
                && (SendWqeDescriptor.flags(header) & SendWqeDescriptor.IMMEDIATE) == 0;
        int bytes = cuts ? Math.min(most, length - offset) : length;
        boolean ends = offset + bytes == length;
        UnsafeBuffer target = slices.buffer();
        target.putBytes(to, source, from, SendWqeDescriptor.DATA);
        int flags = SendWqeDescriptor.flags(header);
        flags &= ends ? ~0 : ~AT_THE_END;
        flags &= offset == 0 ? ~0 : ~SendWqeDescriptor.FENCE;
        int entries = SendWqeDescriptor.entries(header);
        if ((flags & SendWqeDescriptor.INLINE) != 0) {
            target.putBytes(to + SendWqeDescriptor.DATA, source, from + SendWqeDescriptor.DATA + offset, bytes);
        } else {
            entries = copyEntries(source, from, entries, target, to, bytes);
        }
        target.putLong(
                to + SendWqeDescriptor.HEADER,
                SendWqeDescriptor.header(SendWqeDescriptor.opcode(header), flags, entries, bytes));
        if (cuts) {
            long remote = source.getLong(from + SendWqeDescriptor.REMOTE_OFFSET);
            target.putLong(to + SendWqeDescriptor.REMOTE_OFFSET, remote + offset);
        }
        if ((flags & SendWqeDescriptor.PART) == 0) { // else it says so already, with the rest of the header
            target.putInt(to + SendWqeDescriptor.MESSAGE_LENGTH, length);
        }
        target.putInt(to + SendWqeDescriptor.SLICE, (offset > 0 ? GOES_ON : 0) | (ends ? ENDS : 0));
        slices.posted();
        slices.publish();
        slices.hasNext(); // sees it
        offset = ends ? 0 : offset + bytes;
        if (ends) {
            posted.advanceNext();
        }
        return true;
    }

    /** Copies the part of a request's entries that a slice takes; returns how many entries it has. */
    private int copyEntries(UnsafeBuffer source, int from, int entries, UnsafeBuffer target, int to, int bytes) {
        int skip = offset;
        int left = bytes;
        int count = 0;
        for (int i = 0; i < entries && left > 0; i++) {
            int entry = from + SendWqeDescriptor.DATA + i * SendWqeDescriptor.SGE_LENGTH;
            int there = source.getInt(entry + SendWqeDescriptor.SGE_BYTES);
            if (skip >= there) {
                skip -= there;
                continue;
            }
            int taken = Math.min(there - skip, left);
            int part = to + SendWqeDescriptor.DATA + count++ * SendWqeDescriptor.SGE_LENGTH;
            target.putInt(part + SendWqeDescriptor.SGE_KEY, source.getInt(entry + SendWqeDescriptor.SGE_KEY));
            target.putInt(part + SendWqeDescriptor.SGE_BYTES, taken);
            target.putLong(
                    part + SendWqeDescriptor.SGE_OFFSET, source.getLong(entry + SendWqeDescriptor.SGE_OFFSET) + skip);
            left -= taken;
            skip = 0;
        }
        return count;
    }

    /** Whether the oldest request has failed and its completion has said so: its other slices say nothing. */
    boolean isReported() {
        return reported;
    }

    /** Bytes of the message that a slice is of. */
    int messageLength(int slot) {
        return slices.buffer().getInt(slot + SendWqeDescriptor.MESSAGE_LENGTH);
    }

    /** A slice is complete, and said so if it had to. */
    void completed(int slot, WcStatus status) {
        reported |= status != WcStatus.SUCCESS;
        if (ends(slot)) {
            reported = false;
            release();
        }
    }

    private boolean ends(int slot) {
        return (slices.buffer().getInt(slot + SendWqeDescriptor.SLICE) & ENDS) != 0;
    }

    /** Flushes what is not cut, or not to its end; no slice is left. */
    void flush() {
        while (posted.hasNext()) {
            int slot = posted.slot(posted.next());
            long header = posted.buffer().getLong(slot + SendWqeDescriptor.HEADER);
            boolean signaled = (SendWqeDescriptor.flags(header) & SendWqeDescriptor.SIGNALED) != 0;
            if (!reported && (signaled || !posted.isFed())) {
                qp.completeSend(
                        posted.buffer().getLong(slot + SendWqeDescriptor.WR_ID),
                        WcStatus.WR_FLUSH_ERR,
                        SendWqeDescriptor.opcode(header),
                        SendWqeDescriptor.length(header));
            }
            reported = false;
            qp.endedWithoutPacket();
            posted.advanceNext();
            release();
        }
        offset = 0;
    }

    private void release() {
        posted.advanceHead();
        posted.releaseConsumed();
    }
}

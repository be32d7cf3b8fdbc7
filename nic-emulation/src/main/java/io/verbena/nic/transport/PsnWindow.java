package io.verbena.nic.transport;

import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.wire.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The PSNs of a reliable connection's requests: a request gets its own when it is first sent, keeps them in its
 * element, and is sent again with the same ones.
 *
 * <pre>
 *   requests   head ........ next ........ assigned ........ tail
 *              unanswered    to be sent    no PSNs yet
 *              │             again
 *   PSNs       acknowledged + 1 .. asked .. unsent .. next
 * </pre>
 *
 * <p>Pure state: used under the engine's baton.
 */
final class PsnWindow {
    /** An acknowledgement is asked for at least so often, so that a long message's timer runs for a part of it. */
    private static final int ACKNOWLEDGED_BYTES = 16 * 1024;

    private final QpContext qp;
    private final SendRing ring;
    private final UnsafeBuffer wqes;

    private int next; // of the next request that has none
    private int unsent; // after the last that was sent
    private int asked; // after the last that a packet has asked an answer for, since it went back
    private long assigned; // requests below this index have their PSNs
    private boolean inParts; // an append was begun, and requests may come between its parts
    private int unrequested; // bytes sent since an acknowledgement was asked for
    private int unsentBefore; // as it was before a skip

    PsnWindow(QpContext qp) {
        this.qp = qp;
        this.ring = qp.requests();
        this.wqes = ring.buffer();
    }

    /** Starts anew: the next packet has this PSN. */
    void reset(int psn) {
        next = psn & Psn.MASK;
        unsent = next;
        asked = next;
        assigned = ring.head();
        inParts = false;
    }

    /** The PSN of the next request that has none. */
    int next() {
        return next;
    }

    /** The PSN after the last that was sent: a message has its PSNs before all of it is sent. */
    int unsent() {
        return unsent;
    }

    /** The PSN after the last whose packet has asked for an answer. */
    int asked() {
        return asked;
    }

    /** Index of the first request without PSNs. */
    long assigned() {
        return assigned;
    }

    /** No request has PSNs: what has them is complete. */
    void noneAssigned() {
        assigned = ring.head();
    }

    /** Whether requests were sent as packets and are not answered. */
    boolean hasUnanswered() {
        return ring.head() < assigned;
    }

    /** A request was sent to its end, or a part of one. */
    void ended(int flags) {
        if ((flags & SendWqeDescriptor.PART) != 0) {
            inParts = (flags & SendWqeDescriptor.UNFINISHED) != 0;
        }
    }

    /** Whether an append was begun and, as far as is known, not ended. */
    boolean isInParts() {
        return inParts;
    }

    /** Whether the current request comes between parts of an append, of which some are not answered. */
    boolean isBetweenParts() {
        return inParts && hasUnanswered();
    }

    /** Whether the current request has its PSNs: it was sent before. */
    boolean isCurrentAssigned() {
        return ring.next() < assigned;
    }

    /** Whether so many more PSNs can be outstanding: numbers compare only while fewer than 2^23 are. */
    boolean hasRoom(int packets) {
        int outstanding = hasUnanswered() ? Psn.diff(next, head()) : 0;
        return outstanding + packets < Psn.HALF;
    }

    /** The first PSN of the oldest request; there is one with PSNs. */
    int head() {
        return wqes.getInt(ring.slot(ring.head()) + SendWqeDescriptor.FIRST_PSN);
    }

    /** Index of the request that is to be sent again from a PSN; that of the first without PSNs if there is none. */
    long indexOf(int psn) {
        long index = ring.head();
        while (index < assigned && Psn.after(psn, wqes.getInt(ring.slot(index) + SendWqeDescriptor.LAST_PSN))) {
            index++;
        }
        return index;
    }

    /** READs and atomics among the unanswered requests before an index. */
    int readsBefore(long index) {
        int reads = 0;
        for (long i = ring.head(); i < index; i++) {
            reads += QpRequester.isRead(wqes.getByte(ring.slot(i) + SendWqeDescriptor.OPCODE)) ? 1 : 0;
        }
        return reads;
    }

    /** PSNs that a request takes: its packets, or those of a READ's answer. */
    int packets(int slot) {
        long header = wqes.getLong(slot + SendWqeDescriptor.HEADER);
        int kind = SendWqeDescriptor.opcode(header);
        if (kind == QpRequester.COMPARE_SWAP || kind == QpRequester.FETCH_ADD) {
            return 1;
        }
        int length = SendWqeDescriptor.length(header);
        return Math.max(1, (int) ((length + (long) qp.pathMtu() - 1) / qp.pathMtu()));
    }

    /** The PSN of the current request's first packet; assigns its PSNs the first time. */
    int first(int slot) {
        if (isCurrentAssigned()) {
            return wqes.getInt(slot + SendWqeDescriptor.FIRST_PSN);
        }
        int packets = packets(slot);
        int first = next;
        wqes.putInt(slot + SendWqeDescriptor.FIRST_PSN, first);
        wqes.putInt(slot + SendWqeDescriptor.LAST_PSN, Psn.add(first, packets - 1));
        next = Psn.add(first, packets);
        assigned = ring.next() + 1;
        return first;
    }

    /** The PSN of the current request's packet that begins at an offset of the message. */
    int at(int slot, int offset) {
        return offset == 0
                ? first(slot)
                : Psn.add(wqes.getInt(slot + SendWqeDescriptor.FIRST_PSN), offset / qp.pathMtu());
    }

    /** Whether the packet that is sent now is to ask for an answer; says so to the arbiter once. */
    boolean asksForAnswer(int payload, boolean last) {
        unrequested = last ? 0 : unrequested + payload;
        boolean asks = qp.takeWantsAnswer() || last || unrequested >= ACKNOWLEDGED_BYTES;
        if (asks) {
            unrequested = 0;
        }
        return asks;
    }

    /**
     * A packet was sent.
     *
     * @param end the PSN after its last
     * @param asks whether an answer is due
     */
    void sent(int end, boolean asks) {
        if (Psn.after(end, unsent)) {
            unsent = end;
        }
        if (asks) {
            asked = end;
        }
    }

    /** A packet was sent that holds a run of messages, and has asked for an answer. */
    void sentRun(int end) {
        sent(end, true);
        unrequested = 0;
    }

    /** Those that are assigned are to be skipped. @return the PSN of the skip itself */
    int skip() {
        int own = next;
        next = Psn.next(own);
        unsentBefore = unsent;
        return own;
    }

    /**
     * They were: no request has PSNs. What the peer has in parts is what it had before the oldest part among them.
     *
     * @param partsAbandoned whether it has given that up
     */
    void skipped(boolean partsAbandoned) {
        for (long i = ring.head(); i < ring.published(); i++) {
            int flags = wqes.getByte(ring.slot(i) + SendWqeDescriptor.FLAGS);
            if ((flags & SendWqeDescriptor.PART) != 0) {
                inParts = (flags & SendWqeDescriptor.CONTINUES) != 0;
                break;
            }
        }
        inParts &= !partsAbandoned;
        noneAssigned();
    }

    /** They are not, after all. */
    void unskip(int own) {
        next = own;
        unsent = unsentBefore;
    }

    /** Goes back to a PSN: the timer runs again when it leaves, not while it waits its turn. */
    void rewind(int psn) {
        asked = psn;
    }
}

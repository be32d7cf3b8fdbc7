package io.verbena.verification.simulate;

import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.verification.walk.Pattern;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * What must be true of the appends of one connection, from its making to its end: each is taken once, whole and in
 * order, if its sender was told of success and the queue has not been destroyed meanwhile; never, if it was wrong; and
 * otherwise at most once. Knows nothing of NICs.
 */
final class AppendModel {
    private final String name;
    private final QpType type;
    private final boolean copies;
    private final AppendTally tally;
    /** Posted, and not known to be complete. */
    private final ArrayDeque<AppendMessage> outstanding = new ArrayDeque<>();
    /** May be taken from now on, in order. */
    private final List<AppendMessage> expected = new ArrayList<>();

    /** Number of the owner's queue pair that records name. */
    final int peerQp;

    private int lastTaken = -1;
    private boolean failed;
    private boolean closed;
    /** Whether its sender was told that it is over: resets, deaths. */
    boolean torn;

    AppendModel(String name, QpType type, boolean copies, int peerQp, AppendTally tally) {
        this.name = name;
        this.type = type;
        this.copies = copies;
        this.peerQp = peerQp;
        this.tally = tally;
    }

    private WalkFailure wrong(String what) {
        return new WalkFailure(name + ": " + what);
    }

    void posted(AppendMessage m) {
        outstanding.add(m);
        if (m.flaw == RequestFlaw.NONE) {
            expected.add(m);
        }
    }

    /** Bytes of the region that are not to be written again yet start here; -1 if there are none. */
    int oldest() {
        AppendMessage first = outstanding.peek();
        return first == null ? -1 : first.at;
    }

    boolean isQuiet() {
        return outstanding.isEmpty();
    }

    boolean isFailed() {
        return failed;
    }

    /**
     * The sender was told how a request ended.
     *
     * @param sequence of the request
     * @param queue that there is now
     * @param silent whether links, peers or the owner may have been silent
     * @param retriesEnd whether a receiver that is never ready ends a request
     * @param impatient whether the queue gives up what stands still in the middle
     */
    void completed(int sequence, WcStatus status, int queue, boolean silent, boolean retriesEnd, boolean impatient) {
        AppendMessage m = outstanding.poll();
        if (m == null || m.sequence != sequence) {
            throw wrong("completion of " + sequence + ", expected that of " + m);
        }
        m.status = status;
        // A late copy of its last packets may find the receiver ready after all.
        m.inDoubt = status == WcStatus.RNR_RETRY_EXC_ERR && (silent || copies);
        tally.completed(status);
        boolean wasFailed = failed;
        failed |= status != WcStatus.SUCCESS;
        if (status == WcStatus.SUCCESS) {
            if (wasFailed) {
                throw wrong("success behind an error: " + m);
            }
            if (type == QpType.RC && m.flaw != RequestFlaw.NONE) {
                throw wrong("success of " + m + ", expected " + m.flaw.status);
            }
            if (type == QpType.RC && m.passed && m.taken == 0 && m.queue == queue) {
                throw wrong("success of " + m + ", but a later one was taken already");
            }
            return;
        }
        boolean first = !wasFailed && type == QpType.RC;
        boolean legal = switch (status) {
            case WR_FLUSH_ERR -> wasFailed || torn || silent;
            case RETRY_EXC_ERR -> first && (silent || torn);
            case RNR_RETRY_EXC_ERR -> first && retriesEnd && (m.taken == 0 || m.inDoubt);
            // A queue that was destroyed is unknown, also to what is on its way in parts; one that was made in
            // its place has another key.
            case REM_INV_REQ_ERR, REM_ACCESS_ERR -> first && (m.flaw.status == status || m.queue != queue);
            case REM_ABORT_ERR -> first && impatient;
            default -> false;
        };
        if (!legal) {
            throw wrong(m + ", expected " + m.flaw.status + (wasFailed ? ", behind an error" : ""));
        }
        if (status == m.flaw.status) {
            tally.event(
                    m.flaw == RequestFlaw.TOO_LONG
                            ? AppendTally.Event.REFUSED_SIZE
                            : m.flaw == RequestFlaw.NO_QUEUE
                                    ? AppendTally.Event.REFUSED_QUEUE
                                    : AppendTally.Event.REFUSED_KEY);
        }
        if (isRefused(m) && m.taken > 0) {
            throw wrong(m + ": refused, and taken");
        }
    }

    /** Whether its status says that nothing was appended, nor will be. */
    private static boolean isRefused(AppendMessage m) {
        WcStatus status = m.status;
        return (status == WcStatus.RNR_RETRY_EXC_ERR && !m.inDoubt)
                || status == WcStatus.REM_INV_REQ_ERR
                || status == WcStatus.REM_ABORT_ERR
                || status == WcStatus.REM_ACCESS_ERR;
    }

    /** A record was taken from the queue. */
    void taken(int sequence, int queue, int qpNumber, DirectBuffer b, int offset, int length) {
        AppendMessage m = null;
        for (AppendMessage each : expected) {
            if (each.sequence == sequence) {
                m = each;
                break;
            }
        }
        if (m == null) {
            throw wrong("record " + sequence + " of " + length + " bytes is none that may come"
                    + (closed ? ", the connection has ended" : ""));
        }
        if (m.queue != queue || qpNumber != peerQp) {
            throw wrong("record of queue " + queue + " and queue pair " + qpNumber + ", expected " + peerQp + ", " + m);
        }
        if (m.length != length) {
            throw wrong("record of " + length + " bytes: " + m);
        }
        int bad = Pattern.mismatch(b, offset, m.identity, 0, length);
        if (bad >= 0) {
            throw wrong("byte " + bad + " of " + m + " is " + b.getByte(offset + bad));
        }
        if (isRefused(m)) {
            throw wrong("taken though it failed: " + m);
        }
        m.taken++;
        if (m.taken > 1 && !(type == QpType.UD && copies)) {
            throw wrong("taken twice: " + m);
        }
        tally.copies += m.taken > 1 ? 1 : 0;
        if (type != QpType.UD) {
            inOrder(m);
        }
    }

    private void inOrder(AppendMessage m) {
        if (m.sequence <= lastTaken) {
            throw wrong("taken after " + lastTaken + ": " + m);
        }
        lastTaken = m.sequence;
        for (Iterator<AppendMessage> i = expected.iterator(); i.hasNext(); ) {
            AppendMessage each = i.next();
            if (each.sequence >= m.sequence) {
                if (each == m && each.status != null) {
                    i.remove();
                }
                break;
            }
            if (type == QpType.RC && each.queue == m.queue && each.taken == 0 && each.status == WcStatus.SUCCESS) {
                throw wrong("passed over: " + each + ", taken: " + m);
            }
            each.passed = true;
            if (each.status != null) {
                i.remove();
            }
        }
    }

    /** The queue is gone: what was in it is lost. */
    void queueGone(int queue) {
        expected.removeIf(m -> m.queue == queue && m.status != null);
    }

    /** The connection has ended: what was outstanding is in doubt. */
    void closed() {
        closed = true;
        for (AppendMessage m : outstanding) {
            m.status = WcStatus.WR_FLUSH_ERR;
        }
        outstanding.clear();
    }

    /** Messages that are in a queue and have not been taken: success has its record. */
    int owed(int queue) {
        int owed = 0;
        for (AppendMessage m : expected) {
            if (type == QpType.RC && m.queue == queue && m.status == WcStatus.SUCCESS && m.taken == 0) {
                owed++;
            }
        }
        return owed;
    }

    @Override
    public String toString() {
        return name + (outstanding.isEmpty() ? "" : ", outstanding " + outstanding);
    }
}

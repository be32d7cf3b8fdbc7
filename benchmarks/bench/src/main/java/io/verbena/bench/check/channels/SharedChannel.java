package io.verbena.bench.check.channels;

import io.verbena.mux.SharedPath;
import io.verbena.nic.PostResult;
import io.verbena.nic.SendRequest;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.verification.walk.WalkFailure;
import java.util.EnumSet;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A channel, and what must be true of it: each message comes once, whole and in order, to the inbox that it leads to;
 * all of them, unless it is guilty of something, is closed, or its node or the peer is gone.
 */
final class SharedChannel {
    private static final int WRONG = 0x5A5A;

    final int number;
    final WalkedInbox inbox;
    final SharedPath path;
    private final MessageData data;
    private final SendRequest request = new SendRequest();
    private final IntArrayList lengths = new IntArrayList(); // of what was posted
    private int received;
    private int badFrom = Integer.MAX_VALUE; // the first message that the peer must refuse
    private @Nullable WcStatus badReason;
    private @Nullable WcStatus ended;
    private boolean closed;
    private boolean gone; // a node of its has crashed

    SharedChannel(int number, WalkedInbox inbox, SharedPath path, MessageData data) {
        this.number = number;
        this.inbox = inbox;
        this.path = path;
        this.data = data;
    }

    WalkFailure wrong(String what) {
        return new WalkFailure(this + ": " + what);
    }

    // ---- sending ----------------------------------------------------------------------------------------------------

    /** How a message is posted. */
    enum How {
        POST,
        ENQUEUE,
        AT_ONCE
    }

    /** Whether it can be posted to. */
    boolean isOpen() {
        return !closed && !gone && ended == null;
    }

    /** Posts a message. @return whether it was taken */
    boolean post(int length, How how) {
        return post(length, how, inbox.queue.key());
    }

    /** Posts a message that the peer must refuse, since its key is none. */
    boolean postWithWrongKey(int length) {
        return bad(WcStatus.REM_ACCESS_ERR, post(length, How.POST, inbox.queue.key() ^ WRONG));
    }

    /** Posts a message that the peer must refuse, since it is too long for the inbox. */
    boolean postTooLong() {
        return bad(WcStatus.REM_INV_REQ_ERR, post(ChannelPlan.MAX_MESSAGE + 1, How.POST));
    }

    private boolean bad(WcStatus reason, boolean posted) {
        if (posted && badReason == null) {
            badFrom = lengths.size() - 1;
            badReason = reason;
        }
        return posted;
    }

    private boolean post(int length, How how, int key) {
        int sequence = lengths.size();
        request.appendImmediate(inbox.queue.id(), key, sequence).stream(path.stream())
                .signaled(false)
                .local(data.key(), data.offset(number, sequence), length);
        boolean done;
        switch (how) {
            case AT_ONCE:
                done = path.executeNow(request);
                break;
            case ENQUEUE:
                done = path.enqueue(request) == PostResult.POSTED;
                break;
            default:
                done = path.post(request) == PostResult.POSTED;
        }
        if (done) {
            lengths.addInt(length);
        }
        return done;
    }

    /** Closes it: what was not begun is not sent any more. */
    void close() {
        if (!closed) {
            closed = true;
            path.close();
            path.parts();
        }
    }

    // ---- receiving --------------------------------------------------------------------------------------------------

    /** A message of its has come. */
    void arrived(WalkedInbox at, int sequence, DirectBuffer b, int offset, int length) {
        if (at != inbox) {
            throw wrong("message " + sequence + " came to " + at);
        }
        if (sequence != received) {
            throw wrong("message " + sequence + " came, expected " + received
                    + (sequence < received ? ": it came twice" : ": what was before it is lost"));
        }
        if (sequence >= badFrom) {
            throw wrong("message " + sequence + " came, though " + badFrom + " was to be refused");
        }
        if (sequence >= lengths.size() || lengths.getInt(sequence) != length) {
            throw wrong("message " + sequence + " of " + length + " bytes came, sent were " + lengths.size()
                    + (sequence < lengths.size() ? ", this one of " + lengths.getInt(sequence) : ""));
        }
        int bad = data.mismatch(b, offset, number, sequence, length);
        if (bad >= 0) {
            throw wrong("byte " + bad + " of message " + sequence + " of " + length + " is wrong");
        }
        received++;
    }

    // ---- the end ----------------------------------------------------------------------------------------------------

    /** The peer has refused its oldest message, for good. */
    void ended(WcStatus why) {
        if (ended != null) {
            throw wrong("ended twice, now with " + why);
        }
        if (!reasons().contains(why)) {
            throw wrong("ended with " + why + ", for which there was no cause");
        }
        ended = why;
    }

    private Set<WcStatus> reasons() {
        WcStatus own = badReason;
        Set<WcStatus> reasons = own == null ? EnumSet.noneOf(WcStatus.class) : EnumSet.of(own);
        if (inbox.isClosed()) {
            reasons.add(WcStatus.REM_INV_REQ_ERR);
            reasons.add(WcStatus.REM_ACCESS_ERR); // another has its number
            reasons.add(WcStatus.REM_ABORT_ERR); // of a second copy of a long message's last part
        }
        return reasons;
    }

    /** A node of its has crashed. */
    void isGone() {
        gone = true;
    }

    /** Whether something was posted that the peer must refuse. */
    boolean isGuilty() {
        return badReason != null;
    }

    /** Whether everything has come that must, and its end was told if it has one. */
    boolean isSettled() {
        if (gone) {
            return true;
        }
        if (ended != null || closed) {
            return path.isReleased();
        }
        if (badReason != null) {
            return false;
        }
        return path.outstanding() == 0 && (inbox.isClosed() || received == lengths.size());
    }

    int sent() {
        return lengths.size();
    }

    @Override
    public String toString() {
        return "channel " + number + " to " + inbox + ", sent " + lengths.size() + ", received " + received
                + (badReason == null ? "" : ", bad from " + badFrom + " by " + badReason)
                + (closed ? ", closed" : "")
                + (gone ? ", gone" : "")
                + (ended == null ? "" : ", ended: " + ended)
                + ", outstanding " + path.outstanding() + ", " + path.state();
    }
}

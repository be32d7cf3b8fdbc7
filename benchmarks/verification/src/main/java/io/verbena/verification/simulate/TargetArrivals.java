package io.verbena.verification.simulate;

import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.verification.simulate.WalkTally.Event;
import io.verbena.verification.walk.Pattern;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

/** What comes at the target of a reliable connection: each receive and each record is the next message, whole. */
final class TargetArrivals {
    private final ReliableChannel channel;

    /** Consumes a receive, or appends; not known to have arrived. */
    private final ArrayDeque<ModelRequest> messages = new ArrayDeque<>();

    private final ArrayDeque<ModelRequest> records = new ArrayDeque<>();

    /** Of this epoch: consumed a receive in success. */
    private final List<ModelRequest> delivered = new ArrayList<>();

    private boolean receiveFlushed;

    TargetArrivals(ReliableChannel channel) {
        this.channel = channel;
    }

    /** A request was posted at the source. */
    void posted(ModelRequest r) {
        if (r.verb.consumes) {
            messages.add(r);
        }
        if (r.verb.isAppend()) {
            records.add(r);
        }
    }

    /** A completion of a receive at the target. */
    void received(KeptCompletion wc) {
        DirectionModel.Receive v = channel.take(wc);
        if (wc.qp() != channel.target.number()) {
            throw channel.wrong("receive " + v.sequence() + " names queue pair " + wc.qp());
        }
        channel.tally.received(wc.status());
        if (wc.status() == WcStatus.WR_FLUSH_ERR) {
            receiveFlushed = true;
            return;
        }
        if (receiveFlushed) {
            throw channel.wrong(wc + " behind a flushed receive");
        }
        ModelRequest r = messages.poll();
        while (r != null && r.outcome.closed && !r.isDone()) {
            r = messages.poll();
        }
        if (r == null) {
            throw channel.wrong("received " + wc + ", nothing was sent");
        }
        r.outcome.receiver = wc.status();
        switch (wc.status()) {
            case SUCCESS:
                checkReceived(wc, v, r);
                delivered.add(r);
                break;
            case LOC_LEN_ERR:
                require(r.verb.isSend() && r.length > v.length() && !v.bad(), wc, v, r);
                break;
            case LOC_PROT_ERR:
                require(r.verb.isSend() && v.mayBeBad(), wc, v, r);
                break;
            case LOC_ACCESS_ERR:
                require(
                        r.verb == PostedVerb.WRITE_IMMEDIATE
                                && (r.outcome.targetMoved || r.flaw.status == WcStatus.REM_ACCESS_ERR),
                        wc,
                        v,
                        r);
                break;
            default:
                require(false, wc, v, r);
        }
    }

    private void require(boolean condition, KeptCompletion wc, DirectionModel.Receive v, ModelRequest r) {
        if (!condition) {
            throw channel.wrong(wc + " of " + v + " for " + r);
        }
    }

    private void checkReceived(KeptCompletion wc, DirectionModel.Receive v, ModelRequest r) {
        require(r.succeeds(), wc, v, r);
        require(r.verb.isSend() ? r.length <= v.length() && !v.bad() : true, wc, v, r);
        require(
                wc.opcode() == (r.verb.isSend() ? WcOpcode.RECEIVE : WcOpcode.RECEIVE_WRITE_IMMEDIATE)
                        && wc.length() == r.length
                        && wc.hasImmediate() == r.verb.immediate
                        && (!r.verb.immediate || wc.immediate() == r.immediate)
                        && wc.invalidates() == (r.verb == PostedVerb.SEND_INVALIDATE)
                        && (!wc.invalidates() || wc.invalidated() == r.binding.key)
                        && wc.peerQp() == channel.source.number(),
                wc,
                v,
                r);
        if (r.verb == PostedVerb.SEND_INVALIDATE) {
            channel.target.window.done(r);
        }
        int filled = 0;
        AtomicBuffer own = channel.target.host.memory().local();
        int slot = v.at();
        if (r.verb.isSend()) {
            filled = r.length;
            int at = Pattern.mismatch(own, slot, r.identity, 0, r.length);
            if (at >= 0) {
                throw channel.wrong("byte " + at + " of received " + r + " is " + own.getByte(slot + at));
            }
        } else if (channel.target.isPresent() && r.length > 0) {
            // A WRITE is placed before its receive completes; later ones may have gone over it.
            AtomicBuffer memory = channel.target.host.memory().target();
            for (int i = 0; i < r.length; i++) {
                byte there = memory.getByte(channel.target.slice() + r.remote + i);
                if (there != Pattern.at(r.identity, i) && !channel.mayHaveBeen(r, r.remote + i, there)) {
                    throw channel.wrong("received " + r + ", but byte " + i + " of the region is " + there);
                }
            }
        }
        int beyond = Pattern.unguarded(own, slot + filled, channel.target.host.slot - filled);
        if (beyond >= 0) {
            throw channel.wrong("byte " + (filled + beyond) + " behind the end of received " + r + " was written");
        }
    }

    /** A record of this channel was taken from the target's append queue. */
    void record(int qpNumber, DirectBuffer b, int offset, int length, boolean hasImmediate, int immediate) {
        ModelRequest r = records.poll();
        while (r != null
                && r.outcome.closed
                && !r.isDone()
                && (r.peerQp != qpNumber || !isRecord(r, b, offset, length, hasImmediate, immediate))) {
            r = records.poll(); // was never appended
        }
        if (r == null
                || r.peerQp != qpNumber
                || !r.succeeds()
                || !isRecord(r, b, offset, length, hasImmediate, immediate)) {
            throw channel.wrong("record of " + length + " bytes" + (hasImmediate ? " and immediate " + immediate : "")
                    + " is not " + r);
        }
        r.outcome.seen = true;
        channel.tally.add(Event.RECORDS);
    }

    private static boolean isRecord(
            ModelRequest r, DirectBuffer b, int offset, int length, boolean hasImmediate, int immediate) {
        return r.length == length
                && r.verb.immediate == hasImmediate
                && (!hasImmediate || r.immediate == immediate)
                && Pattern.mismatch(b, offset, r.identity, 0, length) < 0;
    }

    /** Whether a request is known to have arrived. */
    boolean isKnown(ModelRequest r) {
        return delivered.contains(r) || r.outcome.seen;
    }

    /** Whether records that must be in the queue have not been taken from it. */
    boolean owesRecords() {
        for (ModelRequest r : records) {
            if (r.isDone()) {
                return true;
            }
        }
        return false;
    }

    /** The target has come up again: what was appended there is gone. */
    void forgetRecords() {
        records.clear();
    }

    /** At the end of an epoch: what is done and consumes a receive has been received. */
    void checkDone() {
        for (ModelRequest r : messages) {
            if (r.isDone()) {
                throw channel.wrong("success of " + r + ", but it was never received");
            }
        }
    }

    /** An epoch is over; records may still be taken. */
    void close() {
        messages.clear();
        records.removeIf(r -> r.outcome.closed && !r.succeeds());
        delivered.clear();
        receiveFlushed = false;
    }
}

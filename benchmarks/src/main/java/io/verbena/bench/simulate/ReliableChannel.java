package io.verbena.bench.simulate;

import io.verbena.nic.WcOpcode;
import io.verbena.nic.WcStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

/**
 * What must be true of one direction of a reliable connection: written from the verbs' promises alone. It knows what was
 * posted at the source, and judges each completion there, each receive and record at the target, and the slice of the
 * target's memory that this channel alone writes to.
 *
 * <pre>
 *   posted ─▶ outstanding ─ success ─▶ applied to the model, compared with the target's memory
 *                         └ error ───▶ undone: when the epoch is over, some prefix of it explains that memory
 * </pre>
 */
final class ReliableChannel extends Channel {
    /** Ended in an error, in order. */
    private final List<Request> undone = new ArrayList<>();

    /** Consumes a receive, or appends; not known to have arrived. */
    private final ArrayDeque<Request> messages = new ArrayDeque<>();

    private final ArrayDeque<Request> records = new ArrayDeque<>();

    /** Of this epoch: consumed a receive in success. */
    private final List<Request> delivered = new ArrayList<>();

    /** A quarter of a chunk: longer records have memory of their own. */
    private static final int LARGE = 1 << 14;

    private boolean receiveFlushed;

    ReliableChannel(End source, End target, Tally tally) {
        super(source, target, tally);
    }

    // ---- posting -----------------------------------------------------------------------------------------------

    @Override
    void posted(Request r) {
        outstanding.add(r);
        if (r.flaw.reachesPeer()) {
            flawed = true;
        }
        if (r.verb.consumes) {
            messages.add(r);
        }
        if (r.verb.isAppend()) {
            records.add(r);
        }
        if (r.shared && r.succeeds()) {
            target.host.sharedPosted++;
        }
    }

    /** What the word must hold when everything posted so far has been done. */
    @Override
    long expectedWord() {
        long word = model.getLong(WORD);
        for (Request r : outstanding) {
            if (r.verb == Verb.COMPARE_SWAP && r.succeeds() && r.compare == word) {
                word = r.operand;
            }
        }
        return word;
    }

    // ---- completions of the send queue -------------------------------------------------------------------------

    @Override
    void completed(Wc wc) {
        Request r = null;
        int sequence = (int) wc.wrId();
        for (Request o : outstanding) {
            if (o.sequence == sequence) {
                r = o;
                break;
            }
        }
        if (r == null) {
            throw wrong("completion of " + wc + ", which is not outstanding");
        }
        boolean success = wc.isSuccess();
        if (success && !r.signaled) {
            throw wrong("completion of unsignaled " + r);
        }
        if (!undone.isEmpty() && wc.status() != WcStatus.WR_FLUSH_ERR) {
            throw wrong(wc.status() + " of " + r + " behind the error of " + undone.get(0));
        }
        if (wc.qp() != source.number()) {
            throw wrong("completion of " + r + " names queue pair " + wc.qp());
        }
        while (outstanding.peekFirst() != r) {
            Request before = outstanding.removeFirst();
            if (before.signaled || !undone.isEmpty()) {
                throw wrong("no completion of " + before + " before that of " + r);
            }
            succeeded(before);
        }
        outstanding.removeFirst();
        tally.completed(r.verb, wc.status());
        if (success) {
            if (wc.opcode() != r.verb.opcode || (!r.verb.isLocal() && wc.length() != r.length)) {
                throw wrong("completion " + wc + " of " + r);
            }
            if (r.flaw.fails()) {
                throw wrong("success of " + r + ", expected " + r.flaw.status);
            }
            succeeded(r);
        } else {
            if (undone.isEmpty()) {
                checkFirstError(r, wc.status());
            }
            r.status = wc.status();
            undone.add(r);
        }
    }

    private void checkFirstError(Request r, WcStatus status) {
        boolean legal;
        if (status == r.flaw.status) {
            legal = true;
        } else {
            switch (status) {
                case WR_FLUSH_ERR:
                    legal = source.mayBeInError();
                    break;
                case RETRY_EXC_ERR:
                    legal = source.pair.isRetryExcused(this);
                    break;
                case RNR_RETRY_EXC_ERR:
                    legal = source.pair.rnrRetry != 7 && (r.verb.consumes || r.verb.isAppend());
                    break;
                case REM_INV_REQ_ERR: // the receive was too short
                case REM_OP_ERR: // the receive was bad
                    legal = r.verb.isSend() && trapped;
                    break;
                case LOC_PROT_ERR:
                    legal = r.sourceMoved;
                    break;
                case REM_ACCESS_ERR:
                    legal = r.targetMoved && (r.verb.isWrite() || r.verb.reads());
                    break;
                default:
                    legal = false;
            }
        }
        if (!legal) {
            throw wrong(status + " of " + r + ", expected " + r.flaw.status);
        }
    }

    private void succeeded(Request r) {
        r.status = WcStatus.SUCCESS;
        tally.large += r.length > LARGE ? 1 : 0;
        if (r.verb.isLocal()) {
            tally.calls += r.verb == Verb.BIND_WINDOW && source.isWindowBoundByCall() ? 1 : 0;
            source.windowDone(r);
            return;
        }
        AtomicBuffer own = source.host.local();
        int slot = source.sendSlot(r) + r.local;
        if (r.verb.reads()) {
            checkResult(r, own, slot);
        } else if (!r.inline && r.flaw == Flaw.NONE) {
            int damaged = r.damagedSource(own, slot);
            if (damaged >= 0) {
                throw wrong("source of " + r + " was changed at " + damaged);
            }
        }
        if (r.flaw == Flaw.NONE) {
            apply(r);
            if (target.isPresent()) {
                checkTarget(r);
            }
        }
    }

    private void apply(Request r) {
        if (r.verb.isWrite()) {
            Pattern.fill(model, r.remote, r.identity, 0, r.length);
        } else if (r.verb.isAtomic() && !r.shared) {
            long original = model.getLong(r.remote);
            if (r.verb == Verb.FETCH_ADD) {
                model.putLong(r.remote, original + r.operand);
            } else if (original == r.compare) {
                model.putLong(r.remote, r.operand);
            }
        }
    }

    private void checkResult(Request r, DirectBuffer own, int slot) {
        if (r.verb.isAtomic()) {
            long original = own.getLong(slot);
            if (r.shared) {
                if (target.isPresent()) {
                    target.host.sharedDone(this, r, original);
                }
                return;
            }
            long expected = model.getLong(r.remote);
            if (original != expected) {
                throw wrong("original of " + r + " is " + original + ", expected " + expected);
            }
            return;
        }
        if (r.flaw != Flaw.NONE) {
            return;
        }
        for (int i = 0; i < r.length; i++) {
            byte got = own.getByte(slot + r.position(i));
            if (got != model.getByte(r.remote + i) && !mayBe(r.remote + i, got, true)) {
                throw wrong("byte " + i + " of " + r + " is " + got + ", expected " + model.getByte(r.remote + i));
            }
        }
        int beyond = Pattern.unguarded(own, slot + r.length, End.GUARD);
        if (beyond >= 0) {
            throw wrong("byte " + beyond + " behind the result of " + r + " was written");
        }
    }

    /** Success means memory at the peer says so: at once, or what a later request has made of it. */
    private void checkTarget(Request r) {
        AtomicBuffer memory = target.host.target();
        int slice = target.slice();
        if (r.verb.isWrite()) {
            for (int i = 0; i < r.length; i++) {
                byte there = memory.getByte(slice + r.remote + i);
                if (there != Pattern.at(r.identity, i) && !mayBe(r.remote + i, there, false)) {
                    throw wrong("success of " + r + ", but byte " + i + " at the peer is " + there + ", expected "
                            + Pattern.at(r.identity, i));
                }
            }
        }
    }

    /** Whether a request that is not complete may have left this byte there. */
    private boolean mayBe(int at, byte value, boolean untilFence) {
        for (Request r : outstanding) {
            if (untilFence && r.fenced) {
                return false;
            }
            if (r.succeeds()
                    && r.verb.isWrite()
                    && at >= r.remote
                    && at < r.remote + r.length
                    && Pattern.at(r.identity, at - r.remote) == value) {
                return true;
            }
        }
        return false;
    }

    // ---- the target's receives and records ---------------------------------------------------------------------

    @Override
    void received(Wc wc) {
        Receive v = take(wc);
        if (wc.qp() != target.number()) {
            throw wrong("receive " + v.sequence() + " names queue pair " + wc.qp());
        }
        tally.received(wc.status());
        if (wc.status() == WcStatus.WR_FLUSH_ERR) {
            receiveFlushed = true;
            return;
        }
        if (receiveFlushed) {
            throw wrong(wc + " behind a flushed receive");
        }
        Request r = messages.poll();
        while (r != null && r.closed && !r.isDone()) {
            r = messages.poll();
        }
        if (r == null) {
            throw wrong("received " + wc + ", nothing was sent");
        }
        r.receiver = wc.status();
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
                        r.verb == Verb.WRITE_IMMEDIATE && (r.targetMoved || r.flaw.status == WcStatus.REM_ACCESS_ERR),
                        wc,
                        v,
                        r);
                break;
            default:
                require(false, wc, v, r);
        }
    }

    private void require(boolean condition, Wc wc, Receive v, Request r) {
        if (!condition) {
            throw wrong(wc + " of " + v + " for " + r);
        }
    }

    private void checkReceived(Wc wc, Receive v, Request r) {
        require(r.succeeds(), wc, v, r);
        require(r.verb.isSend() ? r.length <= v.length() && !v.bad() : true, wc, v, r);
        require(
                wc.opcode() == (r.verb.isSend() ? WcOpcode.RECEIVE : WcOpcode.RECEIVE_WRITE_IMMEDIATE)
                        && wc.length() == r.length
                        && wc.hasImmediate() == r.verb.immediate
                        && (!r.verb.immediate || wc.immediate() == r.immediate)
                        && wc.invalidates() == (r.verb == Verb.SEND_INVALIDATE)
                        && (!wc.invalidates() || wc.invalidated() == r.windowKey)
                        && wc.peerQp() == source.number(),
                wc,
                v,
                r);
        if (r.verb == Verb.SEND_INVALIDATE) {
            target.windowDone(r);
        }
        int filled = 0;
        AtomicBuffer own = target.host.local();
        int slot = v.at();
        if (r.verb.isSend()) {
            filled = r.length;
            int at = Pattern.mismatch(own, slot, r.identity, 0, r.length);
            if (at >= 0) {
                throw wrong("byte " + at + " of received " + r + " is " + own.getByte(slot + at));
            }
        } else if (target.isPresent() && r.length > 0) {
            // A WRITE is placed before its receive completes; later ones may have gone over it.
            AtomicBuffer memory = target.host.target();
            for (int i = 0; i < r.length; i++) {
                byte there = memory.getByte(target.slice() + r.remote + i);
                if (there != Pattern.at(r.identity, i) && !mayHaveBeen(r, r.remote + i, there)) {
                    throw wrong("received " + r + ", but byte " + i + " of the region is " + there);
                }
            }
        }
        int beyond = Pattern.unguarded(own, slot + filled, target.host.slot - filled);
        if (beyond >= 0) {
            throw wrong("byte " + (filled + beyond) + " behind the end of received " + r + " was written");
        }
    }

    private boolean mayHaveBeen(Request r, int at, byte value) {
        if (mayBe(at, value, false) || (r.isDone() && model.getByte(at) == value)) {
            return true;
        }
        for (Request u : undone) {
            if (u.verb.isWrite()
                    && u.succeeds()
                    && at >= u.remote
                    && at < u.remote + u.length
                    && Pattern.at(u.identity, at - u.remote) == value) {
                return true;
            }
        }
        return false;
    }

    /** A record of this channel was taken from the target's append queue. */
    @Override
    void record(int qpNumber, DirectBuffer b, int offset, int length, boolean hasImmediate, int immediate) {
        Request r = records.poll();
        while (r != null
                && r.closed
                && !r.isDone()
                && (r.peerQp != qpNumber || !isRecord(r, b, offset, length, hasImmediate, immediate))) {
            r = records.poll(); // was never appended
        }
        if (r == null
                || r.peerQp != qpNumber
                || !r.succeeds()
                || !isRecord(r, b, offset, length, hasImmediate, immediate)) {
            throw wrong("record of " + length + " bytes" + (hasImmediate ? " and immediate " + immediate : "")
                    + " is not " + r);
        }
        r.seen = true;
        tally.records++;
    }

    /** Whether a request that is not complete goes through the target's window. */
    boolean usesWindow() {
        for (Request r : outstanding) {
            if (r.window) {
                return true;
            }
        }
        return false;
    }

    private static boolean isRecord(
            Request r, DirectBuffer b, int offset, int length, boolean hasImmediate, int immediate) {
        return r.length == length
                && r.verb.immediate == hasImmediate
                && (!hasImmediate || r.immediate == immediate)
                && Pattern.mismatch(b, offset, r.identity, 0, length) < 0;
    }

    /** Whether records that must be in the queue have not been taken from it. */
    @Override
    boolean owesRecords() {
        for (Request r : records) {
            if (r.isDone()) {
                return true;
            }
        }
        return false;
    }

    /** The queue pair has been flushed and everything polled: what made no completion was done in silence. */
    @Override
    void flushed() {
        while (!outstanding.isEmpty()) {
            Request r = outstanding.peekFirst();
            if (r.signaled || !undone.isEmpty() || r.flaw.fails()) {
                throw wrong("flushed, but no completion of " + r);
            }
            outstanding.removeFirst();
            succeeded(r);
        }
    }

    // ---- the end of an epoch -----------------------------------------------------------------------------------

    /**
     * Both queue pairs are gone, and nothing can change any more: what was not done must be explained by a prefix.
     *
     * @param sourceKnown whether every completion of the source has been seen
     * @param targetKnown whether the target's memory and completions are those of the whole epoch
     */
    @Override
    void close(boolean sourceKnown, boolean targetKnown) {
        List<Request> doubtful = new ArrayList<>(undone);
        doubtful.addAll(outstanding);
        if (targetKnown) {
            checkMessages(sourceKnown);
            explain(doubtful);
        }
        for (Request r : doubtful) {
            r.closed = true;
            if (r.shared && r.succeeds() && targetKnown) {
                target.host.sharedDoubtful++;
            }
        }
        messages.clear();
        records.removeIf(r -> r.closed && !r.succeeds());
        undone.clear();
        delivered.clear();
        receiveFlushed = false;
        forgetEpoch();
    }

    private void checkMessages(boolean sourceKnown) {
        for (Request r : messages) {
            if (r.isDone()) {
                throw wrong("success of " + r + ", but it was never received");
            }
        }
        if (sourceKnown && !undone.isEmpty()) {
            Request first = undone.get(0);
            WcStatus expected = first.receiver == WcStatus.LOC_LEN_ERR
                    ? WcStatus.REM_INV_REQ_ERR
                    : first.receiver == WcStatus.LOC_PROT_ERR ? WcStatus.REM_OP_ERR : null;
            boolean refused = first.flaw == Flaw.NONE
                    && (first.status == WcStatus.REM_INV_REQ_ERR || first.status == WcStatus.REM_OP_ERR);
            if (refused && first.status != expected) {
                throw wrong(first + ", but its receive ended in " + first.receiver);
            }
        }
    }

    /** Finds how many of the doubtful requests were done; the next may have been done in part. */
    private void explain(List<Request> doubtful) {
        AtomicBuffer memory = target.host.target();
        int slice = target.slice();
        int least = 0;
        int most = doubtful.size();
        for (int i = doubtful.size() - 1; i >= 0; i--) {
            Request r = doubtful.get(i);
            if (least == 0 && (delivered.contains(r) || r.seen)) {
                least = i + 1;
            }
            if (r.flaw.fails() && !r.isRefusedLate()) {
                most = i;
            }
        }
        if (least > most) {
            throw wrong(doubtful.get(least - 1) + " was done although " + doubtful.get(most) + " before it failed");
        }
        for (int done = 0; ; done++) {
            if (done >= least && matches(memory, slice, 0, SLICE)) {
                break;
            }
            if (done == most) {
                throw wrong("no prefix of " + doubtful + " explains the target's memory, which differs at "
                        + firstDifference(memory, slice) + "; between " + least + " and " + most + " are done");
            }
            Request next = doubtful.get(done);
            if (done >= least && next.succeeds() && next.verb.isWrite() && isPart(next, memory, slice)) {
                break;
            }
            if (next.flaw == Flaw.NONE || next.isRefusedLate()) {
                apply(next);
            }
        }
        model.putBytes(0, memory, slice, SLICE);
    }

    private boolean isPart(Request next, AtomicBuffer memory, int slice) {
        int done = Pattern.mismatch(memory, slice + next.remote, next.identity, 0, next.length);
        int end = next.remote + next.length;
        return done >= 0
                && matches(memory, slice, 0, next.remote)
                && matches(memory, slice, next.remote + done, end)
                && matches(memory, slice, end, SLICE);
    }

    private boolean matches(AtomicBuffer memory, int slice, int from, int to) {
        for (int i = from; i < to; i++) {
            if (memory.getByte(slice + i) != model.getByte(i)) {
                return false;
            }
        }
        return true;
    }

    private int firstDifference(AtomicBuffer memory, int slice) {
        int i = 0;
        while (i < SLICE && memory.getByte(slice + i) == model.getByte(i)) {
            i++;
        }
        return i;
    }

    /** The target has come up again: what was appended there is gone. */
    @Override
    void forgetRecords() {
        records.clear();
    }
}

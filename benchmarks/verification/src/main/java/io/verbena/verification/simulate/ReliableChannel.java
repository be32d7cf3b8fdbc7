package io.verbena.verification.simulate;

import io.verbena.nic.verbs.WcStatus;
import io.verbena.verification.simulate.WalkTally.Event;
import io.verbena.verification.walk.Pattern;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

/**
 * What must be true of one direction of a reliable connection: written from the verbs' promises alone. It knows what
 * was posted at the source, and judges each completion there, each receive and record at the target, and the slice of
 * the target's memory that this channel alone writes to.
 *
 * <pre>
 *   posted ─▶ outstanding ─ success ─▶ applied to the model, compared with the target's memory
 *                         └ error ───▶ undone: when the epoch is over, some prefix of it explains that memory
 * </pre>
 */
final class ReliableChannel extends DirectionModel {
    /** A quarter of a chunk: longer records have memory of their own. */
    private static final int LARGE = 1 << 14;

    /** Ended in an error, in order. */
    private final List<ModelRequest> undone = new ArrayList<>();

    private final TargetArrivals arrivals = new TargetArrivals(this);

    ReliableChannel(PairEnd source, PairEnd target, WalkTally tally) {
        super(source, target, tally);
    }

    // ---- posting -----------------------------------------------------------------------------------------------

    @Override
    void posted(ModelRequest r) {
        outstanding.add(r);
        if (r.flaw.reachesPeer()) {
            flawed = true;
        }
        arrivals.posted(r);
        if (r.shared && r.succeeds()) {
            target.host.counter().posted++;
        }
    }

    /** What the word must hold when everything posted so far has been done. */
    @Override
    long expectedWord() {
        long word = model.getLong(WORD);
        for (ModelRequest r : outstanding) {
            if (r.verb == PostedVerb.COMPARE_SWAP && r.succeeds() && r.compare == word) {
                word = r.operand;
            }
        }
        return word;
    }

    // ---- completions of the send queue -------------------------------------------------------------------------

    @Override
    void completed(KeptCompletion wc) {
        ModelRequest r = null;
        int sequence = (int) wc.wrId();
        for (ModelRequest o : outstanding) {
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
            ModelRequest before = outstanding.removeFirst();
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
            r.outcome.status = wc.status();
            undone.add(r);
        }
    }

    private void checkFirstError(ModelRequest r, WcStatus status) {
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
                    legal = r.outcome.sourceMoved;
                    break;
                case REM_ACCESS_ERR:
                    legal = r.outcome.targetMoved && (r.verb.isWrite() || r.verb.reads());
                    break;
                default:
                    legal = false;
            }
        }
        if (!legal) {
            throw wrong(status + " of " + r + ", expected " + r.flaw.status);
        }
    }

    private void succeeded(ModelRequest r) {
        r.outcome.status = WcStatus.SUCCESS;
        tally.add(Event.LARGE, r.length > LARGE ? 1 : 0);
        if (r.verb.isLocal()) {
            tally.add(Event.CALLS, r.verb == PostedVerb.BIND_WINDOW && source.window.isBoundByCall() ? 1 : 0);
            source.window.done(r);
            return;
        }
        AtomicBuffer own = source.host.memory().local();
        int slot = source.sendSlot(r) + r.local;
        if (r.verb.reads()) {
            checkResult(r, own, slot);
        } else if (!r.inline && r.flaw == RequestFlaw.NONE) {
            int damaged = r.damagedSource(own, slot);
            if (damaged >= 0) {
                throw wrong("source of " + r + " was changed at " + damaged);
            }
        }
        if (r.flaw == RequestFlaw.NONE) {
            apply(r);
            if (target.isPresent()) {
                checkTarget(r);
            }
        }
    }

    /** Changes the model as a request that is done changes memory. */
    void apply(ModelRequest r) {
        if (r.verb.isWrite()) {
            Pattern.fill(model, r.remote, r.identity, 0, r.length);
        } else if (r.verb.isAtomic() && !r.shared) {
            long original = model.getLong(r.remote);
            if (r.verb == PostedVerb.FETCH_ADD) {
                model.putLong(r.remote, original + r.operand);
            } else if (original == r.compare) {
                model.putLong(r.remote, r.operand);
            }
        }
    }

    private void checkResult(ModelRequest r, DirectBuffer own, int slot) {
        if (r.verb.isAtomic()) {
            long original = own.getLong(slot);
            if (r.shared) {
                if (target.isPresent()) {
                    target.host.counter().done(this, r, original);
                }
                return;
            }
            long expected = model.getLong(r.remote);
            if (original != expected) {
                throw wrong("original of " + r + " is " + original + ", expected " + expected);
            }
            return;
        }
        if (r.flaw != RequestFlaw.NONE) {
            return;
        }
        for (int i = 0; i < r.length; i++) {
            byte got = own.getByte(slot + r.position(i));
            if (got != model.getByte(r.remote + i) && !mayBe(r.remote + i, got, true)) {
                throw wrong("byte " + i + " of " + r + " is " + got + ", expected " + model.getByte(r.remote + i));
            }
        }
        int beyond = Pattern.unguarded(own, slot + r.length, PairEnd.GUARD);
        if (beyond >= 0) {
            throw wrong("byte " + beyond + " behind the result of " + r + " was written");
        }
    }

    /** Success means memory at the peer says so: at once, or what a later request has made of it. */
    private void checkTarget(ModelRequest r) {
        AtomicBuffer memory = target.host.memory().target();
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
        for (ModelRequest r : outstanding) {
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

    /** What was flushed may be under way still. */
    @Override
    void targetMoved() {
        super.targetMoved();
        undone.forEach(this::targetMoved);
    }

    // ---- the target's receives and records ---------------------------------------------------------------------

    @Override
    void received(KeptCompletion wc) {
        arrivals.received(wc);
    }

    @Override
    void record(int qpNumber, DirectBuffer b, int offset, int length, boolean hasImmediate, int immediate) {
        arrivals.record(qpNumber, b, offset, length, hasImmediate, immediate);
    }

    @Override
    boolean owesRecords() {
        return arrivals.owesRecords();
    }

    @Override
    void forgetRecords() {
        arrivals.forgetRecords();
    }

    /** Whether a request that is not complete, or is done or undone, may have made this byte. */
    boolean mayHaveBeen(ModelRequest r, int at, byte value) {
        if (mayBe(at, value, false) || (r.isDone() && model.getByte(at) == value)) {
            return true;
        }
        for (ModelRequest u : undone) {
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

    /** Whether a request that is not complete goes through the target's window. */
    boolean usesWindow() {
        for (ModelRequest r : outstanding) {
            if (r.window) {
                return true;
            }
        }
        return false;
    }

    /** The queue pair has been flushed and everything polled: what made no completion was done in silence. */
    @Override
    void flushed() {
        while (!outstanding.isEmpty()) {
            ModelRequest r = outstanding.peekFirst();
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
        List<ModelRequest> doubtful = new ArrayList<>(undone);
        doubtful.addAll(outstanding);
        if (targetKnown) {
            arrivals.checkDone();
            if (sourceKnown && !undone.isEmpty()) {
                checkRefused(undone.get(0));
            }
            new PrefixSearch(this).explain(doubtful, arrivals);
        }
        for (ModelRequest r : doubtful) {
            r.outcome.closed = true;
            if (r.shared && r.succeeds() && targetKnown) {
                target.host.counter().doubtful++;
            }
        }
        arrivals.close();
        undone.clear();
        forgetEpoch();
    }

    private void checkRefused(ModelRequest first) {
        WcStatus expected = first.outcome.receiver == WcStatus.LOC_LEN_ERR
                ? WcStatus.REM_INV_REQ_ERR
                : first.outcome.receiver == WcStatus.LOC_PROT_ERR ? WcStatus.REM_OP_ERR : null;
        boolean refused = first.flaw == RequestFlaw.NONE
                && (first.outcome.status == WcStatus.REM_INV_REQ_ERR || first.outcome.status == WcStatus.REM_OP_ERR);
        if (refused && first.outcome.status != expected) {
            throw wrong(first + ", but its receive ended in " + first.outcome.receiver);
        }
    }
}

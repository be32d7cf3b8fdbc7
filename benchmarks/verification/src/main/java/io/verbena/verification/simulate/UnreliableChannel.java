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

/**
 * What must be true of one direction of an unreliable connection (UC): each request completes in order whatever becomes
 * of it; messages arrive at most once, in order, whole or not at all; memory holds what it held or what some WRITE has
 * brought.
 */
class UnreliableChannel extends DirectionModel {
    final ArrayDeque<ModelRequest> messages = new ArrayDeque<>();
    final ArrayDeque<ModelRequest> records = new ArrayDeque<>();
    private final List<ModelRequest> writes = new ArrayList<>();
    private boolean failed;
    private boolean receiveFlushed;

    UnreliableChannel(PairEnd source, PairEnd target, WalkTally tally) {
        super(source, target, tally);
    }

    @Override
    final void posted(ModelRequest r) {
        outstanding.add(r);
        if (!r.succeeds()) {
            return;
        }
        if (r.verb.consumes) {
            messages.add(r);
        }
        if (r.verb.isAppend()) {
            records.add(r);
        }
        if (r.verb.isWrite() && r.length > 0) {
            writes.add(r);
        }
    }

    @Override
    final long expectedWord() {
        return model.getLong(WORD);
    }

    /** What the source is told: a refusal of the peer never reaches it. */
    private static WcStatus status(ModelRequest r) {
        return r.flaw.reachesPeer() ? WcStatus.SUCCESS : r.flaw.status;
    }

    @Override
    final void completed(KeptCompletion wc) {
        int sequence = (int) wc.wrId();
        if (outstanding.stream().noneMatch(o -> o.sequence == sequence)) {
            throw wrong("completion of " + wc + ", which is not outstanding");
        }
        ModelRequest r = outstanding.removeFirst();
        while (r.sequence != sequence) {
            if (r.signaled || failed || status(r) != WcStatus.SUCCESS) {
                throw wrong("no completion of " + r + " before that of " + sequence);
            }
            r.outcome.status = WcStatus.SUCCESS;
            r = outstanding.removeFirst();
        }
        r.outcome.status = wc.status();
        tally.completed(r.verb, wc.status());
        if (wc.isSuccess()) {
            if (failed || !r.signaled || status(r) != WcStatus.SUCCESS) {
                throw wrong("success of " + r + (failed ? " behind an error" : ""));
            }
            if (wc.opcode() != r.verb.opcode || wc.length() != r.length || wc.qp() != source.number()) {
                throw wrong("completion " + wc + " of " + r);
            }
            return;
        }
        boolean legal = wc.status() == WcStatus.WR_FLUSH_ERR
                ? failed || source.mayBeInError()
                : !failed
                        && (wc.status() == status(r)
                                || (r.outcome.stale && wc.status() == WcStatus.LOC_QP_OP_ERR)
                                || (r.outcome.sourceMoved && wc.status() == WcStatus.LOC_PROT_ERR));
        if (!legal) {
            throw wrong(wc.status() + " of " + r + ", expected " + status(r));
        }
        failed = true;
    }

    @Override
    final void resumed() {
        failed = false;
    }

    @Override
    final void received(KeptCompletion wc) {
        Receive v = take(wc);
        tally.received(wc.status());
        switch (wc.status()) {
            case WR_FLUSH_ERR:
                receiveFlushed = true;
                return;
            case LOC_PROT_ERR:
                if (!v.mayBeBad()) {
                    throw wrong(wc + " of " + v);
                }
                return;
            case SUCCESS:
                break;
            default:
                throw wrong(wc + " of " + v);
        }
        if (receiveFlushed) {
            throw wrong(wc + " behind a flushed receive");
        }
        deliver(wc, v);
    }

    /** A message was received in success. */
    void deliver(KeptCompletion wc, Receive v) {
        ModelRequest r = messages.poll();
        while (r != null && !isReceived(r, wc, v)) {
            r = messages.poll(); // lost
        }
        if (r == null) {
            throw wrong(wc + " of " + v + " is nothing that was sent and not received");
        }
        if (r.verb.isWrite() && target.isPresent()) {
            checkWritten(r);
        }
    }

    private boolean isReceived(ModelRequest r, KeptCompletion wc, Receive v) {
        boolean send = r.verb.isSend();
        return wc.opcode() == (send ? WcOpcode.RECEIVE : WcOpcode.RECEIVE_WRITE_IMMEDIATE)
                && wc.length() == r.length
                && wc.hasImmediate() == r.verb.immediate
                && (!r.verb.immediate || wc.immediate() == r.immediate)
                && (!send
                        || (r.length <= v.length()
                                && Pattern.mismatch(target.host.memory().local(), v.at(), r.identity, 0, r.length)
                                        < 0));
    }

    private void checkWritten(ModelRequest r) {
        AtomicBuffer memory = target.host.memory().target();
        for (int i = 0; i < r.length; i++) {
            byte there = memory.getByte(target.slice() + r.remote + i);
            if (there != Pattern.at(r.identity, i) && !isWrittenBySome(r.remote + i, there)) {
                throw wrong("received " + r + ", but byte " + i + " of the region is " + there);
            }
        }
    }

    private boolean isWrittenBySome(int at, byte value) {
        for (ModelRequest w : writes) {
            if (at >= w.remote && at < w.remote + w.length && Pattern.at(w.identity, at - w.remote) == value) {
                return true;
            }
        }
        return false;
    }

    @Override
    void record(int qpNumber, DirectBuffer b, int offset, int length, boolean hasImmediate, int immediate) {
        ModelRequest r = records.poll();
        while (r != null
                && !(r.peerQp == qpNumber
                        && r.length == length
                        && r.verb.immediate == hasImmediate
                        && (!hasImmediate || r.immediate == immediate)
                        && Pattern.mismatch(b, offset, r.identity, 0, length) < 0)) {
            r = records.poll(); // lost
        }
        if (r == null) {
            throw wrong("record of " + length + " bytes is nothing that was appended and not taken");
        }
        tally.add(Event.RECORDS);
    }

    @Override
    final void flushed() {
        for (ModelRequest r : outstanding) {
            if (r.signaled || failed || status(r) != WcStatus.SUCCESS) {
                throw wrong("flushed, but no completion of " + r);
            }
        }
        outstanding.clear();
    }

    @Override
    void close(boolean sourceKnown, boolean targetKnown) {
        if (targetKnown) {
            AtomicBuffer memory = target.host.memory().target();
            for (int i = 0; i < SLICE; i++) {
                byte there = memory.getByte(target.slice() + i);
                if (there != model.getByte(i) && !isWrittenBySome(i, there)) {
                    throw wrong("byte " + i + " of the target's slice is " + there + ", was " + model.getByte(i)
                            + ", and no WRITE brought that");
                }
            }
        }
        messages.clear();
        writes.clear();
        failed = false;
        receiveFlushed = false;
        forgetEpoch();
    }

    @Override
    final boolean owesRecords() {
        return false;
    }

    @Override
    void forgetRecords() {
        records.clear();
    }

    /** Whether everything that was sent has come: so it must be where nothing is lost. */
    boolean isDelivered() {
        return messages.isEmpty() && records.isEmpty();
    }
}

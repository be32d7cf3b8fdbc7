package io.verbena.verification.simulate;

import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayDeque;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One direction of a connection as the model knows it: what was posted and not completed, the receives that wait for
 * it, and what the slice of the target's memory that it alone writes to must hold. What is promised is its subclasses'
 * matter.
 */
abstract class DirectionModel {
    /** Bytes of the slice that WRITEs and READs use. */
    static final int DATA = 4096;

    /** Cells of 8 bytes behind them: a counter, and a word that is swapped. */
    static final int COUNTER = DATA;

    static final int WORD = DATA + 8;
    /** Length of a slice. */
    static final int SLICE = DATA + 64;

    final PairEnd source;
    final PairEnd target;
    final WalkTally tally;
    final UnsafeBuffer model = new UnsafeBuffer(new byte[SLICE]);

    /** Posted in this epoch, not known to be complete. */
    final ArrayDeque<ModelRequest> outstanding = new ArrayDeque<>();

    /** Posted at the target, not completed. */
    final ArrayDeque<Receive> receives = new ArrayDeque<>();

    /** The source has posted something that the peer refuses. */
    boolean flawed;

    /** The target has posted a receive that not every message fits. */
    boolean trapped;

    /**
     * A posted receive, where it lies in the target's local region, and whether there are messages that it does not
     * take.
     */
    record Receive(int sequence, int at, int length, boolean bad, boolean isTrap, boolean moved) {
        static Receive of(SimulatedHost host, int sequence, int at, int length, boolean bad) {
            return new Receive(sequence, at, length, bad, bad || length < host.slot, false);
        }

        /** Its region was registered anew while it was posted: it may be bad now. */
        Receive asMoved() {
            return new Receive(sequence, at, length, bad, true, true);
        }

        boolean mayBeBad() {
            return bad || moved;
        }
    }

    DirectionModel(PairEnd source, PairEnd target, WalkTally tally) {
        this.source = source;
        this.target = target;
        this.tally = tally;
    }

    final WalkFailure wrong(String what) {
        return new WalkFailure(this + ": " + what);
    }

    /** A request was posted at the source. */
    abstract void posted(ModelRequest r);

    /** A receive was posted at the target. */
    final void posted(Receive v) {
        receives.add(v);
        trapped |= v.isTrap;
    }

    /** The receive that a completion is of. */
    final Receive take(KeptCompletion wc) {
        if (target.shares) {
            return target.host.shared().take(wc, target);
        }
        Receive v = receives.poll();
        if (v == null || v.sequence() != (int) wc.wrId()) {
            throw wrong("receive " + (int) wc.wrId() + " completed, the first posted is " + v);
        }
        return v;
    }

    /** What the word must hold when everything posted so far has been done. */
    abstract long expectedWord();

    /** A completion at the source. */
    abstract void completed(KeptCompletion wc);

    /** A completion of a receive at the target. */
    abstract void received(KeptCompletion wc);

    /** A record was taken from the target's append queue. */
    abstract void record(int qpNumber, DirectBuffer b, int offset, int length, boolean hasImmediate, int immediate);

    /** The source's queue pair has been flushed and everything polled: what made no completion was done in silence. */
    abstract void flushed();

    /**
     * Both queue pairs are gone, and nothing can change any more.
     *
     * @param sourceKnown whether every completion of the source has been seen
     * @param targetKnown whether the target's memory and completions are those of the whole epoch
     */
    abstract void close(boolean sourceKnown, boolean targetKnown);

    /** Whether something that must have come has not come yet, when nothing is lost any more. */
    abstract boolean owesRecords();

    /** The target has come up again: what was appended there is gone. */
    abstract void forgetRecords();

    /** The source's queue pair has been moved out of the state in which a send error left it. */
    void resumed() {}

    /** Whether the peer has been given cause to refuse something and go to ERR. */
    final boolean isFlawed() {
        return flawed || trapped;
    }

    /** The source's local region was registered anew: requests under way may find their message gone. */
    final void sourceMoved() {
        for (ModelRequest r : outstanding) {
            r.outcome.sourceMoved = true;
        }
    }

    /** The target's local region was registered anew: receives that are posted may be bad now. */
    final void receivesMoved() {
        for (int i = receives.size(); i > 0; i--) {
            posted(receives.remove().asMoved());
        }
    }

    /** The target's region for remote access was registered anew: requests under way may be refused. */
    void targetMoved() {
        outstanding.forEach(this::targetMoved);
    }

    /** The same, of one request that may be under way. */
    final void targetMoved(ModelRequest r) {
        r.outcome.targetMoved = true;
        flawed = true;
    }

    /** The target's memory as it is now is where the model starts from. */
    final void begin() {
        model.putBytes(0, target.host.memory().target(), target.slice(), SLICE);
        trapped = target.shares && target.host.shared().isTrapped();
    }

    final void forgetEpoch() {
        outstanding.clear();
        receives.clear();
        flawed = false;
        trapped = false;
    }

    /** Whether every request that makes a completion has made it. */
    final boolean isQuiet() {
        for (ModelRequest r : outstanding) {
            if (r.signaled) {
                return false;
            }
        }
        return true;
    }

    @Override
    public final String toString() {
        return source.host.name() + '>' + target.host.name() + " qp " + source.number() + '>' + target.number();
    }
}

package io.verbena.verification.simulate;

import io.verbena.nic.verbs.WcStatus;
import io.verbena.verification.walk.Pattern;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/** A request as the model knows it: what was asked for, and what became of it. */
final class ModelRequest {
    final PostedVerb verb;
    final RequestFlaw flaw;
    final int sequence;
    /** Number of the peer's queue pair. */
    final int peerQp;

    final long identity;
    int length;
    /** Bytes of the first scatter/gather entry, which lies behind the rest; 0: one entry. */
    int split;
    /** Where in the slot of the requester's memory. */
    int local;
    /** Where in the channel's slice of the peer's memory. */
    int remote;
    /** A cell that all channels share. */
    boolean shared;

    /** Reached through the peer's window. */
    boolean window;

    final Binding binding = new Binding();
    final Outcome outcome = new Outcome();
    int immediate;
    long operand;
    long compare;
    boolean signaled;
    boolean fenced;
    boolean inline;

    /** What a request does to a memory window. */
    static final class Binding {
        /** Key of the window that it binds or makes void. */
        int key;
        /** Key that the window had before. */
        int formerKey;
        /** Binds the window to nothing. */
        boolean unbinds;
    }

    /** What has become of a request. */
    static final class Outcome {
        /** Its address handle was closed while it was outstanding. */
        boolean stale;
        /** The region that its message is in was registered anew while it was outstanding. */
        boolean sourceMoved;
        /** So was the peer's region that it concerns. */
        boolean targetMoved;
        /** How often it has arrived, as a datagram. */
        int arrivals;
        /** How it ended, as far as a completion has told. */
        @Nullable
        WcStatus status;
        /** How the receive ended that it consumed. */
        @Nullable
        WcStatus receiver;
        /** Whether its record was taken from the append queue. */
        boolean seen;
        /** Whether nobody will say more about it: its epoch is over. */
        boolean closed;
    }

    ModelRequest(PostedVerb verb, RequestFlaw flaw, int sequence, int peerQp, long identity) {
        this.verb = verb;
        this.flaw = flaw;
        this.sequence = sequence;
        this.peerQp = peerQp;
        this.identity = identity;
    }

    /** Where byte {@code index} of the message lies in its slot. */
    int position(int index) {
        return index < split ? length - split + index : index - split;
    }

    /** Puts the message where its entries say. */
    void fillSource(MutableDirectBuffer b, int slot) {
        Pattern.fill(b, slot + length - split, identity, 0, split);
        Pattern.fill(b, slot, identity, split, length - split);
    }

    /** Index of the first byte of the source that is not the message's any more, or -1. */
    int damagedSource(AtomicBuffer b, int slot) {
        int at = Pattern.mismatch(b, slot + length - split, identity, 0, split);
        return at >= 0 ? at : Pattern.mismatch(b, slot, identity, split, length - split);
    }

    boolean succeeds() {
        return !flaw.fails();
    }

    /**
     * A READ or atomic whose own entries are bad: the peer does it, and what comes behind it, before that is found out.
     */
    boolean isRefusedLate() {
        return verb.reads() && (flaw == RequestFlaw.LOCAL_KEY || flaw == RequestFlaw.LOCAL_RANGE);
    }

    boolean isDone() {
        return outcome.status == WcStatus.SUCCESS;
    }

    @Override
    public String toString() {
        return verb + (flaw == RequestFlaw.NONE ? "" : "(" + flaw + ")") + " #" + sequence + " len=" + length
                + (verb.isWrite() || verb.reads() ? " at=" + remote + (shared ? " shared" : "") : "")
                + (window ? " window" : "") + (signaled ? "" : " unsignaled") + (fenced ? " fenced" : "")
                + (inline ? " inline" : "")
                + (outcome.status == null ? "" : " " + outcome.status);
    }
}

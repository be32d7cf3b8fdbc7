package io.verbena.nic.transport;

import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.DethFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import org.agrona.DirectBuffer;

/**
 * The receiving half of an unreliable connection, and of datagrams: nothing is answered. A message with a gap, without
 * a receive request, too long for it, or under a key that does not hold is dropped as a whole, and counted; the receive
 * request it had taken is there for the next. A receive request that is itself bad ends in its error and stops the
 * queue pair.
 *
 * <p>Pure state: used under the engine's baton.
 */
final class UnreliableResponder extends QpResponder {
    /**
     * A packet of a connection that is behind by fewer is a copy, or was overtaken. One that is further behind is of a
     * sender that has gone on for long while nothing arrived: PSNs wrap around.
     */
    private static final int LATE = 1 << 16;

    private final boolean datagrams;
    private int expectedPsn;

    UnreliableResponder(QpContext qp, TransportServices services) {
        super(qp, services);
        this.datagrams = qp.type() == QpType.UD;
    }

    @Override
    void reset(int receivePsn) {
        super.reset(receivePsn);
        expectedPsn = receivePsn & Psn.MASK;
    }

    @Override
    public void onRequest(long sourceNic, Opcode opcode, DirectBuffer b, int at, int length, int headers) {
        if (!qp.state().receives()) {
            return;
        }
        if (datagrams
                && DethFlyweight.qkey(b, at + opcode.dethOffset())
                        != qp.connection().qkey()) {
            services.count(NicCounter.QKEY_VIOLATIONS);
            return;
        }
        communicationEstablished();
        int psn = BthFlyweight.psn(b, at);
        int ahead = datagrams ? 0 : Psn.diff(psn, expectedPsn);
        if (ahead < 0 && ahead >= -LATE) {
            services.count(NicCounter.PACKETS_DROPPED); // a copy, or overtaken: what came in between came first
            return;
        }
        boolean gap = ahead != 0;
        expectedPsn = Psn.next(psn);
        if (gap || opcode.startsMessage()) {
            interrupt();
        }
        int payload = length - headers;
        if (!opcode.mayFollow(previous)
                || (!datagrams && (payload > qp.pathMtu() || (!opcode.endsMessage() && payload != qp.pathMtu())))) {
            drop();
            return;
        }
        int result = execute(sourceNic, opcode, b, at, payload, headers);
        if (result == DONE) {
            previous = opcode.endsMessage() ? null : opcode;
        } else if (result == AethSyndrome.REMOTE_OPERATIONAL_ERROR && opcode.family() != Opcode.Family.APPEND) {
            qp.error();
        } else {
            drop();
        }
    }

    /** The message under way, if there is one, will not be finished. */
    private void interrupt() {
        if (previous != null) {
            drop();
        }
    }

    private void drop() {
        services.count(NicCounter.PACKETS_DROPPED);
        previous = null; // the rest of its packets follow nothing, and are dropped too
        append.abandon();
    }

    @Override
    int tooLong() {
        return AethSyndrome.INVALID_REQUEST;
    }

    @Override
    void badWriteImmediate() {
        // Its receive request stays where it is.
    }

    @Override
    void badInvalidate() {
        // Its receive request is there for the next message.
    }
}

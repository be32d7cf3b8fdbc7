package io.verbena.nic.transport;

import io.verbena.nic.memory.OwnMemory;
import io.verbena.nic.port.Link;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;

/**
 * Two queue pairs joined back to back, in a time that the test moves: nothing happens but in {@link #settle} and {@link
 * #advance}, and all of it in the same order each time.
 */
final class TransportPair {
    static final long NIC_A = 0xA0;
    static final long NIC_B = 0xB0;
    static final int QP_A = 3;
    static final int QP_B = 5;
    static final int PSN_A = 100; // the first that A sends
    static final int PSN_B = 200;
    static final int MTU = 256;
    static final int MAX_RD_ATOMIC = 4;
    static final int TIMEOUT_CODE = 10;
    static final long TIMEOUT = 4096L << TIMEOUT_CODE;
    static final int RNR_CODE = 12;
    static final long RNR_DELAY = 640_000;

    private static final int MAX_TURNS = 10_000;

    long now = 5_000_000_000L;
    final FakeNic a = new FakeNic(NIC_A, () -> now);
    final FakeNic b = new FakeNic(NIC_B, () -> now);
    FakeLink ab;
    FakeLink ba;
    final QpContext qpA;
    final QpContext qpB;

    /** Reliable connections in RTS. */
    TransportPair() {
        this(QpType.RC, PSN_A, MTU);
    }

    TransportPair(QpType type) {
        this(type, PSN_A, MTU);
    }

    TransportPair(QpType type, int psnA, int mtu) {
        this(type, psnA, mtu, false);
    }

    private TransportPair(QpType type, int psnA, int mtu, boolean slices) {
        join(false);
        a.slices = slices;
        qpA = a.newQueuePair(type, QP_A);
        qpB = b.newQueuePair(type, QP_B);
        connect(psnA, mtu);
    }

    /** The peer's memory is mapped. */
    static TransportPair direct() {
        TransportPair pair = new TransportPair();
        pair.join(true);
        return pair;
    }

    /** A cuts messages to what a visit may send. */
    static TransportPair slicing() {
        return new TransportPair(QpType.RC, PSN_A, MTU, true);
    }

    /** A new link takes the place of the one before; what was on the way is lost. */
    void join(boolean mapped) {
        ab = new FakeLink(NIC_B, () -> now);
        ba = new FakeLink(NIC_A, () -> now);
        if (mapped) {
            ab.peerMemory = new OwnMemory(b.memory);
            ba.peerMemory = new OwnMemory(a.memory);
        }
        attach(a, NIC_B, ab);
        attach(b, NIC_A, ba);
    }

    private static void attach(FakeNic nic, long peer, FakeLink link) {
        nic.path(peer).attach(link);
        nic.queuePairs.values().forEach(qp -> qp.requester().linkReplaced());
    }

    /** Both ends see the link go down. */
    void cut() {
        ab.state = Link.State.DOWN;
        ba.state = Link.State.DOWN;
        ab.lose();
        ba.lose();
        a.path(NIC_B).detach();
        b.path(NIC_A).detach();
    }

    /** Connects both ends, which are in INIT, and moves them to RTS. */
    void connect(int psnA, int mtu) {
        connect(a, qpA, NIC_B, QP_B, mtu, PSN_B, psnA);
        connect(b, qpB, NIC_A, QP_A, mtu, psnA, PSN_B);
    }

    static void connect(FakeNic nic, QpContext qp, long peerNic, int peerQp, int mtu, int receives, int sends) {
        if (qp.type() == QpType.UD) {
            qp.receiveDatagrams();
        } else {
            qp.connect(nic.path(peerNic), peerQp, mtu, receives, MAX_RD_ATOMIC);
        }
        qp.state(QpState.RTR);
        qp.startSending(sends);
        qp.state(QpState.RTS);
    }

    /** Posts at A and lets both ends go on until nothing is left but timers. */
    void run(Wr... requests) {
        a.post(qpA, requests);
        settle();
    }

    /** Both ends go on, at the same time, until nothing is left but timers. */
    void settle() {
        for (int i = 0; i < MAX_TURNS; i++) {
            boolean did = deliver(ab, b, NIC_A);
            did |= deliver(ba, a, NIC_B);
            did |= a.turn();
            did |= b.turn();
            if (!did) {
                return;
            }
        }
        throw new AssertionError("never at rest");
    }

    private static boolean deliver(FakeLink link, FakeNic to, long from) {
        boolean some = false;
        for (Packet packet = link.take(); packet != null; packet = link.take()) {
            to.arrive(from, packet);
            some = true;
        }
        return some;
    }

    /** What A has sent arrives at B, and nothing else happens. */
    void deliverToB() {
        deliver(ab, b, NIC_A);
    }

    void deliverToA() {
        deliver(ba, a, NIC_B);
    }

    /** Time passes; timers go off when they are due. */
    void advance(long nanos) {
        long end = now + nanos;
        settle();
        for (int i = 0; Math.min(a.nextTimer(), b.nextTimer()) <= end; i++) {
            if (i > MAX_TURNS) {
                throw new AssertionError("timers without end");
            }
            now = Math.max(now, Math.min(a.nextTimer(), b.nextTimer()));
            a.expire();
            b.expire();
            settle();
        }
        now = end;
        settle();
    }

    /** The requester of A, whose fields tests may look at. */
    ReliableRequester requester() {
        return (ReliableRequester) qpA.requester();
    }
}

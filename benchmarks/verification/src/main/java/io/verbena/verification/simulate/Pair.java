package io.verbena.verification.simulate;

import io.verbena.nic.AddressHandle;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.verification.simulate.WalkTally.Event;
import io.verbena.verification.walk.WalkFailure;
import org.jspecify.annotations.Nullable;

/** Two queue pairs that are connected, torn down and connected anew: an epoch each time. */
final class Pair {
    static final int MAX_INLINE = 64;
    static final int MAX_SGE = 3;
    private static final int[] MTUS = {256, 512, 1024, 2048, 4096};

    final PairEnd a;
    final PairEnd b;
    private final Wire wire;
    private final WalkTally tally;

    final QpType type;

    /** RC; else UC or UD. */
    final boolean reliable;

    final int mtu;
    final int timeout;
    final int retries;
    final int rnrRetry;
    private final int rnrTimer;
    final int maxRdAtomic;
    final int accessA;
    final int accessB;

    private boolean connected;
    private long epochStart;

    Pair(SimulatedHost hostA, SimulatedHost hostB, Wire wire, SimRandom random, WalkTally tally) {
        this.wire = wire;
        this.tally = tally;
        int transport = random.nextInt(10);
        type = transport < 6 ? QpType.RC : transport < 8 ? QpType.UC : QpType.UD;
        reliable = type == QpType.RC;
        a = new PairEnd(hostA, this, hostA.ends(), type != QpType.UC && random.nextInt(5) < 2);
        hostA.addEnd(a);
        b = new PairEnd(hostB, this, hostB.ends(), type != QpType.UC && random.nextInt(5) < 2);
        hostB.addEnd(b);
        DirectionModel forth = channel(a, b);
        DirectionModel back = channel(b, a);
        a.out = forth;
        a.in = back;
        b.out = back;
        b.in = forth;
        mtu = MTUS[random.nextInt(MTUS.length)];
        timeout = 5 + random.nextInt(2);
        retries = random.nextInt(3) == 0 ? 3 : 7;
        rnrRetry = random.nextInt(3) == 0 ? 2 : 7;
        rnrTimer = 1 + random.nextInt(4);
        maxRdAtomic = 1 + random.nextInt(16);
        accessA = access(random);
        accessB = access(random);
    }

    private DirectionModel channel(PairEnd source, PairEnd target) {
        switch (type) {
            case RC:
                return new ReliableChannel(source, target, tally);
            case UC:
                return new UnreliableChannel(source, target, tally);
            default:
                return new DatagramChannel(source, target, tally);
        }
    }

    /** Whether the transport has a verb. */
    boolean offers(PostedVerb verb) {
        switch (type) {
            case RC:
                return true;
            case UC:
                return !verb.reads();
            default:
                return verb.isAppend() || (verb.isSend() && verb != PostedVerb.SEND_INVALIDATE);
        }
    }

    private static int access(SimRandom random) {
        int all = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
        switch (random.nextInt(12)) {
            case 0:
                return all & ~Access.REMOTE_READ;
            case 1:
                return all & ~Access.REMOTE_ATOMIC;
            case 2:
                return all & ~Access.REMOTE_WRITE;
            default:
                return all;
        }
    }

    /** What the peer may do at an end. */
    int accessAt(PairEnd end) {
        return end == a ? accessA : accessB;
    }

    PairEnd peer(PairEnd end) {
        return end == a ? b : a;
    }

    Wire wire() {
        return wire;
    }

    /** How long a request goes on without an answer, in nanoseconds, at least. */
    long budgetNanos() {
        return (4096L << timeout) * (retries + 1);
    }

    boolean isConnected() {
        return connected;
    }

    boolean isBroken() {
        return !connected || a.isInError() || b.isInError() || !a.isPresent() || !b.isPresent();
    }

    /** Whether what flushes without an error of its own may be the peer's death. */
    boolean isTorn() {
        return wire.wasDead(epochStart);
    }

    /** Whether a request may have met silence for as long as its retries last. */
    boolean isRetryExcused(DirectionModel channel) {
        return wire.isLossy()
                || wire.wasOut(epochStart)
                || channel.target.forced
                || !channel.target.isPresent()
                || channel.target.isInError();
    }

    /** Makes two queue pairs and connects them. Both hosts are alive. */
    void connect(SimRandom random, long now) {
        QueuePair qpA = create(a);
        QueuePair qpB = create(b);
        if (qpA == null || qpB == null) {
            abandon(a, qpA); // one host has died in it
            abandon(b, qpB);
            return;
        }
        int psnA = random.nextInt(1 << 24);
        int psnB = random.nextInt(1 << 24);
        epochStart = now;
        a.attach(qpA);
        b.attach(qpB);
        a.host.know(qpA.number(), a.outgoing(), a.incoming());
        b.host.know(qpB.number(), b.outgoing(), b.incoming());
        a.outgoing().begin();
        b.outgoing().begin();
        connected = true;
        tally.add(Event.CONNECTIONS);
        if (type == QpType.UD) {
            activate(a, qpA, random);
            activate(b, qpB, random);
            return;
        }
        a.host.node.act(() -> qpA.connect(b.host.node.nicId(), qpB.number(), attributes(accessA, psnA, psnB)));
        b.host.node.act(() -> qpB.connect(a.host.node.nicId(), qpA.number(), attributes(accessB, psnB, psnA)));
    }

    private static void abandon(PairEnd end, @Nullable QueuePair qp) {
        if (qp != null && end.host.isAlive()) {
            end.host.node.unwatch(qp);
            end.host.node.act(qp::close);
        }
    }

    private static void activate(PairEnd end, QueuePair qp, SimRandom random) {
        end.qkey = random.nextInt(Integer.MAX_VALUE);
        end.host.node.act(() -> {
            end.openHandles();
            qp.activate(end.qkey);
        });
    }

    private static @Nullable QueuePair create(PairEnd end) {
        if (!end.host.isAlive()) {
            return null;
        }
        QueuePair[] made = new QueuePair[1];
        QueuePairAttributes attributes = new QueuePairAttributes();
        if (end.shares) {
            attributes.sharedReceiveQueue(end.host.shared().queue());
        }
        boolean alive = end.host.node.act(() -> made[0] = end.host
                .memory()
                .pd()
                .createQueuePair(attributes
                        .sendQueue(end.host.sends())
                        .receiveQueue(end.host.receives())
                        .maxSend(PairEnd.SLOTS)
                        .maxReceive(PairEnd.SLOTS)
                        .maxSge(MAX_SGE)
                        .maxInline(MAX_INLINE)
                        .type(end.pair.type)));
        if (!alive) {
            return null;
        }
        end.host.node.watch(made[0]);
        return made[0];
    }

    private ConnectAttributes attributes(int access, int sendPsn, int receivePsn) {
        return new ConnectAttributes()
                .access(access)
                .pathMtu(mtu)
                .sendPsn(sendPsn)
                .receivePsn(receivePsn)
                .timeout(timeout)
                .retryCount(retries)
                .rnrRetry(rnrRetry)
                .minRnrTimer(rnrTimer)
                .maxRdAtomic(maxRdAtomic);
    }

    /**
     * Ends the epoch: what is outstanding is flushed (or vanishes, if the queue pairs are reset instead), everything is
     * polled, the queue pairs are destroyed, and the model is asked whether all that can have been so.
     *
     * @param flush through ERR, so that everything posted has its completion
     */
    void disconnect(boolean flush) {
        if (!connected) {
            return;
        }
        boolean knownA = end(a, flush);
        boolean knownB = end(b, flush);
        connected = false;
        a.outgoing().close(knownA && flush, b.isPresent());
        b.outgoing().close(knownB && flush, a.isPresent());
    }

    /** Ends one queue pair. Says whether all its completions are known. */
    private boolean end(PairEnd end, boolean flush) {
        QueuePair qp = end.qp;
        end.qp = null;
        if (qp == null || !end.isPresent()) {
            return false;
        }
        end.forced = true;
        SimulatedHost host = end.host;
        boolean alive = host.node.act(() -> {
            if (flush) {
                qp.modify(new io.verbena.nic.QpAttributes().state(QpState.ERR));
            } else {
                qp.modify(new io.verbena.nic.QpAttributes().state(QpState.RESET));
            }
        });
        host.drain();
        if (!alive || !host.isAlive()) {
            return false;
        }
        if (flush) {
            end.outgoing().flushed();
        }
        if (flush && !end.incoming().receives.isEmpty()) {
            throw new WalkFailure(end.incoming() + ": flushed, but without completion: " + end.incoming().receives);
        }
        if (end.shares && flush && end.lastWqe != 1) {
            throw new WalkFailure(end + ": LAST_WQE_REACHED was raised " + end.lastWqe + " times");
        }
        if (end.shares && !flush) {
            host.shared().reset();
        }
        host.node.look();
        host.node.unwatch(qp);
        qp.close();
        AddressHandle handle = end.handle;
        if (handle != null) {
            end.handle = null;
            handle.close();
        }
        MemoryWindow window = end.window.memoryWindow;
        if (window != null) {
            end.window.memoryWindow = null;
            host.memory().pd().deallocate(window);
        }
        return true;
    }

    @Override
    public String toString() {
        return a + " - " + b;
    }
}

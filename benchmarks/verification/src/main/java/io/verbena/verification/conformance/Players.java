package io.verbena.verification.conformance;

import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.NicContext;
import io.verbena.nic.QueuePair;
import io.verbena.nic.port.Link;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.Simulation;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Two NICs on a fabric with a connected queue pair, in two lines:
 *
 * <pre>
 *   Players p = Players.connected(fabric);
 *   p.a.qp.postSend(p.a.request.write(p.b.key(), 0).local(p.a.key(), 0, 100));
 * </pre>
 *
 * <p>One thread drives both. Time is virtual: it goes on when neither player has work and no packet is under way, to
 * the next timer or {@link #after action}. What a fabric itself needs of real time is bounded by 20 s.
 */
final class Players implements AutoCloseable {
    static final int MTU = 1024;
    static final long MICRO = 1_000L;
    static final long MILLI = 1_000 * MICRO;
    static final long SECOND = 1_000 * MILLI;

    private static final long REAL_BOUND = TimeUnit.SECONDS.toNanos(20);
    private static final int TRACE_LINES = 512;
    private static final AtomicLong IDENTITIES =
            new AtomicLong((ProcessHandle.current().pid() << 24 | 0xA) << 8);

    final Fabric fabric;
    final Simulation simulation = new Simulation(1, TRACE_LINES);
    final TestNic a;
    final TestNic b;
    /** What a sends and b receives. */
    final Way toB = new Way(simulation);
    /** What b sends and a receives. */
    final Way toA = new Way(simulation);

    private final Wiring wiring;
    private final @Nullable WirePeer peer;
    private @Nullable BooleanSupplier awaited;
    private boolean killed;

    private Players(Fabric fabric, boolean byHand) {
        this.fabric = fabric;
        wiring = Wiring.of(fabric, simulation);
        boolean hides = !fabric.direct || byHand;
        long id = IDENTITIES.addAndGet(2);
        a = new TestNic(simulation, "a", wiring.configure(0, id, context(id)), toB, toA, hides);
        b = new TestNic(simulation, "b", wiring.configure(1, id + 1, context(id + 1)), toA, toB, hides);
        simulation.add("wires", new Wires());
        if (byHand) {
            a.pause();
            WirePeer made = new WirePeer(a.nic.engine(0).endpoint(), toB, toA, b.qp.number());
            simulation.add("peer", made);
            wiring.connect(made.endpoint(), b.endpoint());
            await(() -> made.isLinked() && b.isLinked());
            peer = made;
        } else {
            peer = null;
            wiring.connect(a.endpoint(), b.endpoint());
            await(() -> a.isLinked() && b.isLinked());
        }
    }

    private static NicContext context(long id) {
        return new NicContext().id(id).acknowledgeTimeoutNanos(20 * MILLI);
    }

    /** Two NICs and a link; the queue pairs are in RESET. */
    static Players linked(Fabric fabric) {
        return new Players(fabric, false);
    }

    /** Two NICs and a connected pair. */
    static Players connected(Fabric fabric) {
        return connected(fabric, attributes());
    }

    /** Two NICs and a connected pair with these attributes. */
    static Players connected(Fabric fabric, ConnectAttributes attributes) {
        Players players = new Players(fabric, false);
        players.connect(players.a.qp, players.b.qp, attributes);
        return players;
    }

    /**
     * A NIC, the second player's, in front of a peer that speaks the wire by hand. The queue pair is connected to it,
     * with PSNs from {@link WirePeer#FIRST_PSN} in both directions.
     */
    static Players byHand(Fabric fabric, ConnectAttributes attributes) {
        Players players = new Players(fabric, true);
        players.b.qp.connect(
                players.a.nic.id(),
                WirePeer.QP,
                attributes.sendPsn(WirePeer.FIRST_PSN).receivePsn(WirePeer.FIRST_PSN));
        return players;
    }

    /** The peer that speaks by hand. */
    WirePeer peer() {
        WirePeer made = peer;
        if (made == null) {
            throw new IllegalStateException("both players have a NIC");
        }
        return made;
    }

    /** What the tests connect with: small packets, an acknowledgement timeout of 131 us, all else the defaults. */
    static ConnectAttributes attributes() {
        return new ConnectAttributes()
                .pathMtu(MTU)
                .timeout(5)
                .sendPsn(0xFF_FFF0)
                .receivePsn(0xFF_FFF0)
                .minRnrTimer(1);
    }

    void connect(QueuePair qpA, QueuePair qpB, ConnectAttributes attributes) {
        qpA.connect(b.nic.id(), qpB.number(), attributes);
        qpB.connect(a.nic.id(), qpA.number(), attributes);
    }

    // ---- time --------------------------------------------------------------------------------------------------

    long now() {
        return simulation.nowNanos();
    }

    /** Lets something happen later. */
    void after(long nanos, Runnable action) {
        simulation.after(nanos, action);
    }

    /** Runs until a condition holds, for 60 s of virtual time at most. */
    void until(BooleanSupplier condition) {
        simulation.runUntil(condition, 60 * SECOND);
    }

    /** Runs until the first player has so many send completions. */
    void untilSent(int completions) {
        until(() -> a.sends.size() >= completions);
    }

    /** Runs for a span of virtual time. */
    void runFor(long nanos) {
        simulation.runFor(nanos);
    }

    /** Runs on, long enough for anything that is under way to arrive. */
    void settle() {
        runFor(20 * MILLI);
    }

    /** Runs until a fabric has done what takes real time, with virtual time standing still where it can. */
    void await(BooleanSupplier condition) {
        if (fabric.isSimulated()) {
            until(condition);
            return;
        }
        awaited = condition;
        until(() -> awaited == null);
    }

    // ---- faults ------------------------------------------------------------------------------------------------

    /** Whether a link can break and another one come in its place. */
    boolean canBreak() {
        return wiring.canBreak();
    }

    /** Loses everything in both directions, silently. */
    void cut() {
        toA.cut(true);
        toB.cut(true);
    }

    /** Ends a {@link #cut}. */
    void heal() {
        toA.cut(false);
        toB.cut(false);
    }

    /** Breaks the link: both ends are down, and stay so until {@link #reconnect}. */
    void breakLink() {
        a.gate().close();
        b.gate().close();
        Tap endA = end(a);
        Tap endB = end(b);
        wiring.breakLink(endB.inner());
        await(() -> endA.state() != Link.State.UP && endB.state() != Link.State.UP);
    }

    /** Brings the link back. */
    void reconnect() {
        wiring.reconnect();
        await(() -> a.gate().hasWaitingLink() && b.gate().hasWaitingLink());
        a.gate().open();
        b.gate().open();
    }

    /** The second player's process dies. */
    void killB() {
        Tap endA = end(a);
        b.pause();
        killed = true;
        wiring.kill(1);
        await(() -> {
            wiring.drive(1);
            return endA.state() != Link.State.UP;
        });
    }

    /** Links the first player's NIC to itself. */
    void loopback() {
        wiring.loopback(a.nic.engine(0).endpoint());
    }

    private static Tap end(TestNic player) {
        Tap tap = player.tap();
        if (tap == null) {
            throw new IllegalStateException(player.name + " has no link");
        }
        return tap;
    }

    @Override
    public void close() {
        wiring.close();
        a.close();
        b.close();
    }

    /** Holds time while a packet is under way on a real fabric, or something is awaited of it. */
    private final class Wires implements Actor {
        private static final int SPINS = 200;
        private static final long NAP = 20_000;

        private long since = System.nanoTime();
        private int idle;
        private int known;

        @Override
        public int step() {
            BooleanSupplier condition = awaited;
            boolean waits = condition != null;
            if (condition != null && condition.getAsBoolean()) {
                awaited = null;
                waits = false;
            }
            Tap endA = peer == null ? a.tap() : peer.tap();
            Tap endB = b.tap();
            boolean stands = peer == null ? a.isPaused() : peer.isPaused();
            int underWay = fabric.isSimulated() ? 0 : underWay(endA, endB, b.isPaused()) + underWay(endB, endA, stands);
            if (!waits && underWay == 0) {
                idle = 0;
                return 0;
            }
            int moved = toA.arrived + toB.arrived;
            if (idle++ == 0 || moved != known) {
                since = System.nanoTime();
                known = moved;
                idle = 1;
            } else if (System.nanoTime() - since > REAL_BOUND) {
                awaited = null;
                throw new AssertionError(
                        waits
                                ? "what was awaited of the fabric did not come within 20 s"
                                : underWay + " packets under way have not arrived within 20 s");
            }
            if (idle > SPINS) {
                LockSupport.parkNanos(NAP);
            }
            return 1;
        }

        private int underWay(@Nullable Tap out, @Nullable Tap in, boolean paused) {
            if (out == null
                    || in == null
                    || killed
                    || paused
                    || out.state() != Link.State.UP
                    || in.state() != Link.State.UP) {
                return 0;
            }
            return out.sent - in.arrived;
        }
    }
}

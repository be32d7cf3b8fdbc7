package io.verbena.nic.conformance;

import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimConnection;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.Simulation;
import java.util.function.BooleanSupplier;

/**
 * Two NICs on a simulated link with a connected queue pair, in two lines:
 *
 * <pre>
 *   Players p = Players.connected(seed);
 *   p.a.qp.postSend(p.a.request.write(p.b.key(), 0).local(p.a.key(), 0, 100));
 * </pre>
 */
final class Players implements AutoCloseable {
    static final long A = 0xA0;
    static final long B = 0xB0;
    static final int MTU = 1024;
    static final long MILLI = 1_000_000L;
    static final long SECOND = 1_000 * MILLI;

    final Simulation simulation;
    final SimFabric fabric;
    final Player a;
    final Player b;
    final SimConnection link;

    private Players(long seed, LinkProfile profile) {
        simulation = new Simulation(seed, 2048);
        fabric = new SimFabric(simulation);
        a = new Player(simulation, "a", A);
        b = new Player(simulation, "b", B);
        link = fabric.connect(a.nic.engine(0).endpoint(), b.nic.engine(0).endpoint(), profile);
    }

    static Players linked(long seed, LinkProfile profile) {
        return new Players(seed, profile);
    }

    static Players connected(long seed) {
        return connected(seed, new LinkProfile(), attributes());
    }

    static Players connected(long seed, LinkProfile profile) {
        return connected(seed, profile, attributes());
    }

    static Players connected(long seed, ConnectAttributes attributes) {
        return connected(seed, new LinkProfile(), attributes);
    }

    static Players connected(long seed, LinkProfile profile, ConnectAttributes attributes) {
        Players players = new Players(seed, profile);
        players.connect(players.a.qp, players.b.qp, attributes);
        return players;
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
        qpA.connect(B, qpB.number(), attributes);
        qpB.connect(A, qpA.number(), attributes);
    }

    void until(BooleanSupplier condition) {
        simulation.runUntil(condition, 60 * SECOND);
    }

    /** Runs until the first player has so many send completions. */
    void untilSent(int completions) {
        until(() -> a.sends.size() >= completions);
    }

    /** Runs on, long enough for anything that is under way to arrive. */
    void settle() {
        simulation.runFor(20 * MILLI);
    }

    @Override
    public void close() {
        a.close();
        b.close();
    }
}

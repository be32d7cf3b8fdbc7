package io.verbena.verification.conformance;

import io.verbena.nic.NicContext;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimConnection;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimWaiter;
import io.verbena.nic.sim.Simulation;
import org.jspecify.annotations.Nullable;

/** Virtual links: each packet takes 100 Gb/s and a delay. */
final class SimulatedWiring extends Wiring {
    private final SimFabric fabric;
    private final boolean direct;
    private @Nullable SimConnection connection;

    SimulatedWiring(Simulation simulation, boolean direct) {
        this.fabric = new SimFabric(simulation);
        this.direct = direct;
    }

    @Override
    NicContext configure(int side, long nicId, NicContext context) {
        return context.waiters(new SimWaiter());
    }

    @Override
    void connect(LinkEndpoint a, LinkEndpoint b) {
        connection = fabric.connect(a, b, new LinkProfile().direct(direct));
    }

    @Override
    void loopback(LinkEndpoint both) {
        fabric.connect(both, both, new LinkProfile());
    }

    @Override
    boolean canBreak() {
        return true;
    }

    @Override
    void breakLink(Link endB) {
        made().breakLink();
    }

    @Override
    void reconnect() {
        made().reconnect();
    }

    @Override
    void kill(int side) {
        if (side == 0) {
            made().killA();
        } else {
            made().killB();
        }
    }

    private SimConnection made() {
        SimConnection made = connection;
        if (made == null) {
            throw new IllegalStateException("not connected");
        }
        return made;
    }
}

package io.verbena.verification.conformance;

import io.verbena.fabric.shm.LocalFabric;
import io.verbena.nic.NicContext;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.LinkListener;
import io.verbena.nic.sim.Simulation;
import java.util.ArrayList;
import java.util.List;

/**
 * How two NICs of a test are linked on a fabric. Sides are 0 and 1. A wiring configures both NICs' contexts before they
 * are opened, and is closed before them.
 */
abstract class Wiring implements AutoCloseable {
    static Wiring of(Fabric fabric, Simulation simulation) {
        switch (fabric) {
            case SIMULATED:
            case SIMULATED_DIRECT:
                return new SimulatedWiring(simulation, fabric.direct);
            case SHARED_MEMORY:
            case SHARED_MEMORY_RINGS:
                return new SharedMemoryWiring();
            case IN_PROCESS:
                return new InProcessWiring();
            default:
                return new SocketWiring(fabric == Fabric.NETTY_UDS);
        }
    }

    /** Prepares the context that a side's NIC is opened with. */
    NicContext configure(int side, long nicId, NicContext context) {
        return context;
    }

    /** Links the two; their listeners hear of it at once or while they are driven. */
    abstract void connect(LinkEndpoint a, LinkEndpoint b);

    /** Links a NIC to itself. */
    void loopback(LinkEndpoint both) {
        LocalFabric.connect(both, both);
    }

    /** Runs what the fabric has to do for a side whose engine is not driven. */
    void drive(int side) {}

    /** Whether a link can break and another one come in its place. */
    boolean canBreak() {
        return false;
    }

    /** Breaks the link, of which the second player's end is given. */
    void breakLink(Link endB) {
        endB.close();
    }

    /** Brings up a new link, where the fabric does not do so by itself. */
    void reconnect() {}

    /** Ends a side as the death of its process does: no goodbye. */
    abstract void kill(int side);

    @Override
    public void close() {}

    /** Rings in the memory of this process. */
    private static final class InProcessWiring extends Wiring {
        private final List<Link> ends = new ArrayList<>();

        @Override
        void connect(LinkEndpoint a, LinkEndpoint b) {
            LocalFabric.connect(a, keeping(b));
        }

        private LinkEndpoint keeping(LinkEndpoint end) {
            LinkListener listener = new LinkListener() {
                @Override
                public void onLink(Link link) {
                    ends.add(link);
                    end.listener().onLink(link);
                }

                @Override
                public void onRejected(String remote, String reason) {
                    end.listener().onRejected(remote, reason);
                }
            };
            return new LinkEndpoint(end.nicId(), end.engine(), end.waiter(), end.memory(), listener);
        }

        @Override
        void kill(int side) {
            ends.forEach(Link::close);
        }
    }
}

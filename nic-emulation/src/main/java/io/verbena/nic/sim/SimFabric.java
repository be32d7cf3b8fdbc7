package io.verbena.nic.sim;

import io.verbena.nic.port.LinkEndpoint;

/** Brings up simulated links between endpoints. Not thread-safe. */
public final class SimFabric {
    private final Simulation simulation;

    /**
     * Creates a fabric.
     *
     * @param simulation whose time and chance it uses
     */
    public SimFabric(Simulation simulation) {
        this.simulation = simulation;
    }

    /**
     * Links two endpoints, with the same profile in both directions. Both listeners are told before this returns.
     *
     * @param a the first endpoint
     * @param b the second; may be the first
     * @param profile copied for each direction
     */
    public SimConnection connect(LinkEndpoint a, LinkEndpoint b, LinkProfile profile) {
        return connect("a", a, "b", b, profile, profile);
    }

    /**
     * Links two endpoints.
     *
     * @param nameA the first's name in the trace
     * @param a the first endpoint
     * @param nameB the second's name in the trace
     * @param b the second endpoint; may be the first
     * @param aToB copied for the direction from a to b
     * @param bToA copied for the direction from b to a
     */
    public SimConnection connect(
            String nameA, LinkEndpoint a, String nameB, LinkEndpoint b, LinkProfile aToB, LinkProfile bToA) {
        return new SimConnection(simulation, nameA, a, nameB, b, aToB, bToA);
    }
}

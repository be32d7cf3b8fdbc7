package io.verbena.nic.sim;

import io.verbena.nic.port.LinkEndpoint;
import org.agrona.collections.Long2ObjectHashMap;

/** Brings up simulated links between endpoints. Not thread-safe. */
public final class SimFabric {
    private final Simulation simulation;
    private final Long2ObjectHashMap<NicModel> models = new Long2ObjectHashMap<>();

    /**
     * Creates a fabric.
     *
     * @param simulation whose time and chance it uses
     */
    public SimFabric(Simulation simulation) {
        this.simulation = simulation;
    }

    /**
     * Gives a NIC the costs of silicon; all links of it that are made from now on share them.
     *
     * @param nicId the NIC's identity, as in its endpoint
     * @param model of that NIC alone
     */
    public void model(long nicId, NicModel model) {
        models.put(nicId, model);
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
        return new SimConnection(
                simulation, nameA, a, nameB, b, aToB, bToA, models.get(a.nicId()), models.get(b.nicId()));
    }
}

package io.verbena.nic.sim;

import io.verbena.nic.port.LinkEndpoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Brings up simulated links between endpoints, and has the faults that concern more than one of them: partitions, and
 * NICs that crash and come again. Not thread-safe.
 */
public final class SimFabric {
    private final Simulation simulation;
    private final Long2ObjectHashMap<NicModel> models = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Runnable> steppers = new Long2ObjectHashMap<>();
    private final List<SimConnection> connections = new ArrayList<>();
    private final Map<String, long[]> partitions = new LinkedHashMap<>();

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
     * Lets a hook come before each access of a NIC to the memory of its peers, on all links that are made from now on
     * with {@link LinkProfile#direct}: see {@link SteppedMemory}.
     *
     * @param nicId the NIC that accesses
     * @param hook may let others act, or kill the NIC by an exception
     */
    public void stepper(long nicId, Runnable hook) {
        steppers.put(nicId, hook);
    }

    /** The connections, in the order in which they were made. */
    public List<SimConnection> connections() {
        return Collections.unmodifiableList(connections);
    }

    /**
     * Links two endpoints, with the same profile in both directions. Both listeners are called before this returns.
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
        SimConnection connection = new SimConnection(simulation, end(nameA, a), end(nameB, b), aToB, bToA);
        connections.add(connection);
        connection.partitioned(isApart(connection));
        return connection;
    }

    private SimConnection.End end(String name, LinkEndpoint endpoint) {
        return new SimConnection.End(name, endpoint, models.get(endpoint.nicId()), steppers.get(endpoint.nicId()));
    }

    /**
     * Puts a set of NICs apart from all others: what they send to each other arrives, what crosses the border is lost
     * in silence. Partitions may overlap; a packet has to pass all of them.
     *
     * @param name by which it is {@link #heal}ed; one of the same name is replaced
     * @param nics identities of the NICs on one side
     */
    public void partition(String name, long... nics) {
        simulation.note("partition " + name + ": " + hex(nics) + " apart");
        partitions.put(name, nics.clone());
        applyPartitions();
    }

    /** Takes a partition away, if there is one of that name. */
    public void heal(String name) {
        if (partitions.remove(name) != null) {
            simulation.note("partition " + name + " healed");
            applyPartitions();
        }
    }

    /** Number of partitions now. */
    public int partitions() {
        return partitions.size();
    }

    /**
     * A NIC's process dies: its peers see their links dead after the delay. Its actor is the caller's to remove.
     *
     * @param nicId its identity
     */
    public void crash(long nicId) {
        simulation.note("NIC " + Long.toHexString(nicId) + " crashed");
        for (SimConnection connection : connections) {
            connection.crash(nicId);
        }
    }

    /**
     * A NIC of an identity that was there before is up again, with nothing of what it knew: its connections get new
     * links. Peers that are down themselves are linked when they restart.
     *
     * @param endpoint of the new NIC
     */
    public void restart(LinkEndpoint endpoint) {
        simulation.note("NIC " + Long.toHexString(endpoint.nicId()) + " restarted");
        for (SimConnection connection : connections) {
            if (connection.touches(endpoint.nicId())) {
                connection.restart(endpoint);
            }
        }
    }

    /** What became of all packets on all links so far, also on links that are gone. */
    public LinkCounters counters() {
        LinkCounters sum = new LinkCounters();
        for (SimConnection connection : connections) {
            connection.addCounters(sum);
        }
        return sum;
    }

    private void applyPartitions() {
        for (SimConnection connection : connections) {
            connection.partitioned(isApart(connection));
        }
    }

    private boolean isApart(SimConnection connection) {
        long a = connection.endpointA().nicId();
        long b = connection.endpointB().nicId();
        for (long[] side : partitions.values()) {
            if (contains(side, a) != contains(side, b)) {
                return true;
            }
        }
        return false;
    }

    private static boolean contains(long[] nics, long nic) {
        return Arrays.stream(nics).anyMatch(n -> n == nic);
    }

    private static String hex(long[] nics) {
        return String.join(",", Arrays.stream(nics).mapToObj(Long::toHexString).toArray(String[]::new));
    }
}

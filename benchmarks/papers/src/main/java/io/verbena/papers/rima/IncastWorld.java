package io.verbena.papers.rima;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.NicCounter;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients that send to one server, each on a node of its own, over links of 56 Gb/s that all come together in the
 * server's one port: the testbed of RIMA's evaluation (4), in virtual time.
 */
final class IncastWorld {
    /** Rate of the links and of the server's port: FDR InfiniBand. */
    static final long LINE_BITS = 56_000_000_000L;

    /** The same in bytes a second. */
    static final double LINE_BYTES = LINE_BITS / 8.0;

    /** Clients of the paper's runs: half of its 30 nodes. */
    static final int CLIENTS = 15;

    /** How long memory takes to allocate (5.2.1), in nanoseconds. */
    static final long ALLOCATION_NANOS = 1_000_000;

    static final int MTU = 4096;

    private static final long SERVER_ID = 1;
    private static final int TRACE_LINES = 256;
    private static final int SEND_COMPLETIONS = 4096;

    final Simulation simulation;
    final SimNode server;
    final ProtectionDomain serverDomain;
    private final List<Client> clients = new ArrayList<>();

    /** A client's node and what it sends from. */
    static final class Client {
        final SimNode node;
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final MemoryRegion source;

        Client(SimNode node, int largest) {
            this.node = node;
            domain = node.nic().allocateProtectionDomain();
            completions = node.nic().createCompletionQueue(SEND_COMPLETIONS);
            source = domain.allocate(largest, Access.ALL);
        }

        void turnCost(long nanos) {
            Simulation.Participant participant = node.participant();
            if (participant != null) {
                participant.turnCost(nanos);
            }
        }
    }

    /**
     * Brings it up.
     *
     * @param seed of all chance
     * @param count clients
     * @param link of each client to the server, in both directions
     * @param options of the server's NIC
     * @param largest bytes of a client's memory to send from
     */
    IncastWorld(long seed, int count, LinkProfile link, SimNode.Options options, int largest) {
        simulation = new Simulation(seed, TRACE_LINES);
        SimFabric fabric = new SimFabric(simulation);
        fabric.model(SERVER_ID, NicModel.infiniband56());
        server = new SimNode(simulation, fabric, "server", SERVER_ID, options);
        serverDomain = server.nic().allocateProtectionDomain();
        for (int i = 0; i < count; i++) {
            SimNode node = new SimNode(simulation, fabric, "client" + i, SERVER_ID + 1 + i);
            fabric.connect(
                    node.name(),
                    node.nic().engine(0).endpoint(),
                    server.name(),
                    server.nic().engine(0).endpoint(),
                    link,
                    link);
            clients.add(new Client(node, largest));
        }
        simulation.runFor(0);
    }

    List<Client> clients() {
        return clients;
    }

    /** Times that a client was told that the receiver is not ready. */
    long notReady() {
        long sum = 0;
        for (Client client : clients) {
            sum += client.node.nic().counter(NicCounter.RECEIVER_NOT_READY);
        }
        return sum;
    }

    /**
     * Lets the NICs work in turns, as long as these, on what has come meanwhile: coarser, and so much faster to
     * simulate.
     */
    void turnCost(long nanos) {
        Simulation.Participant participant = server.participant();
        if (participant != null) {
            participant.turnCost(nanos);
        }
        clients.forEach(client -> client.turnCost(nanos));
    }

    /**
     * A connection.
     *
     * @param atClient attributes of the client's end, whose completions go to the client's queue
     * @param atServer attributes of the server's end
     * @return the client's end
     */
    QueuePair connect(Client client, QueuePairAttributes atClient, QueuePairAttributes atServer) {
        QueuePair from = client.domain.createQueuePair(atClient.completionQueue(client.completions));
        QueuePair to = serverDomain.createQueuePair(atServer);
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(MTU);
        from.connect(SERVER_ID, to.number(), attributes);
        to.connect(client.node.nicId(), from.number(), attributes);
        return from;
    }
}

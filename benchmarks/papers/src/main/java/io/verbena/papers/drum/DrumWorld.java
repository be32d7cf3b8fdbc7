package io.verbena.papers.drum;

import io.verbena.nic.AddressHandle;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimCores;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.QpType;

/**
 * A client and a server of DRUM's testbed (V-A): NICs of {@link NicModel#infiniband40} and a link of 40 Gb/s. Each
 * thread of the client has a core of its own, so that nothing but the NIC, the link and locks is waited for.
 */
final class DrumWorld {
    /** Number of the server's NIC. */
    static final long SERVER = 1;

    private static final int TRACE_LINES = 16;
    private static final int BYTES = 1 << 20;
    private static final int MTU = 4096;
    private static final int COMPLETIONS = 4096;
    private static final int RECEIVES = 1024;
    private static final int QUEUE_PAIRS = 512;
    private static final int QKEY = 7;
    private static final int ANSWERS_A_REQUEST = 4; // those that are not acknowledged yet included
    private static final int GRH = 40;

    final Simulation simulation;
    final SimCores cores;
    private final NicModel nic = NicModel.infiniband40();
    private final long id;
    private final SimNode client;
    private final Server server;

    /** An application of the client: its group and memory. */
    record Tenant(PerformanceGroup group, ProtectionDomain domain, MemoryRegion memory) {}

    /** The server, whose memory clients use. */
    record Server(
            Simulation simulation,
            SimFabric fabric,
            SimNode node,
            ProtectionDomain domain,
            CompletionQueue completions,
            MemoryRegion target) {
        /** Brings it up. */
        static Server start(long seed, NicModel model, ArbiterSettings settings) {
            Simulation simulation = new Simulation(seed, TRACE_LINES);
            SimFabric fabric = new SimFabric(simulation);
            fabric.model(SERVER, model);
            SimNode node = new SimNode(simulation, fabric, "server", SERVER, options(settings));
            ProtectionDomain domain = node.nic().allocateProtectionDomain();
            return new Server(
                    simulation,
                    fabric,
                    node,
                    domain,
                    node.nic().createCompletionQueue(COMPLETIONS),
                    domain.allocate(BYTES, Access.ALL));
        }
    }

    /**
     * Brings both up.
     *
     * @param seed of all chance
     * @param settings of the client's arbiter
     * @param threads of the client, at most
     */
    DrumWorld(long seed, ArbiterSettings settings, int threads) {
        this(Server.start(seed, NicModel.infiniband40(), ArbiterSettings.defaults()), 1, settings, threads);
    }

    /**
     * Brings a client up, on a link of its own.
     *
     * @param server that is up
     * @param number of the client, from 1 on
     * @param settings of the client's arbiter
     * @param threads of the client, at most
     */
    DrumWorld(Server server, int number, ArbiterSettings settings, int threads) {
        this.server = server;
        simulation = server.simulation;
        id = SERVER + number;
        server.fabric.model(id, nic);
        client = new SimNode(simulation, server.fabric, "client" + number, id, options(settings));
        server.fabric.connect(
                client.nic().engine(0).endpoint(), server.node.nic().engine(0).endpoint(), LinkProfile.infiniband40());
        cores = new SimCores(simulation, threads, HostModel.virtualMachine());
    }

    private static SimNode.Options options(ArbiterSettings settings) {
        return new SimNode.Options().queuePairs(QUEUE_PAIRS).arbiter(settings);
    }

    /** Number of the client's NIC. */
    long id() {
        return id;
    }

    /** Nanoseconds since the start. */
    long now() {
        return simulation.nowNanos();
    }

    /** A tenant, all of which weigh the same. */
    Tenant tenant(String name) {
        PerformanceGroup group = client.nic().createGroup(new GroupAttributes().name(name));
        ProtectionDomain domain = client.nic().allocateProtectionDomain(group);
        return new Tenant(group, domain, domain.allocate(BYTES, Access.ALL));
    }

    HostCompletionQueue completions() {
        return new HostCompletionQueue(client.nic().createCompletionQueue(COMPLETIONS), cores);
    }

    /** A reliable connection with a queue pair of its own, with room for so many requests, each a WRITE. */
    Connection connect(Tenant tenant, int depth) {
        HostCompletionQueue completions = completions();
        return new OwnQueuePair(
                connect(tenant, completions, QpType.RC, depth), completions, bytes -> write(tenant, bytes));
    }

    /** A queue pair of type RC or UC, with room for so many requests. */
    HostQueuePair connect(Tenant tenant, HostCompletionQueue completions, QpType type, int depth) {
        QueuePair to = server.domain.createQueuePair(
                new QueuePairAttributes().type(type).completionQueue(server.completions));
        return connect(tenant, completions, type, depth, to);
    }

    /** A reliable queue pair, with room for so many requests, which a store's processor answers. */
    HostQueuePair connect(Tenant tenant, HostCompletionQueue completions, int depth, StoreServer store) {
        return connect(tenant, completions, QpType.RC, depth, store.queuePair(ANSWERS_A_REQUEST * depth));
    }

    private HostQueuePair connect(
            Tenant tenant, HostCompletionQueue completions, QpType type, int depth, QueuePair to) {
        QueuePair from = tenant.domain.createQueuePair(new QueuePairAttributes()
                .type(type)
                .completionQueue(completions.queue())
                .maxSend(depth));
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(MTU);
        from.connect(SERVER, to.number(), attributes);
        to.connect(id, from.number(), attributes);
        return new HostQueuePair(from, nic, cores);
    }

    /** A queue pair for datagrams. */
    HostQueuePair datagrams(Tenant tenant, HostCompletionQueue completions, int depth) {
        QueuePair from = tenant.domain.createQueuePair(new QueuePairAttributes()
                .type(QpType.UD)
                .completionQueue(completions.queue())
                .maxSend(depth));
        from.activate(QKEY);
        return new HostQueuePair(from, nic, cores);
    }

    /** A datagram of so many bytes to the server's queue pair for them, whose receives are posted again at once. */
    SendRequest datagram(Tenant tenant, QueuePair to, int bytes) {
        AddressHandle handle = tenant.domain.createAddressHandle(SERVER);
        return new SendRequest().send().to(handle, to.number(), QKEY).local(tenant.memory.key(), 0, bytes);
    }

    /** The server's queue pair for datagrams, and who counts what it takes. */
    record DatagramServer(QueuePair qp, Receiver receiver) {}

    /** A queue pair of the server for datagrams; one a world. */
    DatagramServer datagramServer() {
        QueuePair to = server.domain.createQueuePair(new QueuePairAttributes()
                .type(QpType.UD)
                .completionQueue(server.completions)
                .maxReceive(RECEIVES));
        to.activate(QKEY);
        for (int i = 0; i < RECEIVES; i++) {
            to.postReceive(i, server.target.key(), 0, MTU + GRH);
        }
        Receiver receiver = new Receiver(server.completions, to, server.target, MTU + GRH);
        simulation.add("receiver", receiver);
        return new DatagramServer(to, receiver);
    }

    /** Reads so many bytes of the server's memory. */
    SendRequest read(Tenant tenant, int bytes) {
        return new SendRequest().read(server.target.key(), 0).local(tenant.memory.key(), 0, bytes);
    }

    /** Writes so many bytes into the server's memory. */
    SendRequest write(Tenant tenant, int bytes) {
        return new SendRequest().write(server.target.key(), 0).local(tenant.memory.key(), 0, bytes);
    }
}

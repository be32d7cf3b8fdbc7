package io.verbena.papers.avatar;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimCores;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import io.verbena.papers.palos.Frames;

/**
 * Avatar's testbed (table 1): two machines whose cores are enough for all threads, so that nothing but the NIC, the
 * link, locks and cache lines is waited for, and NICs of 100 Gb/s, which take turns by messages as the paper finds
 * (2.2).
 */
final class AvatarWorld {
    /** Rest of a thread that polls between two looks. */
    static final long LOOK_NANOS = 50;

    /** Rest of the thread that posts receives again. */
    static final long REFILL_NANOS = 2_000;

    private static final long CLIENT = 1;
    private static final long SERVER = 2;
    private static final int TRACE_LINES = 16;
    private static final int COMPLETIONS = 8192;
    private static final int QUEUE_PAIRS = 2048;
    private static final int RECEIVING_THREADS = 2;

    final Simulation simulation;
    final SimCores cores;
    final ReceiveSide receiver;
    final Source source;
    final HostModel host;
    final NicModel nic = NicModel.roce100();
    private final SimNode client;
    private final ProtectionDomain clientDomain;
    private final ProtectionDomain serverDomain;

    /**
     * Brings it up.
     *
     * @param seed of all chance
     * @param threads of the client, the Worker included
     * @param connections that there will be
     * @param largest bytes of a message
     * @param inSegments whether messages come in segments, which is what receives are for then; else a receive holds
     *     the largest
     */
    AvatarWorld(long seed, int threads, int connections, int largest, boolean inSegments) {
        simulation = new Simulation(seed, TRACE_LINES);
        SimFabric fabric = new SimFabric(simulation);
        fabric.model(CLIENT, nic);
        fabric.model(SERVER, NicModel.roce100());
        host = HostModel.virtualMachine();
        SimNode.Options options = new SimNode.Options().queuePairs(QUEUE_PAIRS);
        client = new SimNode(
                simulation,
                fabric,
                "client",
                CLIENT,
                options.arbiter(ArbiterSettings.defaults().withDiscipline(Discipline.WHOLE_MESSAGES)));
        SimNode server =
                new SimNode(simulation, fabric, "server", SERVER, new SimNode.Options().queuePairs(QUEUE_PAIRS));
        fabric.connect(client.nic().engine(0).endpoint(), server.nic().engine(0).endpoint(), link());
        PerformanceGroup group = client.nic()
                .createGroup(new GroupAttributes().name("all").urgentLimit(GroupAttributes.MAX_URGENT_LIMIT));
        clientDomain = client.nic().allocateProtectionDomain(group);
        serverDomain = server.nic().allocateProtectionDomain();
        source = new Source(clientDomain.allocate(connections * largest, Access.ALL), connections, largest);
        cores = new SimCores(simulation, threads, host);
        receiver = new ReceiveSide(
                serverDomain,
                server.nic().createCompletionQueue(COMPLETIONS),
                new SimCores(simulation, RECEIVING_THREADS, host),
                connections,
                inSegments ? Source.SEGMENT : largest);
    }

    private static LinkProfile link() {
        return LinkProfile.roce100().maxPacket(Frames.JUMBO.maxPacket()).window(Frames.JUMBO.window());
    }

    /** Nanoseconds since the start. */
    long now() {
        return simulation.nowNanos();
    }

    /** A completion queue of the client. */
    HostCompletionQueue completions(int depth) {
        return new HostCompletionQueue(client.nic().createCompletionQueue(depth), cores);
    }

    /** A queue pair of the client, in RESET, with room for so many requests. */
    QueuePair queuePair(CompletionQueue completions, int depth) {
        return clientDomain.createQueuePair(new QueuePairAttributes()
                .completionQueue(completions)
                .maxSend(depth)
                .maxSge(1)
                .maxInline(0));
    }

    /** Connects a queue pair of the client with one of the server. */
    QueuePair connect(QueuePair from, boolean urgent) {
        QueuePair to = receiver.queuePair(serverDomain);
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(Frames.JUMBO.mtu());
        from.connect(SERVER, to.number(), attributes);
        to.connect(CLIENT, from.number(), attributes);
        if (urgent) {
            from.modify(new QpAttributes().trafficClass(TrafficClass.URGENT));
        }
        return from;
    }
}

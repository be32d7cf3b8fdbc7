package io.verbena.papers.palos;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;

/**
 * Two nodes and a link of 100 Gb/s, "to avoid network congestion and jitter" (V): a client whose NIC schedules as one
 * of the disciplines says, and a server that takes what comes. PCIe has 128 Gb/s.
 */
public final class PalosWorld {
    /** Rate of the link, in Gb/s. */
    public static final double LINE_GIGABITS = 100;

    /** Bytes of a small message, if nothing else is said (V). */
    public static final int SMALL = 64;

    /** Bytes of a large message (V). */
    public static final int LARGE = 2 << 20;

    /** Ethernet, IP and UDP of a packet, as {@link LinkProfile#roce100} has them. */
    static final int FRAMING = 58;

    /**
     * From the last bit's departure to its arrival. It makes a small message alone take 1.3 us to the peer's memory,
     * with which packets of 4 KiB in turns come to the paper's 7.8 x at 24 large flows (figure 3).
     */
    static final long DELAY_NANOS = 750;

    private static final long PCIE_BITS = 128_000_000_000L;
    private static final long PCIE_NANOS = 250;
    private static final long PACKET_NANOS = 10; // a decision of a clock of 100 MHz (IV-B)
    private static final int UNITS = 64; // as many as flows: figures are of scheduling
    private static final long CLIENT = 1;
    private static final long SERVER = 2;
    private static final int TRACE_LINES = 16;
    private static final int COMPLETIONS = 1024;
    private static final int SEND_DEPTH = 256;
    private static final int PROBE_OFFSET = LARGE; // behind what flows write
    private static final int MAX_PROBE = 4096;

    private final Frames frames;
    private final Simulation simulation;
    private final SimNode client;
    private final CompletionQueue clientCompletions;
    private final CompletionQueue serverCompletions;
    private final ProtectionDomain serverDomain;
    private final MemoryRegion target;
    private final WireMeter meter = new WireMeter(FRAMING);
    private final FlowLoad load = new FlowLoad();
    private final long serverId;

    /** A flow that always has work, and what it has sent. */
    public record Backlogged(QueuePair qp, WireMeter.Count count) {
        /** Gives it another weight in its group. */
        public void weight(int weight) {
            qp.modify(new QpAttributes().weight(weight));
        }
    }

    /** A tenant: a group and its memory. */
    public record Tenant(ProtectionDomain domain, MemoryRegion source) {}

    /**
     * Brings it up.
     *
     * @param seed of all chance
     * @param settings of the client's arbiter
     * @param frames of the link
     */
    public PalosWorld(long seed, ArbiterSettings settings, Frames frames) {
        this.frames = frames;
        simulation = new Simulation(seed, TRACE_LINES);
        SimFabric fabric = new SimFabric(simulation);
        fabric.model(CLIENT, nic());
        fabric.model(SERVER, nic());
        client = new SimNode(simulation, fabric, "client", CLIENT, new SimNode.Options().arbiter(settings));
        SimNode server = new SimNode(simulation, fabric, "server", SERVER);
        serverId = server.nicId();
        LinkProfile link = LinkProfile.roce100()
                .delay(DELAY_NANOS)
                .maxPacket(frames.maxPacket())
                .window(frames.window());
        fabric.connect(
                        client.name(),
                        client.nic().engine(0).endpoint(),
                        server.name(),
                        server.nic().engine(0).endpoint(),
                        link,
                        link)
                .end(CLIENT)
                .tamper(meter);
        clientCompletions = client.nic().createCompletionQueue(COMPLETIONS);
        serverCompletions = server.nic().createCompletionQueue(COMPLETIONS);
        serverDomain = server.nic().allocateProtectionDomain();
        target = serverDomain.allocate(LARGE + MAX_PROBE, Access.ALL);
        simulation.add("load", load);
        simulation.runFor(0);
    }

    private static NicModel nic() {
        return new NicModel().units(UNITS).packet(PACKET_NANOS).pcie(PCIE_BITS).pcieLatency(PCIE_NANOS);
    }

    /** A group of a weight, and its tenant's domain. */
    public Tenant tenant(String name, int weight) {
        PerformanceGroup group = client.nic()
                .createGroup(new GroupAttributes().name(name).weight(weight).mayBeUrgent(true));
        ProtectionDomain domain = client.nic().allocateProtectionDomain(group);
        return new Tenant(domain, domain.allocate(LARGE, Access.ALL));
    }

    /**
     * A flow that is always backlogged.
     *
     * @param weight in its group
     * @param depth messages to keep outstanding
     * @param sizes of its messages, in turn
     * @return it, with what it sends, counted at the wire
     */
    public Backlogged flow(Tenant tenant, int weight, int depth, int... sizes) {
        QueuePair qp = connect(tenant, weight, TrafficClass.BULK);
        load.add(qp, sizes, depth, tenant.source.key(), target.key());
        return new Backlogged(qp, meter.count(qp.number()));
    }

    /** A queue pair that sends nothing: it has a weight and is idle. */
    void idle(Tenant tenant, int weight) {
        connect(tenant, weight, TrafficClass.BULK);
    }

    /** A flow of small messages one after the other, of 8 to 4096 bytes. */
    public LatencyProbe probe(Tenant tenant, TrafficClass trafficClass, int bytes, long restNanos) {
        QueuePair qp = connect(tenant, 1, trafficClass);
        LatencyProbe probe = new LatencyProbe(
                simulation, qp, tenant.domain.allocate(bytes, Access.ALL), target, PROBE_OFFSET, bytes, restNanos);
        simulation.add("probe", probe);
        return probe;
    }

    private QueuePair connect(Tenant tenant, int weight, TrafficClass trafficClass) {
        QueuePair from = tenant.domain.createQueuePair(
                new QueuePairAttributes().completionQueue(clientCompletions).maxSend(SEND_DEPTH));
        QueuePair to = serverDomain.createQueuePair(new QueuePairAttributes().completionQueue(serverCompletions));
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(frames.mtu());
        from.connect(serverId, to.number(), attributes);
        to.connect(CLIENT, from.number(), attributes);
        from.modify(new QpAttributes().weight(weight).trafficClass(trafficClass));
        return from;
    }

    /**
     * Runs for a while that is not counted, then for one that is.
     *
     * @return nanoseconds counted
     */
    public long measure(long warmUpNanos, long nanos, Runnable atStart) {
        simulation.runFor(warmUpNanos);
        meter.reset();
        atStart.run();
        simulation.runFor(nanos);
        return nanos;
    }

    /** Share of the link that so many bytes of a span are. */
    static double share(long wireBytes, long nanos) {
        return wireBytes * 8.0 / (LINE_GIGABITS * nanos);
    }
}

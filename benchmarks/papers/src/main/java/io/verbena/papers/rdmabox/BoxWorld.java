package io.verbena.papers.rdmabox;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.Replacement;
import io.verbena.nic.sim.SimCores;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import java.util.ArrayList;
import java.util.List;

/**
 * The testbed of RDMAbox's evaluation (VI-A): a host of 32 virtual cores, peers that lend it memory, and ConnectX-3
 * cards, which are those of DRUM's testbed ({@link NicModel#infiniband40}), on links of 56 Gb/s. A link a peer: the
 * card's PCIe, of 64 Gb/s, is what all links share.
 */
final class BoxWorld {
    /** Virtual cores of a host. */
    static final int CORES = 32;

    /** Work queue elements that the card keeps: an assumption of {@link NicModel#roce100}. */
    static final int WQES = 64;

    private static final long HOST = 1;
    private static final long WQE_MISS_NANOS = 500;
    private static final int TRACE_LINES = 16;
    private static final int MTU = 4096;
    private static final int COMPLETIONS = 1 << 14;
    private static final int PEER_COMPLETIONS = 64;

    final Simulation simulation;
    final SimCores cores;
    final NicModel nic;
    private final SimNode host;
    private final ProtectionDomain domain;
    private final MemoryRegion memory;
    private final List<Peer> peers = new ArrayList<>();

    /** Who lends memory. */
    private record Peer(SimNode node, ProtectionDomain domain, CompletionQueue completions, MemoryRegion memory) {}

    /** The host's card, with a cache of work queue elements that is to be tried. */
    static NicModel card(int wqes, Replacement replacement) {
        return physical().wqes(wqes, replacement, WQE_MISS_NANOS);
    }

    /** A card that is given physical addresses, as in the kernel: it has nothing to translate (IV-A). */
    private static NicModel physical() {
        return NicModel.infiniband40().translations(1, Integer.MAX_VALUE, 0);
    }

    /**
     * Brings it up.
     *
     * @param seed of all chance
     * @param nic the host's, new
     * @param coresUsed of the host's, where threads have one each: no more, which the simulation would have to look at
     * @param count of peers, at least 1
     * @param bytes that each of them lends
     */
    BoxWorld(long seed, NicModel nic, int coresUsed, int count, int bytes) {
        this.nic = nic;
        simulation = new Simulation(seed, TRACE_LINES);
        SimFabric fabric = new SimFabric(simulation);
        fabric.model(HOST, nic);
        host = new SimNode(simulation, fabric, "host", HOST);
        for (int i = 0; i < count; i++) {
            long id = HOST + 1 + i;
            fabric.model(id, physical());
            SimNode node = new SimNode(simulation, fabric, "peer " + i, id);
            ProtectionDomain its = node.nic().allocateProtectionDomain();
            peers.add(new Peer(
                    node, its, node.nic().createCompletionQueue(PEER_COMPLETIONS), its.allocate(bytes, Access.ALL)));
            fabric.connect(
                    host.name(),
                    host.nic().engine(0).endpoint(),
                    node.name(),
                    node.nic().engine(0).endpoint(),
                    LinkProfile.infiniband56(),
                    LinkProfile.infiniband56());
        }
        cores = new SimCores(simulation, coresUsed, HostModel.virtualMachine());
        domain = host.nic().allocateProtectionDomain();
        memory = domain.allocate(bytes, Access.ALL);
    }

    /** Bytes that each peer lends. */
    int bytes() {
        return (int) memory.length();
    }

    /** Nanoseconds since the start. */
    long now() {
        return simulation.nowNanos();
    }

    /** What things take the host's threads. */
    HostModel model() {
        return cores.model();
    }

    HostCompletionQueue completions() {
        return new HostCompletionQueue(host.nic().createCompletionQueue(COMPLETIONS), cores);
    }

    /**
     * A connection to a peer.
     *
     * @param depth requests under way at most
     */
    HostQueuePair connect(int peer, HostCompletionQueue completions, int depth) {
        Peer to = peers.get(peer);
        QueuePair from = domain.createQueuePair(
                new QueuePairAttributes().completionQueue(completions.queue()).maxSend(depth));
        QueuePair its = to.domain.createQueuePair(new QueuePairAttributes().completionQueue(to.completions));
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(MTU);
        from.connect(to.node.nicId(), its.number(), attributes);
        its.connect(HOST, from.number(), attributes);
        return new HostQueuePair(from, nic, cores);
    }

    /** Writes bytes at the same place of a peer's memory as of the host's. */
    SendRequest write(int peer, long offset, int bytes, long id) {
        return new SendRequest()
                .write(peers.get(peer).memory.key(), offset)
                .local(memory.key(), offset, bytes)
                .wrId(id);
    }

    /** Reads bytes, likewise. */
    SendRequest read(int peer, long offset, int bytes, long id) {
        return new SendRequest()
                .read(peers.get(peer).memory.key(), offset)
                .local(memory.key(), offset, bytes)
                .wrId(id);
    }
}

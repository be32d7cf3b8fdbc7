package io.verbena.papers.rdmabox;

import io.verbena.Outcome;
import io.verbena.merge.Admissions;
import io.verbena.merge.MergePeer;
import io.verbena.merge.MergeSettings;
import io.verbena.merge.MergingOperations;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.HostPoller;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.Replacement;
import io.verbena.nic.sim.SimCores;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimLock;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.WcStatus;
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
    private record Peer(
            SimNode node, NicModel nic, ProtectionDomain domain, CompletionQueue completions, MemoryRegion memory) {}

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
            NicModel card = physical();
            fabric.model(id, card);
            SimNode node = new SimNode(simulation, fabric, "peer " + i, id);
            ProtectionDomain its = node.nic().allocateProtectionDomain();
            peers.add(new Peer(
                    node,
                    card,
                    its,
                    node.nic().createCompletionQueue(PEER_COMPLETIONS),
                    its.allocate(bytes, Access.ALL)));
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
     * Who takes completions by a scheme of the paper's, none of which heeds whether cores are short.
     *
     * @param restNanos rest after a look in vain of a scheme that never sleeps
     */
    static HostPoller poller(
            SimCores cores, HostCompletionQueue queue, Polling polling, long restNanos, HostPoller.Taker taker) {
        return new HostPoller(cores, queue, polling.evenIfCoresAreShort(), restNanos, taker);
    }

    /**
     * A connection to a peer.
     *
     * @param depth requests under way at most
     */
    HostQueuePair connect(int peer, HostCompletionQueue completions, int depth) {
        Peer to = peers.get(peer);
        QueuePair from = domain.createQueuePair(new QueuePairAttributes()
                .completionQueue(completions.queue())
                .maxSend(depth)
                .maxSge(MergeSettings.MAX_ENTRIES));
        QueuePair its = to.domain.createQueuePair(new QueuePairAttributes().completionQueue(to.completions));
        connect(from, to, its);
        return new HostQueuePair(from, nic, cores);
    }

    private static void connect(QueuePair from, Peer to, QueuePair its) {
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(MTU);
        from.connect(to.node.nicId(), its.number(), attributes);
        its.connect(HOST, from.number(), attributes);
    }

    /**
     * The product's merging operations by connections of their own, which share a window.
     *
     * @param count of connections
     * @param depth requests under way at most, of each
     * @param longest operation, in bytes
     */
    List<MergingPair> merging(int peer, int count, MergeSettings settings, int depth, int longest) {
        Admissions admissions = new Admissions();
        List<MergingPair> pairs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            HostCompletionQueue completions = completions();
            PostedPath path = new PostedPath(connect(peer, completions, depth));
            MergingOperations operations = new MergingOperations(
                    new LentRegion(
                            path,
                            peers.get(peer).node.nicId(),
                            peers.get(peer).memory.key()),
                    completions.queue(),
                    domain,
                    admissions,
                    settings,
                    host.nic().engine(0),
                    simulation.clock());
            pairs.add(new MergingPair(operations, path, completions, model(), longest, pairs));
        }
        return pairs;
    }

    /**
     * Two-sided access by connections of their own, whose peer's threads answer.
     *
     * @param count of connections
     * @param chains whether requests that go together share a doorbell
     * @param registers whether memory is registered for each request, and not copied
     * @param polling of the peer's threads, of which there is one a connection
     */
    List<MessagePair> messages(int peer, int count, boolean chains, boolean registers, Polling polling) {
        Peer to = peers.get(peer);
        SimCores its = new SimCores(simulation, count, cores.model());
        List<MessagePair> pairs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            HostCompletionQueue completions = completions();
            HostCompletionQueue answers =
                    new HostCompletionQueue(to.node.nic().createCompletionQueue(COMPLETIONS), its);
            QueuePair from = domain.createQueuePair(both(completions));
            QueuePair back = to.domain.createQueuePair(both(answers));
            connect(from, to, back);
            MessagePair pair = new MessagePair(
                    new MessagePair.Side(
                            new HostQueuePair(from, nic, cores), completions, memory.key(), to.memory.key()),
                    new MessagePair.Side(new HostQueuePair(back, to.nic, its), answers, to.memory.key(), memory.key()),
                    cores.lock(SimLock.Kind.SPIN),
                    chains,
                    registers,
                    cores.model());
            its.start("answers " + i, poller(its, answers, polling, 0, pair.answering()));
            pairs.add(pair);
        }
        return pairs;
    }

    private static QueuePairAttributes both(HostCompletionQueue completions) {
        return new QueuePairAttributes()
                .completionQueue(completions.queue())
                .maxSend(4 * MessagePair.DEPTH)
                .maxReceive(2 * MessagePair.DEPTH);
    }

    /** Memory of a peer that does not fail. */
    private record LentRegion(PostedPath path, long nic, int regionKey) implements MergePeer {
        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isOver() {
            return false;
        }

        @Override
        public void failed(WcStatus status) {
            throw failure(status);
        }
    }

    /**
     * A completion must be of success.
     *
     * @throws IllegalStateException otherwise: nothing fails here
     */
    static void check(Completion completion) {
        if (!completion.isSuccess()) {
            throw failure(completion.status());
        }
    }

    /**
     * An operation must be done.
     *
     * @throws IllegalStateException otherwise: nothing fails here
     */
    static void check(Outcome outcome) {
        if (outcome != Outcome.DONE) {
            throw new IllegalStateException("an operation ended as " + outcome);
        }
    }

    private static IllegalStateException failure(WcStatus status) {
        return new IllegalStateException("a request failed: " + status);
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

package io.verbena.papers.rima;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.NicModel;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import java.util.ArrayList;
import java.util.List;

/**
 * One client that sends requests to many peers, with no more than so many outstanding to each: what throttling costs
 * that keeps a footprint (5.2.1, Table 5). A request is outstanding until its acknowledgement is there.
 *
 * <p>Two numbers of the paper are put in: a client that makes 12.9 M requests/s at most (4), as a NIC that takes 77 ns
 * a packet, and the round trip of 22 us that its throughputs imply.
 */
final class CappedFan {
    /** A request's way there and its acknowledgement's back; with the work at both ends 22 us. */
    static final long DELAY_NANOS = 11_215;

    private static final long PACKET_NANOS = 77;
    private static final int MACHINES = 15;
    private static final long CLIENT = 1;
    private static final int QUEUE_PAIRS = 1024;
    private static final int MAX = 1 << 20;
    private static final int RESERVE = 9;
    private static final int BATCH = 64;

    private final Simulation simulation;
    private final SimNode client;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion source;
    private final List<Server> servers = new ArrayList<>();
    private final List<Peer> peers = new ArrayList<>();
    private final EtcWorkload workload;
    private final int limit;
    private final SendRequest request = new SendRequest();
    private long posted;

    private static final class Server {
        final SimNode node;
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final AppendQueue queue;

        Server(SimNode node) {
            this.node = node;
            domain = node.nic().allocateProtectionDomain();
            completions = node.nic().createCompletionQueue(BATCH);
            queue = domain.createAppendQueue(
                    new AppendQueueAttributes().reserveChunks(RESERVE).maxMessage(MAX));
        }
    }

    private record Peer(QueuePair qp, Server server) {}

    /**
     * Brings it up.
     *
     * @param seed of the workload
     * @param count peers, spread over the paper's 15 machines
     * @param limit requests outstanding to each
     * @param delayNanos of the way there, and of the way back
     */
    CappedFan(long seed, int count, int limit, long delayNanos) {
        this.limit = limit;
        simulation = new Simulation(seed, 1);
        SimFabric fabric = new SimFabric(simulation);
        fabric.model(CLIENT, NicModel.infiniband56().packet(PACKET_NANOS));
        client = new SimNode(simulation, fabric, "client", CLIENT, new SimNode.Options().queuePairs(QUEUE_PAIRS));
        domain = client.nic().allocateProtectionDomain();
        completions = client.nic().createCompletionQueue(BATCH);
        source = domain.allocate(MAX, Access.ALL);
        workload = new EtcWorkload(EtcVariant.ETC_RIMA, seed);
        LinkProfile link = LinkProfile.infiniband56().delay(delayNanos);
        for (int i = 0; i < Math.min(MACHINES, count); i++) {
            SimNode node = new SimNode(simulation, fabric, "server" + i, CLIENT + 1 + i);
            fabric.connect(
                    client.name(),
                    client.nic().engine(0).endpoint(),
                    node.name(),
                    node.nic().engine(0).endpoint(),
                    link,
                    link);
            servers.add(new Server(node));
        }
        simulation.runFor(0);
        for (int i = 0; i < count; i++) {
            peers.add(connect(servers.get(i % servers.size())));
        }
        simulation.add("load", new Requests());
    }

    private Peer connect(Server server) {
        QueuePair from = domain.createQueuePair(
                new QueuePairAttributes().completionQueue(completions).maxSend(limit));
        QueuePair to = server.domain.createQueuePair(new QueuePairAttributes().completionQueue(server.completions));
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(IncastWorld.MTU);
        from.connect(server.node.nicId(), to.number(), attributes);
        to.connect(CLIENT, from.number(), attributes);
        return new Peer(from, server);
    }

    /** Requests a second that were answered, over so long a time after as long a start. */
    double throughput(long nanos) {
        simulation.runFor(nanos);
        long before = answered();
        simulation.runFor(nanos);
        return (answered() - before) * 1e9 / nanos;
    }

    private long answered() {
        long outstanding = 0;
        for (Peer peer : peers) {
            outstanding += peer.qp.outstanding();
        }
        return posted - outstanding;
    }

    /** Posts whatever may be outstanding, and consumes what has come. */
    private final class Requests implements Actor {
        @Override
        public int step() {
            int work = 0;
            for (Peer peer : peers) {
                while (peer.qp.outstanding() < limit) {
                    AppendQueue queue = peer.server.queue;
                    request.append(queue.id(), queue.key())
                            .local(source.key(), 0, workload.messageBytes())
                            .signaled(false);
                    if (peer.qp.postSend(request) != PostResult.POSTED) {
                        throw new IllegalStateException("no room with " + peer.qp.outstanding() + " of " + limit);
                    }
                    posted++;
                    work++;
                }
            }
            for (Server server : servers) {
                work += server.queue.poll((buffer, offset, length, qp, immediate, flags) -> {}, BATCH);
            }
            return work;
        }

        @Override
        public long nextDeadlineNanos() {
            return NO_DEADLINE;
        }
    }
}

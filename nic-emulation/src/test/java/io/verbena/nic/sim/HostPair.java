package io.verbena.nic.sim;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.queue.SendSource;
import java.util.function.Function;

/** A host whose threads send to a server, by a NIC of silicon: what tests of the two together need. */
final class HostPair {
    private static final long CLIENT = 1;
    private static final long SERVER = 2;
    private static final int BYTES = 1 << 16;

    final Simulation simulation;
    final SimCores cores;
    final NicModel nic;
    private final SimNode client;
    private final SimNode server;
    private final ProtectionDomain clientDomain;
    private final ProtectionDomain serverDomain;
    private final CompletionQueue serverCompletions;
    private final MemoryRegion source;
    private final MemoryRegion target;

    HostPair(long seed, int count, HostModel host, NicModel nic, LinkProfile link) {
        this.nic = nic;
        simulation = new Simulation(seed, 64);
        SimFabric fabric = new SimFabric(simulation);
        fabric.model(CLIENT, nic);
        client = new SimNode(simulation, fabric, "client", CLIENT);
        server = new SimNode(simulation, fabric, "server", SERVER);
        fabric.connect(client.nic().engine(0).endpoint(), server.nic().engine(0).endpoint(), link);
        cores = new SimCores(simulation, count, host);
        clientDomain = client.nic().allocateProtectionDomain();
        serverDomain = server.nic().allocateProtectionDomain();
        serverCompletions = server.nic().createCompletionQueue(64);
        source = clientDomain.allocate(BYTES, Access.ALL);
        target = serverDomain.allocate(BYTES, Access.ALL);
    }

    HostCompletionQueue completions() {
        return new HostCompletionQueue(client.nic().createCompletionQueue(1024), cores);
    }

    HostQueuePair connect(HostCompletionQueue completions) {
        QueuePair from = clientDomain.createQueuePair(
                new QueuePairAttributes().completionQueue(completions.queue()).maxSend(256));
        QueuePair to = serverDomain.createQueuePair(new QueuePairAttributes().completionQueue(serverCompletions));
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(1024);
        from.connect(SERVER, to.number(), attributes);
        to.connect(CLIENT, from.number(), attributes);
        return new HostQueuePair(from, nic, cores);
    }

    /** A queue pair that a source fills, by a thread: of at most so many requests under way. */
    HostFeed feed(HostCompletionQueue completions, Function<QueuePair, SendSource> source, int depth) {
        QueuePair from = clientDomain.createQueuePair(
                new QueuePairAttributes().completionQueue(completions.queue()).maxSend(256));
        HostFeed feed = new HostFeed(from, source.apply(from), depth, nic, cores);
        QueuePair to = serverDomain.createQueuePair(new QueuePairAttributes().completionQueue(serverCompletions));
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(1024);
        from.connect(SERVER, to.number(), attributes);
        to.connect(CLIENT, from.number(), attributes);
        return feed;
    }

    SendRequest write(int bytes, long id) {
        return new SendRequest()
                .write(target.key(), 0)
                .local(source.key(), 0, bytes)
                .wrId(id);
    }
}

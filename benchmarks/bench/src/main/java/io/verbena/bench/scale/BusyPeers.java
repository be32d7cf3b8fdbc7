package io.verbena.bench.scale;

import io.verbena.fabric.shm.LocalFabric;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.QueuePair;
import io.verbena.nic.verbs.EngineMode;

/**
 * A NIC and n peers in this process, each with a link and a queue pair of its own, of which some send to it in turn.
 * What is measured is the processor's time of the one NIC and of whoever takes what it brings: each peer has a
 * processor of its own elsewhere. Here they share one, and its caches, so many busy peers look dearer than they are.
 */
final class BusyPeers extends BusyLoop {
    private static final int RING = 32 << 10;
    private static final int PACKET = 2048;

    private final Nic hubNic;
    private final ScaleEnd hub;
    private final ScaleEnd[] peers;
    private final QueuePair[] queuePairs;
    private final ScaleVerb verb;
    private final int busy;
    private final int sendersOfWindow;
    private int first; // of them
    private int next;
    private long hubNanos;

    /**
     * Opens the NICs and connects them.
     *
     * @param count peers
     * @param busyPeers how many of them send; the others do nothing
     * @param burst messages that a peer sends in its turn, a power of two up to {@value #WINDOW}
     * @param bytes of a message
     */
    BusyPeers(ScaleVerb verb, int count, int busyPeers, int burst, int bytes) {
        super(burst);
        this.verb = verb;
        this.busy = busyPeers;
        this.sendersOfWindow = Math.min(busyPeers, WINDOW / burst);
        int depth = BusyQueuePairs.slotsNeeded(busyPeers, burst);
        hubNic = Nic.open(new NicContext().mode(EngineMode.INVOKER));
        hub = new ScaleEnd(hubNic, tally, count, depth, bytes, verb);
        peers = new ScaleEnd[count];
        queuePairs = new QueuePair[count];
        for (int i = 0; i < count; i++) {
            Nic nic = Nic.open(new NicContext()
                    .mode(EngineMode.INVOKER)
                    .maxQueuePairs(16)
                    .maxMemoryRegions(16)
                    .maxAppendQueues(1));
            LocalFabric.connect(hubNic.engine(0).endpoint(), nic.engine(0).endpoint(), RING, PACKET);
            peers[i] = new ScaleEnd(nic, tally, 1, depth, bytes, null);
            QueuePair mine = peers[i].makeQueuePair();
            QueuePair theirs = hub.makeQueuePair();
            peers[i].connect(mine, hub, theirs);
            hub.connect(theirs, peers[i], mine);
            queuePairs[i] = mine;
            peers[i].turn();
        }
        hub.turn();
    }

    @Override
    void post(int messages) {
        peers[next].post(queuePairs[next], verb, hub, messages);
        next = next + 1 == busy ? 0 : next + 1;
    }

    @Override
    void beginWindow() {
        first = next;
    }

    @Override
    int senders() {
        return busy;
    }

    @Override
    long worked() {
        return hubNanos;
    }

    @Override
    void turn() {
        long begin = ProcessorTime.ofThread();
        hub.turn();
        hubNanos += ProcessorTime.ofThread() - begin;
        int i = first;
        for (int left = sendersOfWindow; left > 0; left--) { // what the others cost is the hub's matter
            peers[i].turn();
            i = i + 1 == busy ? 0 : i + 1;
        }
    }

    @Override
    public void close() {
        for (ScaleEnd peer : peers) {
            peer.nic().close();
        }
        hubNic.close();
    }
}

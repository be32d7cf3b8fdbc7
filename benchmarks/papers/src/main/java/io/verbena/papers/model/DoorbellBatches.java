package io.verbena.papers.model;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.Simulation;
import java.util.Arrays;

/**
 * What posts and a doorbell take of the thread that posts: real time, of the real queue pair. What the NIC does then is
 * left to a simulation, and not timed.
 */
final class DoorbellBatches {
    private static final int BYTES = 64;
    private static final long QUIET_NANOS = 50_000;

    private final Simulation simulation = new Simulation(1, 16);
    private final QueuePair qp;
    private final SendRequest request;
    private final int rounds;

    /** Takes the median of so many rounds. */
    DoorbellBatches(int rounds) {
        this.rounds = rounds;
        SimFabric fabric = new SimFabric(simulation);
        SimNode near = new SimNode(simulation, fabric, "near", 1);
        SimNode far = new SimNode(simulation, fabric, "far", 2);
        fabric.connect(near.nic().engine(0).endpoint(), far.nic().engine(0).endpoint(), new LinkProfile());
        ProtectionDomain domain = near.nic().allocateProtectionDomain();
        ProtectionDomain peers = far.nic().allocateProtectionDomain();
        CompletionQueue completions = near.nic().createCompletionQueue(16);
        qp = domain.createQueuePair(
                new QueuePairAttributes().completionQueue(completions).maxSend(64));
        QueuePair peer = peers.createQueuePair(
                new QueuePairAttributes().completionQueue(far.nic().createCompletionQueue(16)));
        qp.connect(far.nicId(), peer.number());
        peer.connect(near.nicId(), qp.number());
        MemoryRegion source = domain.allocate(BYTES, Access.ALL);
        MemoryRegion target = peers.allocate(BYTES, Access.ALL);
        request = new SendRequest()
                .write(target.key(), 0)
                .local(source.key(), 0, BYTES)
                .signaled(false);
    }

    /** Nanoseconds that a batch of so many posts and one doorbell take: the median. */
    double nanos(int batch) {
        long clock = median(0);
        return Math.max(median(batch) - clock, 0);
    }

    private long median(int batch) {
        long[] times = new long[rounds];
        for (int round = 0; round < 2 * rounds; round++) { // the first half warms up
            long start = System.nanoTime();
            if (batch > 0) {
                for (int i = 0; i < batch; i++) {
                    qp.post(request);
                }
                qp.doorbell();
            }
            long end = System.nanoTime();
            times[round % rounds] = end - start;
            if (batch > 0) {
                simulation.runFor(QUIET_NANOS);
            }
        }
        Arrays.sort(times);
        return times[rounds / 2];
    }
}

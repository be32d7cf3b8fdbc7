package io.verbena.fabric.shm;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;

/** Two NICs of this process, and two queue pairs by which the first writes a 7 each into the memory of the second. */
class WritingNics {
    private static final int MEMORY = 4096;

    final Nic writer;
    private final Nic target = Nic.open(context(EngineMode.INVOKER));
    private final CompletionQueue completions;
    private final QueuePair[] qps = new QueuePair[2];
    private final SendRequest[] requests = {new SendRequest(), new SendRequest()};
    private final MemoryRegion from;
    private final MemoryRegion to;

    WritingNics(NicContext ofWriter) {
        writer = Nic.open(ofWriter);
        completions = writer.createCompletionQueue(64);
        LocalFabric.connect(writer.engine(0).endpoint(), target.engine(0).endpoint());
        ProtectionDomain pd = writer.allocateProtectionDomain();
        ProtectionDomain ofTarget = target.allocateProtectionDomain();
        CompletionQueue peers = target.createCompletionQueue(64);
        from = pd.allocate(MEMORY, Access.ALL);
        to = ofTarget.allocate(MEMORY, Access.ALL);
        for (int i = 0; i < qps.length; i++) {
            qps[i] = pd.createQueuePair(new QueuePairAttributes().completionQueue(completions));
            QueuePair peer = ofTarget.createQueuePair(new QueuePairAttributes().completionQueue(peers));
            qps[i].connect(target.id(), peer.number());
            peer.connect(writer.id(), qps[i].number());
        }
    }

    /** A small NIC. */
    static NicContext context(EngineMode mode) {
        return new NicContext()
                .mode(mode)
                .maxQueuePairs(16)
                .maxMemoryRegions(16)
                .maxAppendQueues(1)
                .backgroundThread(false);
    }

    /** Lets the links come up. */
    final void settle(Runnable turnOfWriter) {
        for (int i = 0; i < 1000; i++) {
            turnOfWriter.run();
            target.engine(0).doWork();
        }
    }

    /** Nothing is written from here on. */
    final void clear() {
        from.buffer().putLong(0, 7);
        to.buffer().setMemory(0, 16, (byte) 0);
    }

    final void post(int qp) {
        qps[qp].postSend(requests[qp].write(to.key(), qp * 8L).local(from.key(), 0, 8));
    }

    final int written(int qp) {
        return (int) to.buffer().getLongVolatile(qp * 8);
    }

    final void takeCompletions() {
        completions.poll(c -> {}, 64);
    }
}

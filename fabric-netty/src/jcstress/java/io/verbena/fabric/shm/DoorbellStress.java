package io.verbena.fabric.shm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.EngineMode;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Who posts and who drives, at one engine: what was posted is done when all of them have let the baton go, whoever of them
 * did it. Nobody runs the engine afterwards.
 */
public class DoorbellStress {
    private static final int MEMORY = 4096;

    /** Two NICs of this process with two queue pairs; kept in a pool, for a NIC is too much for a state. */
    private static final class Nics {
        private static final ConcurrentLinkedQueue<Nics> POOL = new ConcurrentLinkedQueue<>();

        final Nic a = open();
        final Nic b = open();
        final CompletionQueue completions = a.createCompletionQueue(64);
        final QueuePair[] qps = new QueuePair[2];
        final SendRequest[] requests = {new SendRequest(), new SendRequest()};
        final MemoryRegion from;
        final MemoryRegion to;

        private Nics() {
            LocalFabric.connect(a.engine(0).endpoint(), b.engine(0).endpoint());
            ProtectionDomain pdA = a.allocateProtectionDomain();
            ProtectionDomain pdB = b.allocateProtectionDomain();
            CompletionQueue peers = b.createCompletionQueue(64);
            from = pdA.allocate(MEMORY, Access.ALL);
            to = pdB.allocate(MEMORY, Access.ALL);
            for (int i = 0; i < qps.length; i++) {
                qps[i] = pdA.createQueuePair(new QueuePairAttributes().completionQueue(completions));
                QueuePair peer = pdB.createQueuePair(new QueuePairAttributes().completionQueue(peers));
                qps[i].connect(b.id(), peer.number());
                peer.connect(a.id(), qps[i].number());
            }
            for (int i = 0; i < 1000; i++) {
                a.engine(0).doWork();
                b.engine(0).doWork();
            }
        }

        private static Nic open() {
            return Nic.open(new NicContext()
                    .mode(EngineMode.INVOKER)
                    .maxQueuePairs(16)
                    .maxMemoryRegions(16)
                    .maxAppendQueues(1)
                    .backgroundThread(false));
        }

        static Nics take() {
            Nics nics = POOL.poll();
            if (nics == null) {
                nics = new Nics();
            }
            nics.from.buffer().putLong(0, 7);
            nics.to.buffer().setMemory(0, 16, (byte) 0);
            return nics;
        }

        void post(int qp) {
            qps[qp].postSend(requests[qp].write(to.key(), qp * 8L).local(from.key(), 0, 8));
        }

        void drive() {
            while (a.engine(0).doWork() > 0) {}
        }

        int written(int qp) {
            return (int) to.buffer().getLongVolatile(qp * 8);
        }

        void giveBack() {
            while (a.engine(0).hasWork()) {
                a.engine(0).doWork();
            }
            completions.poll(c -> {}, 64);
            POOL.add(this);
        }
    }

    /** A poster, and somebody who drives the engine until it finds nothing. */
    @JCStressTest
    @Outcome(id = "7, 0", expect = ACCEPTABLE, desc = "done")
    @Outcome(expect = FORBIDDEN, desc = "the doorbell was lost")
    @State
    public static class PosterAndDriver {
        private final Nics nics = Nics.take();

        /** Posts a WRITE. */
        @Actor
        public void poster() {
            nics.post(0);
        }

        /** Drives. */
        @Actor
        public void driver() {
            nics.drive();
        }

        /** Whether it was done. */
        @Arbiter
        public void after(II_Result r) {
            r.r1 = nics.written(0);
            nics.giveBack();
        }
    }

    /** Two posters, each of whom may find the baton taken. */
    @JCStressTest
    @Outcome(id = "7, 7", expect = ACCEPTABLE, desc = "both done")
    @Outcome(expect = FORBIDDEN, desc = "a doorbell was lost")
    @State
    public static class TwoPosters {
        private final Nics nics = Nics.take();

        /** Posts a WRITE. */
        @Actor
        public void one() {
            nics.post(0);
        }

        /** Posts another. */
        @Actor
        public void two() {
            nics.post(1);
        }

        /** Whether they were done. */
        @Arbiter
        public void after(II_Result r) {
            r.r1 = nics.written(0);
            r.r2 = nics.written(1);
            nics.giveBack();
        }
    }
}

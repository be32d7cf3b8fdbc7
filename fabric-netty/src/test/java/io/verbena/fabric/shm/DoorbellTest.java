package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads post at one engine that nobody else drives: whoever holds the baton does what the others have rung for. */
@Timeout(180)
class DoorbellTest {
    private static final int ROUNDS = 20_000;
    private static final long ENOUGH_NANOS = 20_000_000_000L; // where a round takes slices of other processes
    private static final int OVER = Integer.MAX_VALUE;
    private static final int POSTERS = 3; // one has the baton, one comes next, and one rings meanwhile
    private static final int LENGTH = 2048;
    private static final int SPINS = 10_000; // longer than the other thread takes if it has a processor
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private static void await(AtomicInteger word, int round) {
        long begin = 0;
        for (int spins = 0; word.get() < round; spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
                continue;
            }
            long now = System.nanoTime();
            begin = begin == 0 ? now : begin;
            assertThat(now - begin).as("round " + round).isLessThan(PATIENCE_NANOS);
            Thread.yield();
        }
    }

    private static boolean haveAllArrived(MemoryRegion to, long round) {
        boolean all = true;
        for (int i = 1; i <= POSTERS; i++) {
            all &= to.buffer().getLongVolatile(i * LENGTH - 8) == round;
        }
        return all;
    }

    @Test
    void whatWasPostedIsDoneWhenTheLastHasLetTheBatonGo() throws InterruptedException {
        try (Nic a = Nic.open(new NicContext().mode(EngineMode.INVOKER));
                Nic b = Nic.open(new NicContext().mode(EngineMode.INVOKER))) {
            LocalFabric.connect(a.engine(0).endpoint(), b.engine(0).endpoint());
            ProtectionDomain pdA = a.allocateProtectionDomain();
            ProtectionDomain pdB = b.allocateProtectionDomain();
            CompletionQueue completions = a.createCompletionQueue(64);
            CompletionQueue ofPeer = b.createCompletionQueue(64);
            MemoryRegion from = pdA.allocate(POSTERS * LENGTH, Access.ALL);
            MemoryRegion to = pdB.allocate(POSTERS * LENGTH, Access.ALL);
            QueuePair[] qps = new QueuePair[POSTERS];
            for (int i = 0; i < POSTERS; i++) {
                qps[i] = pdA.createQueuePair(new QueuePairAttributes().completionQueue(completions));
                QueuePair peer = pdB.createQueuePair(new QueuePairAttributes().completionQueue(ofPeer));
                qps[i].connect(b.id(), peer.number());
                peer.connect(a.id(), qps[i].number());
            }
            for (int i = 0; i < 1000; i++) {
                a.engine(0).doWork();
                b.engine(0).doWork();
            }
            AtomicInteger round = new AtomicInteger();
            AtomicInteger posted = new AtomicInteger();
            List<Thread> others = new ArrayList<>();
            for (int i = 1; i < POSTERS; i++) {
                QueuePair own = qps[i];
                SendRequest write = new SendRequest()
                        .write(to.key(), (long) i * LENGTH)
                        .local(from.key(), (long) i * LENGTH, LENGTH);
                Thread other = new Thread(() -> {
                    for (int r = 1; r <= ROUNDS; r++) {
                        await(round, r);
                        if (round.get() == OVER) {
                            return;
                        }
                        own.postSend(write);
                        posted.incrementAndGet();
                    }
                });
                other.setDaemon(true);
                other.start();
                others.add(other);
            }
            SendRequest request = new SendRequest();
            int lost = 0;
            long begin = System.nanoTime();
            for (int r = 1; r <= ROUNDS && System.nanoTime() - begin < ENOUGH_NANOS; r++) {
                for (int i = 1; i <= POSTERS; i++) {
                    from.buffer().putLong(i * LENGTH - 8, r);
                }
                round.set(r);
                qps[0].postSend(request.write(to.key(), 0).local(from.key(), 0, LENGTH));
                await(posted, r * (POSTERS - 1));
                lost += haveAllArrived(to, r) ? 0 : 1;
                completions.poll(c -> assertThat(c.isSuccess()).isTrue(), 64);
            }
            round.set(OVER);
            for (Thread other : others) {
                other.join();
            }
            assertThat(lost).as("rounds in which a post was left undone").isZero();
        }
    }
}

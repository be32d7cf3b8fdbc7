package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two engines of one NIC, each run by a thread of its own, and tenants with queue pairs on both. The threads meet after
 * every few turns, so that neither engine is far ahead, whoever has a core; in between they read each other's accounts
 * as they write them. What is asserted are counts, over turns in which everybody had work before and after.
 */
@Timeout(180)
class EnginesShareOverThreadsTest {
    private static final int ENGINES = 2;
    private static final int ROUNDS = 600;
    private static final int NOT_COUNTED = 100;
    private static final int TURNS_PER_ROUND = 2;
    private static final int SIZE = 16 << 10;
    private static final int DEPTH = 512; // a turn sends 64 at most: a megabyte

    private final Nic near = Nic.open(new NicContext().engines(ENGINES).mode(EngineMode.INVOKER));
    private final List<Nic> fars = new ArrayList<>();
    private final List<List<Load>> loads = new ArrayList<>();

    EnginesShareOverThreadsTest() {
        for (int i = 0; i < ENGINES; i++) {
            Nic far = Nic.open(new NicContext().mode(EngineMode.INVOKER));
            fars.add(far);
            loads.add(new ArrayList<>());
            LocalFabric.connect(near.engine(i).endpoint(), far.engine(0).endpoint());
        }
    }

    @AfterEach
    void close() {
        near.close();
        fars.forEach(Nic::close);
    }

    private final class Tenant {
        final PerformanceGroup group;
        final ProtectionDomain domain;

        Tenant(String name, int weight) {
            group = near.createGroup(new GroupAttributes().name(name).weight(weight));
            domain = near.allocateProtectionDomain(group);
        }

        Tenant on(int engine, int queuePairs) {
            for (int i = 0; i < queuePairs; i++) {
                loads.get(engine).add(new Load(this, engine));
            }
            return this;
        }

        long charged() {
            return group.statistics().charged();
        }
    }

    /** A queue pair that always has WRITEs to send. For the thread of its engine. */
    private final class Load {
        final CompletionQueue done;
        final QueuePair qp;
        final MemoryRegion source;
        final int remoteKey;
        final SendRequest request = new SendRequest();

        Load(Tenant tenant, int engine) {
            Nic far = fars.get(engine);
            ProtectionDomain there = far.allocateProtectionDomain();
            source = tenant.domain.allocate(SIZE, Access.ALL);
            remoteKey = there.allocate(SIZE, Access.ALL).key();
            done = near.createCompletionQueue(2 * DEPTH, engine);
            QueuePairAttributes attributes = new QueuePairAttributes()
                    .maxSend(DEPTH)
                    .maxReceive(1)
                    .maxSge(1)
                    .maxInline(0);
            qp = tenant.domain.createQueuePair(attributes.engine(engine).completionQueue(done));
            QueuePair peer =
                    there.createQueuePair(new QueuePairAttributes().completionQueue(far.createCompletionQueue(16)));
            qp.connect(far.id(), peer.number());
            peer.connect(near.id(), qp.number());
        }

        void fill() {
            while (done.poll(this::succeeded, DEPTH) > 0) {
                continue;
            }
            for (int room = qp.maxSend() - qp.outstanding(); room > 0; room--) {
                request.write(remoteKey, 0).local(source.key(), 0, SIZE).signaled(room == 1);
                assertThat(qp.post(request)).isEqualTo(PostResult.POSTED);
            }
            qp.doorbell();
        }

        private void succeeded(Completion completion) {
            assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS);
        }
    }

    /** Fills what has room while the engine sends nothing, and lets it take its turns. */
    private void turns(int engine) {
        near.engine(engine).call(() -> loads.get(engine).forEach(Load::fill));
        for (int i = 0; i < TURNS_PER_ROUND; i++) {
            near.engine(engine).doWork();
        }
    }

    private void run(CyclicBarrier meeting, int engine) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            turns(engine);
            meeting.await(30, TimeUnit.SECONDS);
        }
    }

    /** What one gets of both together. */
    private double share(Tenant of, Tenant other) throws Exception {
        long[] before = new long[2];
        int[] rounds = new int[1];
        CyclicBarrier meeting = new CyclicBarrier(ENGINES, () -> {
            if (++rounds[0] == NOT_COUNTED) {
                before[0] = of.charged();
                before[1] = other.charged();
            }
        });
        ExecutorService threads = Executors.newFixedThreadPool(ENGINES);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int i = 0; i < ENGINES; i++) {
                int engine = i;
                runs.add(threads.submit(() -> {
                    run(meeting, engine);
                    return null;
                }));
            }
            for (Future<?> each : runs) {
                each.get(50, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        long mine = of.charged() - before[0];
        return mine / (double) (mine + other.charged() - before[1]);
    }

    @Test
    void anUnequalNumberOfQueuePairsChangesNothing() throws Exception {
        Tenant light = new Tenant("light", 1).on(0, 5).on(1, 1);
        Tenant heavy = new Tenant("heavy", 3).on(0, 1).on(1, 4);
        assertThat(share(light, heavy)).isCloseTo(0.25, within(0.005));
    }

    /** One queue pair each, so that visits are as long on both engines and a turn of either sends as much. */
    @Test
    void whoIsOnOneEngineGetsItsShareOfBoth() throws Exception {
        Tenant light = new Tenant("light", 1).on(0, 1);
        Tenant heavy = new Tenant("heavy", 3).on(0, 1).on(1, 2);
        assertThat(share(light, heavy)).isCloseTo(0.25, within(0.0075));
    }
}

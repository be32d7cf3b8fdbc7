package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A NIC of two engines, each with a link of 10 Gb/s, and tenants with queue pairs on both. */
@Timeout(180)
class EnginesShareTest {
    private static final long MILLI = 1_000_000;
    private static final int MAX = 64 * 1024;

    private final Simulation simulation = new Simulation(5);
    private final SimFabric fabric = new SimFabric(simulation);
    private final Nic nic;
    private final Far[] fars = new Far[2];

    private final class Far {
        final SimNode node;
        final ProtectionDomain pd;
        final CompletionQueue done;
        final MemoryRegion target;

        Far(int engine) {
            node = new SimNode(simulation, fabric, "far" + engine, 2 + engine);
            pd = node.nic().allocateProtectionDomain();
            done = node.nic().createCompletionQueue(64);
            target = pd.allocate(MAX, Access.ALL);
            fabric.connect(
                    nic.engine(engine).endpoint(),
                    node.nic().engine(0).endpoint(),
                    new LinkProfile()
                            .rate(10_000_000_000L)
                            .overhead(58)
                            .maxPacket(4200)
                            .window(16 * 1024));
        }
    }

    EnginesShareTest() {
        SimRandom keys = simulation.newRandom();
        nic = Nic.open(new NicContext()
                .id(1)
                .engines(2)
                .mode(EngineMode.INVOKER)
                .clock(simulation.clock())
                .random(keys::nextLong)
                .deregisterTimeoutNanos(0)
                .acknowledgeTimeoutNanos(0)
                .maxQueuePairs(64)
                .maxMemoryRegions(64)
                .backgroundThread(false)
                .memory(new SimMemory())
                .waiters(new SimWaiter(), new SimWaiter()));
        for (int i = 0; i < fars.length; i++) {
            int engine = i;
            simulation.add("engine" + i, () -> nic.engine(engine).doWork());
            fars[i] = new Far(i);
        }
        simulation.runFor(0);
    }

    /** A tenant's queue pairs, with writes of one size, so many at a time each. */
    private final class Tenant {
        final PerformanceGroup group;
        final ProtectionDomain pd;
        final MemoryRegion source;
        final int size;
        final int depth;
        final List<Load> loads = new ArrayList<>();
        boolean works = true;

        Tenant(String name, int weight, int size, int depth) {
            group = nic.createGroup(new GroupAttributes().name(name).weight(weight));
            pd = nic.allocateProtectionDomain(group);
            source = pd.allocate(size, Access.ALL);
            this.size = size;
            this.depth = depth;
        }

        Tenant on(int engine, int queuePairs) {
            for (int i = 0; i < queuePairs; i++) {
                Load load = new Load(this, engine);
                loads.add(load);
                simulation.add(group.name() + loads.size(), load);
            }
            return this;
        }

        long bytes() {
            return group.statistics().bytes();
        }
    }

    private final class Load implements Actor {
        final Tenant tenant;
        final Far far;
        final CompletionQueue done;
        final QueuePair qp;
        final SendRequest request = new SendRequest();
        int outstanding;

        Load(Tenant tenant, int engine) {
            this.tenant = tenant;
            far = fars[engine];
            done = nic.createCompletionQueue(256, engine);
            qp = tenant.pd.createQueuePair(new QueuePairAttributes()
                    .engine(engine)
                    .completionQueue(done)
                    .maxSend(256));
            QueuePair peer = far.pd.createQueuePair(new QueuePairAttributes().completionQueue(far.done));
            ConnectAttributes attributes =
                    new ConnectAttributes().access(Access.ALL).pathMtu(4096).timeout(12);
            qp.connect(far.node.nicId(), peer.number(), attributes);
            peer.connect(nic.id(), qp.number(), attributes);
        }

        @Override
        public int step() {
            int work = done.poll(
                    c -> {
                        assertThat(c.status()).isEqualTo(WcStatus.SUCCESS);
                        outstanding--;
                    },
                    64);
            boolean posted = false;
            while (tenant.works && outstanding < tenant.depth) {
                PostResult result =
                        qp.post(request.write(far.target.key(), 0).local(tenant.source.key(), 0, tenant.size));
                assertThat(result).isEqualTo(PostResult.POSTED);
                outstanding++;
                posted = true;
                work++;
            }
            if (posted) {
                qp.doorbell();
            }
            return work;
        }
    }

    /** What one gets of both together. */
    private double share(Tenant of, Tenant other, long nanos) {
        long one = of.bytes();
        long two = other.bytes();
        simulation.runFor(nanos);
        long mine = of.bytes() - one;
        return mine / (double) (mine + other.bytes() - two);
    }

    @Test
    void anUnequalNumberOfQueuePairsChangesNothing() {
        Tenant light = new Tenant("light", 1, 1000, 60).on(0, 5).on(1, 1);
        Tenant heavy = new Tenant("heavy", 3, MAX, 4).on(0, 1).on(1, 4);
        simulation.runFor(2 * MILLI);
        assertThat(share(light, heavy, 8 * MILLI)).isCloseTo(0.25, within(0.005));
    }

    @Test
    void whoIsOnOneEngineGetsItsShareOfBoth() {
        Tenant both = new Tenant("both", 3, MAX, 4).on(0, 2).on(1, 3);
        Tenant one = new Tenant("one", 1, 3000, 40).on(0, 3);
        simulation.runFor(10 * MILLI);
        assertThat(share(one, both, 15 * MILLI)).isCloseTo(0.25, within(0.01));
    }

    @Test
    void whoComesAndGoesGetsItsShareWhileItIsThere() {
        Tenant both = new Tenant("both", 3, MAX, 4).on(0, 2).on(1, 3);
        Tenant restless = new Tenant("restless", 1, 3000, 40).on(0, 3).on(1, 1);
        simulation.runFor(5 * MILLI);
        for (int i = 0; i < 4; i++) {
            assertThat(share(restless, both, 5 * MILLI)).as("phase %d", i).isCloseTo(0.25, within(0.015));
            restless.works = false;
            simulation.runFor((1 + i) * 2L * MILLI);
            restless.works = true;
            simulation.runFor(MILLI / 2);
        }
    }

    @Test
    void whatOthersHaveWhileOneIsAwayIsNotHeldAgainstThem() {
        Tenant both = new Tenant("both", 3, 4096, 32).on(0, 2).on(1, 3);
        Tenant restless = new Tenant("restless", 1, 3000, 8).on(0, 3);
        long mine = 0;
        long others = 0;
        for (int i = 0; i < 60; i++) {
            restless.works = true;
            long before = restless.bytes();
            long beforeOthers = both.bytes();
            simulation.runFor(MILLI / 2);
            if (i >= 20) { // settled
                mine += restless.bytes() - before;
                others += both.bytes() - beforeOthers;
            }
            restless.works = false;
            simulation.runFor(MILLI);
        }
        assertThat(mine / (double) (mine + others)).isCloseTo(0.25, within(0.02));
    }

    @Test
    void anIdlePhaseIsNotMadeUpFor() {
        Tenant both = new Tenant("both", 3, MAX, 4).on(0, 2).on(1, 3);
        Tenant returns = new Tenant("returns", 1, 3000, 40).on(0, 2);
        Tenant steady = new Tenant("steady", 1, MAX, 4).on(0, 1).on(1, 1);
        for (int i = 0; i < 3; i++) {
            simulation.runFor(6 * MILLI);
            long before = returns.bytes();
            long others = both.bytes() + steady.bytes();
            assertThat(share(steady, both, 8 * MILLI)).as("phase %d", i).isCloseTo(0.25, within(0.02));
            long mine = returns.bytes() - before;
            others = both.bytes() + steady.bytes() - others;
            assertThat(mine / (double) (mine + others)).as("phase %d", i).isCloseTo(0.2, within(0.02));
            returns.works = false;
            simulation.runFor(12 * MILLI);
            returns.works = true;
        }
    }
}

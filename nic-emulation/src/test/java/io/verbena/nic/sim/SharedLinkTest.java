package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tenants that share a link of 10 Gb/s: what each gets of it, and how long an urgent message takes. */
@Timeout(180)
class SharedLinkTest {
    private static final long MILLI = 1_000_000;
    private static final long RATE = 10_000_000_000L;
    private static final int LARGE = 1 << 20;
    private static final int CHUNK = 16 * 1024;

    private final Simulation simulation = new Simulation(3);
    private final SimFabric fabric = new SimFabric(simulation);
    private final SimNode.Options options =
            new SimNode.Options().arbiter(ArbiterSettings.defaults().withDiscipline(Discipline.CHUNKS));
    private final SimNode near = new SimNode(simulation, fabric, "near", 1, options);
    private final SimNode far = new SimNode(simulation, fabric, "far", 2, options);
    private final SimConnection link;
    private final ProtectionDomain there = far.nic().allocateProtectionDomain();
    private final CompletionQueue theirs = far.nic().createCompletionQueue(64);
    private final MemoryRegion target = there.allocate(LARGE, Access.ALL);
    private final ConnectAttributes attributes =
            new ConnectAttributes().access(Access.ALL).pathMtu(1024).timeout(10);

    SharedLinkTest() {
        link = fabric.connect(
                near.nic().engine(0).endpoint(),
                far.nic().engine(0).endpoint(),
                new LinkProfile().rate(RATE).overhead(58).maxPacket(1500).window(16 * 1024));
        simulation.runFor(0);
    }

    /** A tenant's queue pair with writes of one size, so many at a time. */
    private final class Load {
        final PerformanceGroup group;
        final CompletionQueue done = near.nic().createCompletionQueue(256);
        final ProtectionDomain pd;
        final MemoryRegion source;
        final QueuePair qp;
        final SendRequest request = new SendRequest();
        final List<Long> latencies = new ArrayList<>();
        final List<WcStatus> statuses = new ArrayList<>();
        final int size;
        int depth;
        int outstanding;
        long postedAt;

        Load(String name, int weight, int size, int depth) {
            group = near.nic().createGroup(new GroupAttributes().name(name).weight(weight));
            pd = near.nic().allocateProtectionDomain(group);
            source = pd.allocate(size, Access.ALL);
            qp = pd.createQueuePair(
                    new QueuePairAttributes().completionQueue(done).maxSend(256));
            this.size = size;
            this.depth = depth;
            QueuePair peer = there.createQueuePair(new QueuePairAttributes().completionQueue(theirs));
            qp.connect(far.nicId(), peer.number(), attributes);
            peer.connect(near.nicId(), qp.number(), attributes);
        }

        void start() {
            simulation.add(group.name(), this::pump);
        }

        private int pump() {
            int work = done.poll(
                    c -> {
                        statuses.add(c.status());
                        outstanding--;
                        latencies.add(simulation.nowNanos() - postedAt);
                    },
                    64);
            while (outstanding < depth && (statuses.isEmpty() || statuses.get(0) == WcStatus.SUCCESS)) {
                postedAt = simulation.nowNanos();
                PostResult result = qp.post(request.write(target.key(), 0).local(source.key(), 0, size));
                assertThat(result).isEqualTo(PostResult.POSTED);
                outstanding++;
                work++;
            }
            if (work > 0) {
                qp.doorbell();
            }
            return work;
        }

        long bytes() {
            return group.statistics().bytes();
        }

        /** The largest latency, without the first tenth. */
        long worst() {
            return latencies.stream()
                    .skip(latencies.size() / 10)
                    .mapToLong(Long::longValue)
                    .max()
                    .orElseThrow();
        }
    }

    private double share(Load of, Load other) {
        simulation.runFor(2 * MILLI);
        long one = of.bytes();
        long two = other.bytes();
        simulation.runFor(10 * MILLI);
        long mine = of.bytes() - one;
        return mine / (double) (mine + other.bytes() - two);
    }

    @Test
    void smallMessagesHoldTheirShareBesideLarge() {
        Load small = new Load("small", 1, 64, 200);
        Load large = new Load("large", 3, LARGE, 4);
        small.start();
        large.start();
        assertThat(share(small, large)).isCloseTo(0.25, within(0.005));
    }

    @Test
    void largeMessagesHoldTheirShareBesideSmall() {
        Load large = new Load("large", 1, LARGE, 4);
        Load small = new Load("small", 3, 64, 250);
        small.start();
        large.start();
        assertThat(share(large, small)).isCloseTo(0.25, within(0.005));
    }

    @Test
    void whatIsChargedIsWhatTheWireCarries() {
        Load load = new Load("one", 1, 64, 100);
        load.start();
        simulation.runFor(10 * MILLI);
        // The link is full: all of its time is accounted for, but for what is under way.
        assertThat(load.bytes() / (RATE / 8.0 / 100)).isCloseTo(1, within(0.02));
    }

    @Test
    void anUrgentMessageWaitsForTwoChunksAtMost() {
        Load alone = new Load("alone", 1, 64, 1);
        alone.qp.modify(new QpAttributes().trafficClass(TrafficClass.URGENT));
        alone.start();
        simulation.runFor(5 * MILLI);
        long base = alone.worst();
        alone.latencies.clear();
        List<Load> floods = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Load flood = new Load("flood" + i, 1, LARGE, 4);
            flood.start();
            floods.add(flood);
        }
        long before = floods.stream().mapToLong(Load::bytes).sum();
        simulation.runFor(20 * MILLI);
        assertThat(alone.latencies.size()).isGreaterThan(100);
        long chunk = (CHUNK + 1500 + 17 * 58) * 8 * 1_000_000_000L / RATE;
        assertThat(alone.worst()).isLessThanOrEqualTo(base + 2 * chunk);
        // And bulk loses nothing by it.
        long sent = floods.stream().mapToLong(Load::bytes).sum() - before;
        assertThat(sent / (RATE / 8.0 / 50)).isGreaterThan(0.95);
    }

    @Test
    void whoWaitsForItsTurnWaitsForNoAnswer() {
        attributes.timeout(4).retryCount(3); // 65 us
        Load light = new Load("light", 1, LARGE, 2); // its turn for a packet comes each millisecond
        Load heavy = new Load("heavy", 1000, LARGE, 4);
        light.start();
        heavy.start();
        simulation.runFor(20 * MILLI);
        assertThat(light.bytes()).isPositive();
        assertThat(light.statuses).isEmpty();
        assertThat(heavy.statuses).isNotEmpty().containsOnly(WcStatus.SUCCESS);
        assertThat(near.nic().counter(NicCounter.RETRANSMISSIONS)).isZero();
        heavy.depth = 0;
        simulation.runFor(20 * MILLI);
        assertThat(light.statuses).isNotEmpty().containsOnly(WcStatus.SUCCESS);
    }

    @Test
    void allGiveUpALinkThatMovesNothing() {
        link.a().profile().rate(8); // a byte a second
        attributes.timeout(8).retryCount(2);
        List<Load> loads = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            Load load = new Load("stuck" + i, 1, 4096, 32);
            load.start();
            loads.add(load);
        }
        simulation.runFor(40 * MILLI);
        for (Load load : loads) {
            assertThat(load.statuses).contains(WcStatus.RETRY_EXC_ERR);
        }
    }
}

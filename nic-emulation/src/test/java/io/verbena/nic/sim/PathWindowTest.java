package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.GroupAttributes;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.PostResult;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.NicCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tenants on a path that takes all they have, as a kernel's buffers do: what each gets of it once both send, and that
 * nobody is held back who is alone.
 */
@Timeout(180)
class PathWindowTest {
    private static final long MILLI = 1_000_000;
    private static final long RATE = 10_000_000_000L;
    private static final int BUFFERS = 16 * 1024 * 1024;

    private final Simulation simulation = new Simulation(5);
    private final SimFabric fabric = new SimFabric(simulation);
    private final SimNode near = new SimNode(simulation, fabric, "near", 1, new SimNode.Options());
    private final SimNode far = new SimNode(simulation, fabric, "far", 2, new SimNode.Options());
    private final SimConnection link;
    private final ProtectionDomain there = far.nic().allocateProtectionDomain();
    private final CompletionQueue theirs = far.nic().createCompletionQueue(64);
    private final MemoryRegion target = there.allocate(1 << 20, Access.ALL);

    PathWindowTest() {
        link = fabric.connect(
                near.nic().engine(0).endpoint(),
                far.nic().engine(0).endpoint(),
                new LinkProfile().rate(RATE).delay(5_000).maxPacket(9000).window(BUFFERS));
        simulation.runFor(0);
    }

    /** A tenant that always has so many writes posted. */
    private final class Load {
        final PerformanceGroup group;
        final CompletionQueue done = near.nic().createCompletionQueue(8192);
        final MemoryRegion source;
        final QueuePair qp;
        final SendRequest request = new SendRequest();
        final int size;
        int depth;
        int outstanding;
        int completed;
        long delivered; // bytes

        Load(String name, int weight, int size, int depth) {
            group = near.nic().createGroup(new GroupAttributes().name(name).weight(weight));
            ProtectionDomain pd = near.nic().allocateProtectionDomain(group);
            source = pd.allocate(size, Access.ALL);
            qp = pd.createQueuePair(
                    new QueuePairAttributes().completionQueue(done).maxSend(depth));
            this.size = size;
            this.depth = depth;
            QueuePair peer = there.createQueuePair(new QueuePairAttributes().completionQueue(theirs));
            ConnectAttributes attributes =
                    new ConnectAttributes().access(Access.ALL).pathMtu(8192).timeout(14);
            qp.connect(far.nicId(), peer.number(), attributes);
            peer.connect(near.nicId(), qp.number(), attributes);
            simulation.add(name, this::pump);
        }

        private int pump() {
            int work = done.poll(
                    c -> {
                        outstanding--;
                        completed++;
                        delivered += size;
                    },
                    64);
            while (outstanding < depth) {
                assertThat(qp.post(request.write(target.key(), 0).local(source.key(), 0, size)))
                        .isEqualTo(PostResult.POSTED);
                outstanding++;
                work++;
            }
            if (work > 0) {
                qp.doorbell();
            }
            return work;
        }
    }

    /** What one has of what both got at the receiver, from 10 ms on, for 40 ms. */
    private double share(Load one, Load other) {
        simulation.runFor(10 * MILLI);
        long mine = one.delivered;
        long others = other.delivered;
        simulation.runFor(40 * MILLI);
        mine = one.delivered - mine;
        return mine / (double) (mine + other.delivered - others);
    }

    @Test
    void equalMessagesAreSharedByWeight() {
        assertThat(share(new Load("a", 3, 1024, 1024), new Load("b", 1, 1024, 1024)))
                .isCloseTo(0.75, within(0.01));
    }

    @Test
    void smallAndLargeMessagesAreSharedByWeight() {
        assertThat(share(new Load("small", 1, 2048, 512), new Load("large", 9, 65536, 16)))
                .isCloseTo(0.1, within(0.005));
    }

    @Test
    void aChangeOfWeightsHoldsAtOnce() {
        Load a = new Load("a", 1, 4096, 256);
        Load b = new Load("b", 1, 4096, 256);
        assertThat(share(a, b)).isCloseTo(0.5, within(0.01));
        a.group.set(a.group.query().weight(30));
        assertThat(share(a, b)).isCloseTo(30 / 31.0, within(0.01));
    }

    @Test
    void whatIsUnderWayIsBoundedWhileSeveralSendAndOnlyThen() {
        Load first = new Load("first", 1, 65536, 64);
        simulation.runFor(MILLI);
        assertThat(link.a().unsent()).as("alone").isGreaterThan(2 << 20);
        Load second = new Load("second", 1, 65536, 64);
        simulation.runFor(20 * MILLI);
        assertThat(link.a().unsent()).as("contended").isBetween(16 * 1024, 256 * 1024);
        second.depth = 0;
        simulation.runFor(60 * MILLI);
        assertThat(second.outstanding).isZero();
        assertThat(link.a().unsent()).as("alone again").isGreaterThan(2 << 20);
        assertThat(first.completed).isPositive();
        assertThat(near.nic().counter(NicCounter.RETRANSMISSIONS)).isZero();
    }

    @Test
    void theLinkIsFullWhileItIsContended() {
        Load a = new Load("a", 3, 8192, 128);
        Load b = new Load("b", 1, 8192, 128);
        simulation.runFor(10 * MILLI);
        long before = a.delivered + b.delivered;
        simulation.runFor(40 * MILLI);
        double bytes = a.delivered + b.delivered - before;
        assertThat(bytes / (RATE / 8.0 * 0.04)).isGreaterThan(0.96);
    }
}

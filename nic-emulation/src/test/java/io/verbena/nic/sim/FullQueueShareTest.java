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
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.NicCounter;
import java.util.HashMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tenants that append to one queue in a peer's mapped memory, whose consumer is slower than both, and which takes less
 * than any window of theirs: what each gets of the room that the consumer frees.
 */
@Timeout(180)
class FullQueueShareTest {
    private static final long MILLI = 1_000_000;
    private static final int CHUNK = 64 << 10;
    private static final int TICK_NANOS = 2_000;
    private static final int BYTES_PER_TICK = 4_096;
    private static final int WINDOW = 256 << 10;
    private static final int CHARGED_HEADER = 32;

    private final Simulation simulation = new Simulation(7);
    private final SimFabric fabric = new SimFabric(simulation);
    private final SimNode near = new SimNode(simulation, fabric, "near", 1);
    private final SimNode far = new SimNode(simulation, fabric, "far", 2);
    private final ProtectionDomain there = far.nic().allocateProtectionDomain();
    private final CompletionQueue theirs = far.nic().createCompletionQueue(64);
    private final AppendQueue queue = there.createAppendQueue(new AppendQueueAttributes()
            .chunkLength(CHUNK)
            .reserveChunks(1)
            .maxMessage(CHUNK / 4)
            .memoryLimit(3L * CHUNK));
    private final ConnectAttributes attributes = new ConnectAttributes().access(Access.ALL);
    private final Map<Integer, Long> taken = new HashMap<>();
    private int due;

    FullQueueShareTest() {
        fabric.connect(near.nic().engine(0).endpoint(), far.nic().engine(0).endpoint(), new LinkProfile().direct(true));
        simulation.runFor(0);
        simulation.after(TICK_NANOS, this::consume);
    }

    private void consume() {
        due += BYTES_PER_TICK;
        while (due > 0 && queue.poll(this::take, 1) > 0) {
            // as far as its time goes
        }
        due = Math.min(due, 0);
        simulation.after(TICK_NANOS, this::consume);
    }

    private void take(DirectBuffer b, int offset, int length, int from, int immediate, int flags) {
        due -= length;
        taken.merge(from, (long) length + CHARGED_HEADER, Long::sum);
    }

    /** A tenant with a queue pair that appends messages of one length for as long as its send queue takes them. */
    private final class Load {
        final PerformanceGroup group;
        final QueuePair qp;
        final QueuePair peer;
        final MemoryRegion source;
        final int length;
        final SendRequest request = new SendRequest();
        boolean stopped;

        Load(String name, int weight, int length) {
            group = near.nic().createGroup(new GroupAttributes().name(name).weight(weight));
            ProtectionDomain pd = near.nic().allocateProtectionDomain(group);
            source = pd.allocate(length, Access.ALL);
            this.length = length;
            qp = pd.createQueuePair(new QueuePairAttributes()
                    .completionQueue(near.nic().createCompletionQueue(64))
                    .maxSend(Math.max(2, WINDOW / length)));
            peer = there.createQueuePair(new QueuePairAttributes().completionQueue(theirs));
            qp.connect(far.nicId(), peer.number(), attributes);
            peer.connect(near.nicId(), qp.number(), attributes);
            simulation.add(name, this::pump);
        }

        private int pump() {
            int posted = 0;
            while (!stopped
                    && qp.post(request.append(queue.id(), queue.key())
                                    .local(source.key(), 0, length)
                                    .signaled(false))
                            == PostResult.POSTED) {
                posted++;
            }
            if (posted > 0) {
                qp.doorbell();
            }
            return posted;
        }

        long received() {
            return taken.getOrDefault(peer.number(), 0L);
        }
    }

    private double share(Load of, Load other) {
        simulation.runFor(2 * MILLI);
        long one = of.received();
        long two = other.received();
        simulation.runFor(30 * MILLI);
        long mine = of.received() - one;
        return mine / (double) (mine + other.received() - two);
    }

    private void assertRefused() {
        assertThat(queue.query().rnr()).as("times without room").isGreaterThan(20);
    }

    @ParameterizedTest
    @CsvSource({
        "1024, 1024, 1, 1", "1024, 1024, 3, 1", "1024, 1024, 1, 9", "1024, 1024, 30, 1",
        "256, 8192, 1, 1", "256, 8192, 3, 1", "256, 8192, 1, 9", "256, 8192, 30, 1",
        "256, 16384, 3, 1", "256, 16384, 1, 9"
    })
    void roomIsSharedByWeight(int firstLength, int secondLength, int firstWeight, int secondWeight) {
        Load first = new Load("first", firstWeight, firstLength);
        Load second = new Load("second", secondWeight, secondLength);
        double entitled = firstWeight / (double) (firstWeight + secondWeight);

        double share = share(first, second);

        assertThat(share).isCloseTo(entitled, within(0.05 * Math.min(entitled, 1 - entitled)));
        assertRefused();
    }

    @Test
    void aChangeOfWeightsIsFollowed() {
        Load first = new Load("first", 3, 1024);
        Load second = new Load("second", 1, 1024);
        assertThat(share(first, second)).isCloseTo(0.75, within(0.0125));

        first.group.set(first.group.query().weight(1));
        second.group.set(second.group.query().weight(3));

        assertThat(share(first, second)).isCloseTo(0.25, within(0.0125));
    }

    @Test
    void whoStaysWhenTheOtherGoesGetsAll() {
        Load first = new Load("first", 3, 1024);
        Load second = new Load("second", 1, 1024);
        share(first, second);
        first.stopped = true;
        first.qp.close(); // perhaps the one that was to ask again

        long before = second.received();
        simulation.runFor(30 * MILLI);

        assertThat(second.received() - before)
                .isGreaterThan((long) BYTES_PER_TICK * (30 * MILLI / TICK_NANOS) * 3 / 4 - 4 * CHUNK);
        assertThat(near.nic().counter(NicCounter.DIRECT_OPERATIONS)).isPositive();
    }

    @Test
    void anotherQueueOfThePeerIsNotHeldUp() {
        Load full = new Load("full", 3, 1024);
        AppendQueue other = there.createAppendQueue(new AppendQueueAttributes());
        Load free = new Load("free", 1, 1024);
        free.stopped = true;
        simulation.runFor(5 * MILLI);
        assertRefused();
        for (int i = 0; i < 100; i++) {
            free.qp.post(free.request
                    .append(other.id(), other.key())
                    .local(free.source.key(), 0, 1024)
                    .signaled(false));
        }
        free.qp.doorbell();

        simulation.runFor(1000);

        assertThat(full.received()).isPositive();
        assertThat(other.poll((b, offset, length, from, immediate, flags) -> {}, 1000))
                .isEqualTo(100);
    }
}

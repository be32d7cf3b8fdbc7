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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tenants that append to queues in mapped memory, whose consumer is slower than they are: what each gets of it. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class MappedWindowTest {
    private static final long MILLI = 1_000_000;
    private static final long CONSUMED_EVERY = 10_000;
    private static final int CONSUMED = 10;
    private static final int MAX = 64 * 1024;

    private final Simulation simulation = new Simulation(5);
    private final SimFabric fabric = new SimFabric(simulation);
    private final SimNode near = new SimNode(simulation, fabric, "near", 1, new SimNode.Options());
    private final SimNode far = new SimNode(simulation, fabric, "far", 2, new SimNode.Options());
    private final ProtectionDomain there = far.nic().allocateProtectionDomain();
    private final CompletionQueue theirs = far.nic().createCompletionQueue(64);
    private final AppendQueue queue = queue();
    private final AppendQueue other = queue();
    private final long[] taken = new long[2];
    private boolean consumes = true;

    MappedWindowTest() {
        fabric.connect(near.nic().engine(0).endpoint(), far.nic().engine(0).endpoint(), new LinkProfile().direct(true));
        simulation.runFor(0);
        consume();
    }

    private AppendQueue queue() {
        return there.createAppendQueue(
                new AppendQueueAttributes().chunkLength(1 << 20).maxMessage(MAX));
    }

    /** A consumer that takes some messages now and then, also from a queue that holds much. */
    private void consume() {
        if (consumes) {
            take(queue, CONSUMED);
        }
        simulation.after(CONSUMED_EVERY, this::consume);
    }

    private int take(AppendQueue from, int messages) {
        return from.poll((b, at, length, number, immediate, flags) -> taken[immediate] += length, messages);
    }

    /** An engine that takes from both queues in turn, as many messages in all. */
    private void takeByEngine() {
        consumes = false;
        queue.takenByEngine(true);
        other.takenByEngine(true);
        simulation.after(CONSUMED_EVERY, this::takeInTurn);
    }

    private void takeInTurn() {
        for (int i = 0; i < CONSUMED; i++) {
            AppendQueue first = i % 2 == 0 ? queue : other;
            if (take(first, 1) == 0) {
                take(first == queue ? other : queue, 1);
            }
        }
        simulation.after(CONSUMED_EVERY, this::takeInTurn);
    }

    /** A tenant that always has so many appends posted. */
    private final class Load {
        final PerformanceGroup group;
        final CompletionQueue done = near.nic().createCompletionQueue(8192);
        final QueuePair qp;
        final SendRequest request = new SendRequest();
        final AppendQueue to;
        final int number;
        final int key;
        final int size;
        final int depth;

        Load(int number, int weight, int size, int depth) {
            this(number, weight, size, depth, queue);
        }

        Load(int number, int weight, int size, int depth, AppendQueue to) {
            group = near.nic()
                    .createGroup(new GroupAttributes().name("tenant" + number).weight(weight));
            ProtectionDomain pd = near.nic().allocateProtectionDomain(group);
            this.to = to;
            this.number = number;
            this.size = size;
            this.depth = depth;
            key = pd.allocate(size, Access.ALL).key();
            qp = pd.createQueuePair(
                    new QueuePairAttributes().completionQueue(done).maxSend(depth));
            QueuePair peer = there.createQueuePair(new QueuePairAttributes().completionQueue(theirs));
            ConnectAttributes attributes = new ConnectAttributes().access(Access.ALL);
            qp.connect(far.nicId(), peer.number(), attributes);
            peer.connect(near.nicId(), qp.number(), attributes);
            simulation.add("tenant" + number, this::pump);
        }

        void weight(int weight) {
            group.set(new GroupAttributes().weight(weight));
        }

        private int pump() {
            int work = done.poll(c -> {}, 64);
            while (qp.outstanding() < depth) {
                request.appendImmediate(to.id(), to.key(), number)
                        .signaled(false)
                        .local(key, 0, size);
                assertThat(qp.post(request)).isEqualTo(PostResult.POSTED);
                work++;
            }
            qp.doorbell();
            return work;
        }
    }

    private double share() {
        return shareAfter(20 * MILLI, 60 * MILLI);
    }

    private double shareAfter(long skipped, long counted) {
        simulation.runFor(skipped);
        long one = taken[0];
        long other = taken[1];
        simulation.runFor(counted);
        one = taken[0] - one;
        return one / (double) (one + taken[1] - other);
    }

    @Test
    void equalMessagesAreSharedByWeight() {
        new Load(0, 3, 1024, 256);
        new Load(1, 1, 1024, 256);
        assertThat(share()).isCloseTo(0.75, within(0.02));
        assertThat(queue.query().depth()).as("bytes that wait there").isLessThan(512 * 1024);
    }

    @Test
    void smallAndLargeMessagesAreSharedByWeight() {
        new Load(0, 9, MAX, 8);
        new Load(1, 1, 1024, 256);
        assertThat(share()).isCloseTo(0.9, within(0.02));
    }

    /** For as long as a consumer is so slow that one of them waits alone for room, the other is still there. */
    @Test
    void aSlowConsumerIsStillShared() {
        consumes = false;
        simulation.after(MILLI, this::takeSlowly);
        new Load(0, 9, 1024, 256);
        new Load(1, 1, 1024, 256);
        simulation.runFor(200 * MILLI);
        assertThat(queue.query().depth()).as("bytes that wait there").isLessThan(512 * 1024);
    }

    @Test
    void aConsumerInALongBatchHasNotStopped() {
        consumes = false;
        Load first = new Load(0, 9, 1024, 256);
        Load second = new Load(1, 1, 1024, 256);
        simulation.runFor(20 * MILLI);
        int[] seen = new int[1];
        queue.poll(
                (b, at, length, number, immediate, flags) -> {
                    seen[0]++;
                    simulation.runFor(2 * MILLI);
                },
                100);
        assertThat(seen[0]).isEqualTo(100);
        assertThat(first.qp.outstanding() + second.qp.outstanding()).isPositive();
        assertThat(queue.query().depth()).as("bytes that wait there").isLessThan(512 * 1024);
    }

    private void takeSlowly() {
        take(queue, CONSUMED);
        simulation.after(16 * MILLI, this::takeSlowly);
    }

    @Test
    void queuesThatTheEngineTakesShareItByWeight() {
        takeByEngine();
        new Load(0, 3, 1024, 256);
        new Load(1, 1, 1024, 256, other);
        assertThat(share()).isCloseTo(0.75, within(0.02));
        assertThat(queue.query().depth() + other.query().depth())
                .as("bytes that wait there")
                .isLessThan(512 * 1024);
    }

    @Test
    void queuesOfDifferentSizesThatTheEngineTakesShareItByWeight() {
        takeByEngine();
        new Load(0, 1, 1024, 256);
        new Load(1, 9, MAX, 8, other);
        assertThat(share()).isCloseTo(0.1, within(0.02));
    }

    @Test
    void aChangeOfWeightsIsFollowedAmongQueuesThatTheEngineTakes() {
        takeByEngine();
        Load first = new Load(0, 9, 1024, 256);
        Load second = new Load(1, 1, 1024, 256, other);
        assertThat(share()).isCloseTo(0.9, within(0.02));
        first.weight(1);
        second.weight(9);
        assertThat(share()).isCloseTo(0.1, within(0.02));
    }

    /** What waits is what such a consumer takes in half a second, and not what the queue holds. */
    @Test
    void aChangeOfWeightsIsFollowedAlsoByASlowConsumer() {
        consumes = false;
        simulation.after(MILLI, this::takeSlowly);
        Load first = new Load(0, 9, 1024, 256);
        Load second = new Load(1, 1, 1024, 256);
        assertThat(shareAfter(1000 * MILLI, 1000 * MILLI)).isCloseTo(0.9, within(0.02));
        first.weight(1);
        second.weight(9);
        assertThat(shareAfter(1000 * MILLI, 1000 * MILLI)).isCloseTo(0.1, within(0.02));
    }

    @Test
    void queuesWithConsumersOfTheirOwnDoNotWaitForEachOther() {
        consumes = false;
        simulation.after(CONSUMED_EVERY, this::takeApart);
        new Load(0, 3, 1024, 256);
        new Load(1, 1, 1024, 256, other);
        assertThat(share()).isCloseTo(1.0 / (1 + CONSUMED), within(0.01));
    }

    private void takeApart() {
        take(queue, 1);
        take(other, CONSUMED);
        simulation.after(CONSUMED_EVERY, this::takeApart);
    }

    @Test
    void whoIsAloneFillsTheQueue() {
        new Load(0, 1, 1024, 256);
        simulation.runFor(40 * MILLI);
        assertThat(queue.query().depth()).isGreaterThan(1 << 20);
    }

    @Test
    void aConsumerThatStopsIsNotWaitedFor() {
        new Load(0, 1, 1024, 64);
        new Load(1, 1, 1024, 64);
        simulation.runFor(20 * MILLI);
        consumes = false;
        simulation.runFor(200 * MILLI);
        assertThat(queue.query().depth()).as("as much as it takes").isGreaterThan(1 << 20);
    }
}

package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.AppendQueueStatistics;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node's NIC is given: room, and memory that takes its time. */
@Timeout(180)
class SimNodeTest {
    private static final int MESSAGES = 40;
    private static final int LENGTH = 8_000;
    private static final int CHUNK = 64 << 10;

    /**
     * RIMA 3.2.1: a reserve of rate x L holds any burst, one that is smaller does not. A chunk takes 0.53 ms at 1 Gb/s.
     */
    @Test
    void appendsLiveOnTheReserveWhileMemoryIsAllocated() {
        assertThat(burst(0, 0).rnr()).isZero();
        assertThat(burst(300_000, 0).rnr()).isZero();
        AppendQueueStatistics late = burst(2_000_000, 0);
        assertThat(late.rnr()).isPositive();
        assertThat(late.allocations()).isGreaterThan(2);
    }

    /**
     * The same of a queue that maps nothing before the burst, and takes from the reserve that the NIC's queues share.
     */
    @Test
    void aBurstIntoAnIdleQueueLivesOnTheSharedReserve() {
        AppendQueueStatistics covered = burst(300_000, CHUNK);
        assertThat(covered.rnr()).isZero();
        assertThat(covered.footprint()).isGreaterThan(CHUNK);
        assertThat(burst(2_000_000, CHUNK).rnr()).isPositive();
    }

    /** A burst into a queue that nobody polls, of two chunks at first, or of a shared reserve; what became of it. */
    private static AppendQueueStatistics burst(long allocationNanos, long sharedReserve) {
        Simulation simulation = new Simulation(1);
        SimFabric fabric = new SimFabric(simulation);
        SimNode a = new SimNode(simulation, fabric, "a", 1);
        SimNode b = new SimNode(
                simulation,
                fabric,
                "b",
                2,
                new SimNode.Options().allocationNanos(allocationNanos).sharedReserve(sharedReserve));
        fabric.connect(
                a.nic().engine(0).endpoint(), b.nic().engine(0).endpoint(), new LinkProfile().rate(1_000_000_000L));
        simulation.runFor(0);
        CompletionQueue sends = a.nic().createCompletionQueue(64);
        ProtectionDomain pd = a.nic().allocateProtectionDomain();
        MemoryRegion region = pd.allocate(LENGTH, Access.LOCAL_WRITE);
        QueuePair from = pd.createQueuePair(
                new QueuePairAttributes().completionQueue(sends).maxSend(MESSAGES));
        ProtectionDomain other = b.nic().allocateProtectionDomain();
        QueuePair to = other.createQueuePair(
                new QueuePairAttributes().completionQueue(b.nic().createCompletionQueue(64)));
        AppendQueue queue = other.createAppendQueue(new AppendQueueAttributes()
                .chunkLength(CHUNK)
                .maxMessage(LENGTH)
                .reserveChunks(sharedReserve == 0 ? 1 : -1));
        ConnectAttributes attributes = new ConnectAttributes().rnrRetry(7);
        from.connect(2, to.number(), attributes);
        to.connect(1, from.number(), attributes);
        SendRequest request = new SendRequest();
        for (int i = 0; i < MESSAGES; i++) {
            from.postSend(request.append(queue.id(), queue.key()).local(region.key(), 0, LENGTH));
        }
        simulation.runFor(100_000_000L);
        int[] done = new int[1];
        sends.poll(
                c -> {
                    assertThat(c.isSuccess()).as("%s", c).isTrue();
                    done[0]++;
                },
                MESSAGES);
        assertThat(done[0]).isEqualTo(MESSAGES);
        return queue.query();
    }

    @Test
    void roomIsAsItWasAskedFor() {
        Simulation simulation = new Simulation(1);
        SimNode.Options options =
                new SimNode.Options().queuePairs(16).appendQueues(1).chunksPerQueue(8);
        SimNode node = new SimNode(simulation, new SimFabric(simulation), "a", 1, options);
        options.queuePairs(1024); // is the next node's
        CompletionQueue queue = node.nic().createCompletionQueue(64);
        ProtectionDomain pd = node.nic().allocateProtectionDomain();
        QueuePairAttributes attributes = new QueuePairAttributes().completionQueue(queue);
        for (int i = 0; i < 14; i++) {
            pd.createQueuePair(attributes);
        }
        assertThatThrownBy(() -> pd.createQueuePair(attributes)).hasMessageContaining("queue pairs 14 is the maximum");
        assertThatThrownBy(() -> pd.createAppendQueue(
                        new AppendQueueAttributes().chunkLength(CHUNK).reserveChunks(7)))
                .hasMessageContaining("reserve chunks 7 > maximum 6");
        AppendQueueAttributes small = new AppendQueueAttributes().chunkLength(CHUNK);
        pd.createAppendQueue(small);
        assertThatThrownBy(() -> pd.createAppendQueue(small)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new SimNode.Options().allocationNanos(-1)).hasMessageContaining("-1 ns < 0");
    }
}

package io.verbena.nic.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a link breaks and the next one comes, queue pairs go on at once, and not when their timeouts are over. */
@Timeout(120)
class NextLinkTest {
    private static final long MICRO = 1_000L;
    private static final long MILLI = 1_000_000L;
    private static final int QUEUE_PAIRS = 20;
    private static final int REQUESTS = 12;

    private final Simulation simulation = new Simulation(1);
    private final SimFabric fabric = new SimFabric(simulation);
    private final Side a = new Side("a", 0xA0);
    private final Side b = new Side("b", 0xB0);
    private final List<WcStatus> statuses = new ArrayList<>();

    private final class Side {
        final SimNode node;
        final CompletionQueue queue;
        final MemoryRegion region;
        final List<QueuePair> queuePairs = new ArrayList<>();

        Side(String name, long id) {
            node = new SimNode(simulation, fabric, name, id);
            queue = node.nic().createCompletionQueue(1024);
            ProtectionDomain pd = node.nic().allocateProtectionDomain();
            region = pd.allocate(256 * 1024, Access.ALL);
            for (int i = 0; i < QUEUE_PAIRS; i++) {
                queuePairs.add(pd.createQueuePair(new QueuePairAttributes().completionQueue(queue)));
            }
        }
    }

    /** All kinds of requests, of many queue pairs, met by the break after any time on their way. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 5, 8, 12, 20, 40, 80, 150})
    void queuePairsGoOnAtOnce(int micros) {
        SimConnection link = fabric.connect(
                a.node.nic().engine(0).endpoint(),
                b.node.nic().engine(0).endpoint(),
                new LinkProfile().delay(5 * MICRO));
        simulation.runFor(0);
        simulation.add("a.app", () -> a.queue.poll(c -> statuses.add(c.status()), 64));
        ConnectAttributes attributes = new ConnectAttributes().pathMtu(1024).timeout(18); // 1.07 s
        SendRequest request = new SendRequest();
        for (int i = 0; i < QUEUE_PAIRS; i++) {
            QueuePair from = a.queuePairs.get(i);
            from.connect(b.node.nic().id(), b.queuePairs.get(i).number(), attributes);
            b.queuePairs.get(i).connect(a.node.nic().id(), from.number(), attributes);
            for (int k = 0; k < REQUESTS; k += 3) {
                from.postSend(request.write(b.region.key(), 8192).local(a.region.key(), 8192, 5_000));
                from.postSend(request.read(b.region.key(), 8192).local(a.region.key(), 65536, 3_000));
                from.postSend(request.fetchAdd(b.region.key(), 0, 1).local(a.region.key(), 0, 8));
            }
        }
        simulation.runFor(micros * MICRO);
        link.breakLink();
        simulation.runFor(100 * MICRO);
        link.reconnect();
        simulation.runUntil(() -> statuses.size() == QUEUE_PAIRS * REQUESTS, 20 * MILLI);
        assertThat(statuses).isEqualTo(Collections.nCopies(QUEUE_PAIRS * REQUESTS, WcStatus.SUCCESS));
        assertThat(b.region.buffer().getLong(0)).isEqualTo(QUEUE_PAIRS * REQUESTS / 3);
    }
}

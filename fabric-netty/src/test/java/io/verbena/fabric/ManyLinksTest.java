package io.verbena.fabric;

import static io.verbena.fabric.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.netty.NettyFabric;
import io.verbena.fabric.netty.NettyFabricContext;
import io.verbena.fabric.shm.LocalFabric;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.EngineMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A NIC with more links than it asks each turn: what comes by any of them arrives, whoever runs the engines, also while
 * their number passes the limit in either direction, and the death of any is noticed.
 */
@Timeout(180)
class ManyLinksTest {
    private static final int SPOKES = 70; // more than a word of bits
    private static final int RING = 16 << 10;
    private static final int PACKET = 2048;

    private Nic hub;
    private ProtectionDomain hubPd;
    private CompletionQueue hubQueue;
    private final List<Spoke> spokes = new ArrayList<>();
    private final List<AutoCloseable> fabrics = new ArrayList<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[8]);

    private static NicContext small(EngineMode mode) {
        return new NicContext()
                .mode(mode)
                .maxQueuePairs(256)
                .maxMemoryRegions(16)
                .maxAppendQueues(1)
                .longestSpinNanos(0);
    }

    private void openHub(NicContext context) {
        hub = Nic.open(context);
        hubPd = hub.allocateProtectionDomain();
        hubQueue = hub.createCompletionQueue(1024);
    }

    /** A peer of the hub, and the queue pair that it is reached by. */
    private final class Spoke {
        final Nic nic;
        final CompletionQueue queue;
        final QueuePair toHub;
        final QueuePair toSpoke;

        Spoke(Nic nic) {
            this.nic = nic;
            ProtectionDomain pd = nic.allocateProtectionDomain();
            queue = nic.createCompletionQueue(64);
            toHub = pd.createQueuePair(attributes(queue));
            toSpoke = hubPd.createQueuePair(attributes(hubQueue));
            toHub.connect(hub.id(), toSpoke.number(), new ConnectAttributes().pathMtu(1024));
            toSpoke.connect(nic.id(), toHub.number(), new ConnectAttributes().pathMtu(1024));
        }

        private QueuePairAttributes attributes(CompletionQueue completions) {
            return new QueuePairAttributes()
                    .completionQueue(completions)
                    .maxSend(4)
                    .maxReceive(4)
                    .maxSge(1)
                    .maxInline(8);
        }
    }

    private void addLocal(EngineMode mode) {
        Nic nic = Nic.open(small(mode));
        LocalFabric.connect(hub.engine(0).endpoint(), nic.engine(0).endpoint(), RING, PACKET);
        spokes.add(new Spoke(nic));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable fabric : fabrics) {
            fabric.close();
        }
        for (Spoke spoke : spokes) {
            spoke.nic.close();
        }
        hub.close();
    }

    private void turn() {
        hub.engine(0).doWork();
        for (Spoke spoke : spokes) {
            spoke.nic.engine(0).doWork();
        }
    }

    /** Sends there and back over one spoke; both ends are driven by whoever drives them. */
    private void exchange(Spoke spoke, boolean invoked) {
        spoke.toHub.postReceive(1, 0, 0, 0);
        spoke.toSpoke.postReceive(2, 0, 0, 0);
        spoke.toHub.postSend(new SendRequest().send().inline(message, 0, 0).wrId(3));
        awaitCompletions(hubQueue, 1, invoked);
        spoke.toSpoke.postSend(new SendRequest().send().inline(message, 0, 0).wrId(4));
        awaitCompletions(spoke.queue, 2, invoked);
        awaitCompletions(hubQueue, 1, invoked);
    }

    private void awaitCompletions(CompletionQueue queue, int wanted, boolean invoked) {
        int[] taken = new int[1];
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (taken[0] < wanted && System.nanoTime() - deadline < 0) {
            if (invoked) {
                turn();
            } else {
                queue.await(TimeUnit.SECONDS.toNanos(20));
            }
            queue.poll(
                    completion -> {
                        assertThat(completion.isSuccess())
                                .as("%s", completion.status())
                                .isTrue();
                        taken[0]++;
                    },
                    wanted - taken[0]);
        }
        assertThat(taken[0]).isEqualTo(wanted);
    }

    @Test
    void everySpokeIsHeardWhenTheApplicationRunsTheEngines() {
        openHub(small(EngineMode.INVOKER));
        for (int i = 0; i < SPOKES; i++) {
            addLocal(EngineMode.INVOKER);
            exchange(spokes.get(i), true); // also while the limit is passed
            exchange(spokes.get(i / 2), true);
        }
        Random random = new Random(7);
        for (int i = 0; i < 500; i++) {
            exchange(spokes.get(random.nextInt(SPOKES)), true);
        }
        while (spokes.size() > 1) { // back to few
            spokes.remove(random.nextInt(spokes.size())).nic.close();
            turn();
            exchange(spokes.get(random.nextInt(spokes.size())), true);
        }
        assertThat(eventsOf(AsyncEventType.PORT_ERR)).isEqualTo(SPOKES - 1);
    }

    private int eventsOf(AsyncEventType type) {
        int found = 0;
        for (AsyncEvent event = hub.pollAsyncEvent(); event != null; event = hub.pollAsyncEvent()) {
            found += event.type() == type ? 1 : 0;
            event.acknowledge();
        }
        return found;
    }

    /** Engines that sleep whenever they have nothing to do: a packet that nobody was told of would not be found. */
    @Test
    void aSleeperIsWokenByAnySpoke() {
        openHub(small(EngineMode.THREAD));
        for (int i = 0; i < SPOKES; i++) {
            addLocal(EngineMode.THREAD);
        }
        Random random = new Random(8);
        for (int i = 0; i < 300; i++) {
            exchange(spokes.get(random.nextInt(SPOKES)), false);
        }
    }

    @Test
    void aSpokeThatDiesIsNoticed() {
        openHub(small(EngineMode.THREAD));
        for (int i = 0; i < 20; i++) {
            addLocal(EngineMode.THREAD);
        }
        exchange(spokes.get(19), false);
        spokes.remove(13).nic.close();
        int[] gone = new int[1];
        await().atMost(Duration.ofSeconds(20)).until(() -> (gone[0] += eventsOf(AsyncEventType.PORT_ERR)) == 1);
        exchange(spokes.get(13), false);
    }

    @Test
    void everySpokeIsHeardOverSockets() throws Exception {
        EventLoopWaiter waiter = new EventLoopWaiter();
        openHub(small(EngineMode.THREAD).waiters(waiter));
        NettyFabric fabric = new NettyFabric(hub.engine(0).endpoint(), new NettyFabricContext(), waiter);
        fabrics.add(fabric);
        SocketAddress address = fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        for (int i = 0; i < 24; i++) {
            EventLoopWaiter own = new EventLoopWaiter();
            Nic nic = Nic.open(small(EngineMode.THREAD).waiters(own));
            NettyFabric spoke = new NettyFabric(nic.engine(0).endpoint(), new NettyFabricContext(), own);
            fabrics.add(spoke);
            spoke.connect(address, Duration.ofSeconds(20)).get(20, TimeUnit.SECONDS);
            spokes.add(new Spoke(nic));
            exchange(spokes.get(i), false);
        }
        Random random = new Random(9);
        for (int i = 0; i < 300; i++) {
            exchange(spokes.get(random.nextInt(spokes.size())), false);
        }
        spokes.remove(5).nic.close();
        int[] gone = new int[1];
        await().atMost(Duration.ofSeconds(20)).until(() -> (gone[0] += eventsOf(AsyncEventType.PORT_ERR)) >= 1);
        exchange(spokes.get(5), false);
    }
}

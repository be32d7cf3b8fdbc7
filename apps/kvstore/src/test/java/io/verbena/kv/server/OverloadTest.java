package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.TenantOptions;
import io.verbena.Tenants;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.store.ShardContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Single requests beside a batch that is always under way: how many of the batch's requests the shard executes from the
 * moment in which a single one is sent until its reply is there. Shard and clients take turns on one thread; clients
 * answer replies at once, so the shard is what is short.
 */
@Timeout(120)
class OverloadTest {
    private static final int SAMPLES = 50;
    private static final int P80 = 80;
    private static final int SHORT = 16;
    private static final int WARM_UP = 20;
    private static final int MAX_TURNS = 100_000;

    private final ExecutorService connecting = Executors.newCachedThreadPool();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        connecting.shutdownNow();
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private ShardRunner runner(Node node, KvServerContext context) {
        AtomicIntegerArray shardsOfTenants =
                new AtomicIntegerArray(context.tenantNames().size());
        ShardRunner runner = new ShardRunner(node, context, new ShardContext(), shardsOfTenants, () -> {});
        open.add(runner);
        return runner;
    }

    private TestClient client(ShardRunner runner, Node server, String tenant) throws Exception {
        List<String> address = List.of("local:" + server.name() + "/" + ShardRunner.inboxOf(tenant));
        CompletableFuture<TestClient> connected = CompletableFuture.supplyAsync(
                () -> new TestClient(Transport.LOCAL, NodeMode.INVOKER, address), connecting);
        while (!connected.isDone()) {
            runner.turn();
            Thread.yield();
        }
        TestClient client = connected.get(1, TimeUnit.SECONDS);
        open.add(client);
        return client;
    }

    /** Requests that were executed while each of {@link #SAMPLES} single ones was under way; at the 80th percentile. */
    private long ahead(int batch, String singles, String batches) throws Exception {
        Node node = Node.launch(Transport.LOCAL
                .client(NodeMode.INVOKER)
                .name(KvServerTest.name())
                .tenant(tenant("gold"))
                .tenant(tenant("tin")));
        open.add(node);
        KvServerContext context = new KvServerContext().tenant(tenant("gold")).tenant(tenant("tin"));
        ShardRunner runner = runner(node, context);
        TestClient single = client(runner, node, singles);
        TestClient other = client(runner, node, batches);
        long[] ahead = new long[SAMPLES];
        long since = -1;
        int turns = 0;
        for (int taken = -WARM_UP; taken < SAMPLES; ) {
            assertThat(++turns).as("turns for %s replies", taken).isLessThan(MAX_TURNS);
            while (other.client.outstanding() < batch) {
                assertThat(other.submit(0, KvOp.INCR, "batch")).isTrue();
            }
            other.client.flush();
            if (single.client.outstanding() == 0) {
                since = executed(runner);
                assertThat(single.submit(0, KvOp.INCR, "single")).isTrue();
                single.client.flush();
            }
            runner.turn();
            while (single.turn() + other.turn() > 0) {} // what has come is answered before the shard's next turn
            if (single.client.outstanding() == 0) {
                if (taken >= 0) {
                    ahead[taken] = executed(runner) - since - 1;
                }
                taken++;
            }
        }
        Arrays.sort(ahead);
        return ahead[SAMPLES * P80 / 100];
    }

    private static TenantOptions tenant(String name) {
        return new TenantOptions().name(name);
    }

    private static long executed(ShardRunner runner) {
        return runner.shard().statistics().totalCalls();
    }

    @Test
    void oneTenantWaitsForAllOfTheBatch() throws Exception {
        long beside20 = ahead(20, Tenants.DEFAULT, Tenants.DEFAULT);
        assertThat(ahead(100, Tenants.DEFAULT, Tenants.DEFAULT)).isGreaterThanOrEqualTo(5 * beside20 / 2);
    }

    @Test
    void anotherTenantWaitsForAShortTurnWhateverTheBatch() throws Exception {
        for (int batch = 20; batch <= 100; batch += 20) {
            assertThat(ahead(batch, "gold", "tin")).as("beside %s", batch).isLessThanOrEqualTo(SHORT);
        }
    }
}

package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.ConnectionException;
import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.SendResult;
import io.verbena.TenantOptions;
import io.verbena.kv.client.KvClient;
import io.verbena.kv.client.OneSidedReader;
import io.verbena.kv.protocol.KvOp;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of several tenants of a store: one store, and a share of its time for each. */
@Timeout(180)
class KvTenantsTest {
    @TempDir
    Path directory;

    private KvServerContext context(Transport transport, int shards) {
        return transport
                .context(KvServerTest.name(), shards, directory)
                .tenant(new TenantOptions().name("gold").utility(3, 1).minimumRate(1000))
                .tenant(new TenantOptions().name("tin"));
    }

    private static TestClient client(Transport transport, KvServer server, String tenant) {
        return new TestClient(transport, NodeMode.INVOKER, transport.addresses(server, tenant));
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void tenantsHaveOneStore(Transport transport) throws Exception {
        int requests = 5_000;
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (KvServer server = KvServer.launch(context(transport, 2))) {
            List<Future<?>> results = new ArrayList<>();
            for (String tenant : List.of("default", "gold", "tin")) {
                results.add(threads.submit(() -> {
                    try (TestClient client = client(transport, server, tenant)) {
                        for (int n = 0; n < requests; n++) {
                            String key = "counter" + n % 10;
                            assertThat(client.submit(client.shardOf(key), KvOp.INCR, key))
                                    .isTrue();
                            if (n % 100 == 99) {
                                client.client.flush();
                            }
                        }
                        client.drain();
                        assertThat(client.answered()).isEqualTo(requests);
                    }
                }));
            }
            for (Future<?> result : results) {
                result.get(60, TimeUnit.SECONDS);
            }
            try (TestClient client = client(transport, server, "tin")) {
                for (int i = 0; i < 10; i++) {
                    assertThat(client.call(KvOp.GET, "counter" + i)).isEqualTo(Integer.toString(3 * requests / 10));
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** A client with one request is served after few of those that another tenant has sent before it. */
    @ParameterizedTest
    @CsvSource({"gold,tin", "tin,gold"})
    void oneRequestIsNotBehindAnotherTenantsBatch(String one, String other) throws Exception {
        int batch = 400;
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (KvServer server = KvServer.launch(context(Transport.LOCAL, 1));
                TestClient single = client(Transport.LOCAL, server, one);
                TestClient batches = client(Transport.LOCAL, server, other)) {
            long ahead = Long.MAX_VALUE;
            for (long round = 0; ahead > 64; round++) { // until both are there before the shard goes on
                assertThat(round).as("rounds with %s ahead", ahead).isLessThan(50);
                CountDownLatch held = new CountDownLatch(1);
                CountDownLatch goOn = new CountDownLatch(1);
                Future<?> holder = thread.submit(() -> server.forEachShard(shard -> {
                    held.countDown();
                    Assertions.assertThatCode(goOn::await).doesNotThrowAnyException();
                }));
                held.await();
                for (int i = 0; i < batch; i++) {
                    assertThat(batches.submit(0, KvOp.INCR, "n")).isTrue();
                }
                batches.client.flush();
                assertThat(single.submit(0, KvOp.INCR, "n")).isTrue();
                single.client.flush();
                for (int i = 0; i < 100; i++) {
                    batches.node.doWork();
                    single.node.doWork();
                }
                goOn.countDown();
                holder.get(60, TimeUnit.SECONDS);
                single.drain();
                batches.drain();
                ahead = (Long) single.reply - round * (batch + 1) - 1;
            }
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void clientsInTheProcessNameTheirTenant() {
        try (KvServer server = KvServer.launch(context(Transport.LOCAL, 2).mode(KvServerContext.Mode.ASSISTED));
                Node node = Node.launch(Transport.LOCAL.client(NodeMode.INVOKER));
                KvClient client = KvClient.connect(node, server, "gold", TestClient.TIMEOUT)) {
            assertThat(client.shards()).isEqualTo(2);
            assertThat(server.localAddresses("gold"))
                    .allSatisfy(address -> assertThat(address).endsWith("/requests-gold"));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> server.addresses(0, "silver"))
                    .withMessage("no tenant 'silver' of [default, gold, tin]");
            Assertions.assertThatExceptionOfType(ConnectionException.class)
                    .isThrownBy(() -> node.connect(
                            server.addresses(0).get(0).replace("requests", "requests-silver"), TestClient.TIMEOUT))
                    .withMessageContaining("requests-silver");
        }
    }

    /** Connections, READs and replies of a client are those of the tenant of its own node that it is. */
    @Test
    void clientsAreTenantsOfTheirNode() {
        Transport transport = Transport.LOCAL;
        try (KvServer server = KvServer.launch(context(transport, 1).oneSided(64 << 10));
                Node node = Node.launch(transport
                        .client(NodeMode.THREAD)
                        .tenant(new TenantOptions().name("batch"))
                        .tenant(new TenantOptions().name("idle")));
                KvClient client =
                        KvClient.connect(node, "batch", transport.addresses(server, "tin"), TestClient.TIMEOUT);
                OneSidedReader reader = OneSidedReader.attach(client, 1, TestClient.TIMEOUT)) {
            UnsafeBuffer key = new UnsafeBuffer("absent".getBytes(StandardCharsets.US_ASCII));
            assertThat(node.tenant("batch").connections())
                    .as("one for requests, one for READs")
                    .isEqualTo(2);
            assertThat(node.tenant("batch").memory()).as("replies").isPositive();
            assertThat(reader.get(0, key, 0, key.capacity(), 1)).isEqualTo(SendResult.SENT);
            long deadline = System.nanoTime() + TestClient.TIMEOUT.toNanos();
            while (reader.poll((buffer, offset, length) -> {}, 1) == 0) {
                assertThat(System.nanoTime() - deadline).isNegative();
                Thread.yield();
            }
            assertThat(reader.requested()).isOne();
            for (String other : List.of("default", "idle")) {
                assertThat(node.tenant(other).connections()).as(other).isZero();
                assertThat(node.tenant(other).memory()).as(other).isZero();
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KvClient.connect(node, "silver", transport.addresses(server), TestClient.TIMEOUT))
                    .withMessageContaining("silver");
        }
    }
}

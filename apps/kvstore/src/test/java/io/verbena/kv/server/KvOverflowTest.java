package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.store.OverflowStatistics;
import io.verbena.tier.Donation;
import io.verbena.tier.PagedOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server whose strings are with donors for the most part, of whom one is lost. */
@Timeout(180)
class KvOverflowTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int KEYS = 800;
    private static final int LENGTH = 2000; // three times as much as there is memory for
    private static final long MEMORY = 512 << 10;
    private static final long FAR = 16 << 20;

    private final List<Node> donors = new ArrayList<>();

    @AfterEach
    void close() {
        donors.forEach(Node::close);
    }

    private KvServerContext context(int shards, int replicas) {
        PagedOptions options =
                new PagedOptions(FAR).resident(256 << 10).replicas(replicas).timeout(LONG);
        for (int i = 0; i < 2; i++) {
            Node donor = Node.launch(new NodeContext().mode(NodeMode.THREAD));
            donors.add(donor);
            Donation.offer(donor, 2 * FAR);
            options.donor(donor.listen("tcp://127.0.0.1:0"));
        }
        return new KvServerContext()
                .name(KvServerTest.name())
                .shards(shards)
                .maxMemory(MEMORY)
                .overflow(options)
                .overflowNode(node -> node.peerTimeout(Duration.ofSeconds(1)));
    }

    private static String value(int i, int version) {
        String unit = "value " + i + " of version " + version + ". ";
        return unit.repeat(LENGTH / unit.length());
    }

    private static void fill(TestClient client, int version) {
        for (int i = 0; i < KEYS; i++) {
            assertThat(client.call(KvOp.SET, "key" + i, value(i, version))).isEqualTo("OK");
        }
    }

    private static void expectAll(TestClient client, int version) {
        for (int i = 0; i < KEYS; i++) {
            assertThat(client.call(KvOp.GET, "key" + i)).isEqualTo(value(i, version));
        }
    }

    private static OverflowStatistics statistics(KvServer server) {
        OverflowStatistics[] sum = {OverflowStatistics.NONE};
        server.forEachShard(shard -> sum[0] = sum[0].plus(shard.overflow()));
        return sum[0];
    }

    @ParameterizedTest
    @EnumSource(KvServerContext.Mode.class)
    void nothingIsLostWithOneOfTwoDonors(KvServerContext.Mode mode) {
        try (KvServer server = KvServer.launch(context(2, 2).mode(mode));
                TestClient client = mode == KvServerContext.Mode.ASSISTED
                        ? new TestClient(server)
                        : new TestClient(Transport.LOCAL, NodeMode.INVOKER, server)) {
            fill(client, 1);
            expectAll(client, 1);
            assertThat(statistics(server).values()).isGreaterThan(KEYS / 2);
            donors.get(0).close();
            expectAll(client, 1);
            fill(client, 2);
            expectAll(client, 2);
            OverflowStatistics statistics = statistics(server);
            assertThat(statistics.failures()).isZero();
            assertThat(statistics.movedIn()).isGreaterThan(KEYS);
            assertThat(server.waitingRequests()).isZero();
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> !Objects.requireNonNull(server.overflow())
                            .peers()
                            .get(0)
                            .alive());
        }
    }

    @Test
    void whatOnlyALostDonorHadIsNamedAndNeverOld() {
        try (KvServer server = KvServer.launch(context(1, 1));
                TestClient client = new TestClient(Transport.LOCAL, NodeMode.INVOKER, server)) {
            fill(client, 1);
            fill(client, 2);
            donors.get(0).close();
            int lost = 0;
            for (int i = 0; i < KEYS; i++) {
                Object answer = client.call(KvOp.GET, "key" + i);
                if (!value(i, 2).equals(answer)) {
                    assertThat((String) answer).startsWith("-OVERFLOW the value is lost with peer tcp://127.0.0.1:");
                    assertThat(client.call(KvOp.EXISTS, "key" + i)).isEqualTo(1L);
                    assertThat(client.call(KvOp.SET, "key" + i, value(i, 2))).isEqualTo("OK");
                    lost++;
                }
            }
            assertThat(lost).isBetween(1, KEYS - 1);
            expectAll(client, 2);
            assertThat(statistics(server).failures()).isEqualTo(lost);
        }
    }

    /** What a client asks about one key is answered in order, however long the first takes. */
    @Test
    void aKeyKeepsItsOrder() {
        try (KvServer server = KvServer.launch(context(1, 1));
                TestClient client = new TestClient(Transport.LOCAL, NodeMode.INVOKER, server)) {
            fill(client, 1);
            for (int i = 0; i < KEYS; i += 10) {
                client.submit(0, KvOp.STRLEN, "key" + i);
                client.submit(0, KvOp.SET, "key" + i, "short");
                assertThat(client.call(KvOp.GET, "key" + i)).isEqualTo("short");
            }
        }
    }

    @Test
    void aDonorThatIsNotThereIsNamed() {
        KvServerContext context = new KvServerContext()
                .name(KvServerTest.name())
                .maxMemory(MEMORY)
                .overflow(new PagedOptions(FAR).donor("local:nowhere"));
        assertThatThrownBy(() -> KvServer.launch(context)).hasMessageContaining("nowhere");
    }
}

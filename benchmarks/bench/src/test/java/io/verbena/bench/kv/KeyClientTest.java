package io.verbena.bench.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.Tenants;
import io.verbena.kv.server.KvServer;
import io.verbena.kv.server.KvServerContext;
import io.verbena.verification.RunException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A measurement whose answers are wrong ends. */
@Timeout(180)
class KeyClientTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static KeyClient client(Node node, KvServer server, KeySet keys) {
        return new KeyClient(node, Tenants.DEFAULT, server.localAddresses().get(0), keys, 4, 1, TIMEOUT);
    }

    private static Node node() {
        return Node.launch(new NodeContext().mode(NodeMode.INVOKER));
    }

    private static void await(Node node, KeyClient client, BooleanSupplier done) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!done.getAsBoolean()) {
            client.flush();
            if (client.poll(10) + node.doWork() == 0) {
                node.await(Duration.ofMillis(1));
            }
            assertThat(System.nanoTime() - deadline).isNegative();
        }
    }

    private static void fill(Node node, KeyClient client, KeySet keys) {
        for (int i = 0; i < keys.size(); i++) {
            int number = i;
            await(node, client, () -> client.set(number));
        }
        await(node, client, () -> client.outstanding() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takesTheValuesThatWereSetAndNoOthers(boolean oneSided) {
        KeySet keys = new KeySet(20, 13);
        try (KvServer server = KvServer.launch(
                        new KvServerContext().name("keys-" + oneSided).oneSided(1 << 20));
                Node node = node();
                KeyClient client = client(node, server, keys);
                KeyClient other = client(node, server, new KeySet(20, 12))) {
            fill(node, client, keys);
            for (int i = 0; i < 50; i++) {
                await(node, client, () -> client.get(oneSided));
            }
            await(node, client, () -> client.outstanding() == 0);
            assertThat(client.answered()).isEqualTo(70);
            assertThat(client.hitRatio()).isEqualTo(oneSided ? 1.0 : 0.0);
            assertThatThrownBy(() -> {
                        await(node, other, () -> other.get(oneSided));
                        await(node, other, () -> other.outstanding() == 0);
                    })
                    .isInstanceOf(RunException.class)
                    .hasMessageContaining("is not what it has to be");
        }
    }

    @Test
    void hasNoMoreUnderWayThanItsDepth() {
        KeySet keys = new KeySet(20, 13);
        try (KvServer server =
                        KvServer.launch(new KvServerContext().name("keys-depth").oneSided(1 << 20));
                Node node = node();
                KeyClient client = client(node, server, keys)) {
            fill(node, client, keys);
            int asked = 0;
            while (client.get(false)) {
                asked++;
            }
            assertThat(asked).isEqualTo(4);
            await(node, client, () -> client.outstanding() == 0);
        }
    }
}

package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fabric.ListenException;
import io.verbena.fabric.security.SharedSecret;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that share a secret, on every kind of link between processes. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SecretNodesTest {
    private static SharedSecret secret(String text) {
        return new SharedSecret(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static NodeContext knowing(Fabric fabric, String text) {
        return fabric.context(NodeMode.THREAD).secret(secret(text));
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS", "SHM"})
    void whoKnowsItIsLetIn(Fabric fabric) {
        try (NodePair pair = new NodePair(
                fabric, knowing(fabric, "a secret of the test"), knowing(fabric, "a secret of the test"))) {
            Inbox inbox = pair.server.openInbox("in");
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            pair.await(() -> channel.offer(new UnsafeBuffer(new byte[100]), 0, 100) == SendResult.SENT);
            int[] received = new int[1];
            pair.await(() -> inbox.poll(m -> received[0] += m.length(), 4) >= 0 && received[0] == 100);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS", "SHM"})
    void whoDoesNotIsRefused(Fabric fabric) {
        try (Node server = Node.launch(knowing(fabric, "a secret of the test"));
                Node other = Node.launch(knowing(fabric, "another one of the test"));
                Node none = Node.launch(fabric.context(NodeMode.THREAD))) {
            server.openInbox("in");
            String address = fabric.listen(server) + "/in";
            assertThatThrownBy(() -> other.connect(address, NodePair.TIMEOUT)).isInstanceOf(ConnectionException.class);
            assertThatThrownBy(() -> none.connect(address, NodePair.TIMEOUT)).isInstanceOf(ConnectionException.class);
            while (server.rejectedConnections() < 2) { // who was refused may know it first
                Thread.onSpinWait();
            }
            assertThat(server.rejectedConnections()).isEqualTo(2);
        }
    }

    @Test
    void aNodeInClearListensOnThisMachineAlone() {
        try (Node clear = Node.launch(new NodeContext());
                Node told = Node.launch(new NodeContext().insecure(true));
                Node secret = Node.launch(new NodeContext().secret(secret("a secret of the test")))) {
            assertThatThrownBy(() -> clear.listen("tcp://0.0.0.0:0"))
                    .isInstanceOf(ListenException.class)
                    .hasMessageContaining("insecure(true)");
            assertThat(clear.listen("tcp://127.0.0.1:0")).startsWith("tcp://127.0.0.1:");
            assertThat(told.listen("tcp://0.0.0.0:0")).startsWith("tcp://0.0.0.0:");
            assertThat(secret.listen("tcp://0.0.0.0:0")).startsWith("tcp://0.0.0.0:");
        }
    }
}

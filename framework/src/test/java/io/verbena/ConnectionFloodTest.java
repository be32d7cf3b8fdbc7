package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer that opens as many connections as it can leaves some to others. */
@Timeout(180)
class ConnectionFloodTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @ParameterizedTest
    @EnumSource(names = {"SHM", "UDS", "TCP"})
    void onePeerDoesNotTakeAll(Fabric fabric) {
        try (Node server = Node.launch(new NodeContext().maxConnections(64));
                Node greedy = Node.launch(new NodeContext());
                Node other = Node.launch(new NodeContext())) {
            server.openInbox("in");
            String address = fabric.listen(server) + "/in";
            List<Channel> taken = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                taken.add(greedy.connect(address, TIMEOUT));
            }
            for (int i = 0; i < 60; i++) {
                assertThatThrownBy(() -> greedy.connect(address, TIMEOUT))
                        .isInstanceOf(ConnectionException.class)
                        .hasMessageContaining("it has 16 connections, and maxConnectionsPerPeer is 16");
            }
            assertThat(server.tenant("default").connections()) // that are, or were a moment ago
                    .as("what the peer was refused was never made")
                    .isEqualTo(16);
            assertThat(other.connect(address, TIMEOUT).isConnected()).isTrue();
            taken.remove(0).close();
            Channel again = connectInTime(greedy, address);
            assertThat(again.isConnected())
                    .as("what was given back can be taken")
                    .isTrue();
        }
    }

    private static Channel connectInTime(Node node, String address) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            try {
                return node.connect(address, TIMEOUT);
            } catch (ConnectionException e) { // the queue pair waits for stragglers
                assertThat(System.nanoTime()).as(e.getMessage()).isLessThan(deadline);
            }
        }
    }
}

package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.agrona.concurrent.UnsafeBuffer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that gets SIGTERM: its nodes close, and its peers know. */
@Timeout(180)
class ShutdownTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LOCAL")
    void sigtermClosesTheNodes(Fabric fabric) throws Exception {
        List<CloseReason> closed = new CopyOnWriteArrayList<>();
        try (Node node = Node.launch(PeerProcess.context(fabric));
                PeerProcess peer = PeerProcess.serving(fabric)) {
            node.addListener(new ChannelListener() {
                @Override
                public void onClose(Channel channel) {
                    closed.add(channel.closeReason());
                }
            });
            Channel channel = node.connect(peer.address + "sink", NodePair.TIMEOUT);
            assertThat(channel.offer(new UnsafeBuffer(new byte[1000]), 0, 1000)).isEqualTo(SendResult.SENT);
            peer.terminate();
            Awaitility.await().atMost(NodePair.TIMEOUT).until(() -> !closed.isEmpty());
            assertThat(closed).containsExactly(CloseReason.CLOSED_BY_PEER);
            peer.awaitEnd();
            assertThat(peer.hasFiles()).as("files of the node that was closed").isFalse();
        }
    }
}

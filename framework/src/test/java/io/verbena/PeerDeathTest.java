package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process of this host that is killed is known to be gone, and not waited for as one that only cannot be reached is.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PeerDeathTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration FOR_EVER = Duration.ofHours(1);

    private final List<CloseReason> closed = new CopyOnWriteArrayList<>();
    private final List<Outcome> calls = new CopyOnWriteArrayList<>();

    private Node node(Fabric fabric) {
        Node node = Node.launch(fabric.context(NodeMode.ASSISTED).peerTimeout(FOR_EVER));
        node.addListener(new ChannelListener() {
            @Override
            public void onClose(Channel channel) {
                closed.add(channel.closeReason());
            }
        });
        return node;
    }

    /** Ends a channel that is idle, and a call that waits. */
    private void expectAllEnds(Node node, PeerProcess peer, Channel... idle) {
        Requester requester = node.openRequester();
        Channel silent = requester.connect(peer.address + "silent", LONG);
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        assertThat(requester.call(silent, message, 0, 100, FOR_EVER, 0, r -> calls.add(r.outcome())))
                .isEqualTo(SendResult.SENT);
        peer.kill();
        Awaitility.await()
                .atMost(LONG)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .pollInSameThread()
                .until(() -> requester.poll(1) >= 0 && calls.size() == 1 && closed.size() == idle.length + 1);
        assertThat(closed).containsOnly(CloseReason.PEER_LOST);
        assertThat(calls).doesNotContain(Outcome.DONE, Outcome.EXPIRED);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fabric.class,
            names = {"TCP", "UDS", "SHM"})
    void whatWaitsEndsAtOnce(Fabric fabric) {
        try (PeerProcess peer = PeerProcess.serving(fabric);
                Node node = node(fabric)) {
            expectAllEnds(node, peer, node.connect(peer.address + "sink", LONG));
        }
    }

    /** Links of two kinds lead to one node: none of them keeps the other's end from being seen. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void linksOfTwoKindsDoNotHideIt(boolean mappedFirst) {
        try (PeerProcess peer = PeerProcess.serving(Fabric.SHM);
                Node node = node(Fabric.SHM)) {
            String first = mappedFirst ? peer.address : peer.tcpAddress;
            String second = mappedFirst ? peer.tcpAddress : peer.address;
            Channel a = node.connect(first + "sink", LONG);
            Channel b = node.connect(second + "sink", LONG);
            expectAllEnds(node, peer, a, b);
        }
    }
}

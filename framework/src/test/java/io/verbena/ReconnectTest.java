package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Channels whose peer goes away and comes back. */
@Timeout(180)
class ReconnectTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String SHM_ADDRESS =
            "shm:reconnect-server-" + ProcessHandle.current().pid();

    @TempDir
    Path folder;

    private final BlockingQueue<Channel> lost = new LinkedBlockingQueue<>();
    private final BlockingQueue<Channel> reconnected = new LinkedBlockingQueue<>();
    private final BlockingQueue<ConnectionException> failures = new LinkedBlockingQueue<>();

    private ChannelOptions options() {
        return new ChannelOptions().reconnect(Duration.ofMillis(5), Duration.ofMillis(50), new ReconnectListener() {
            @Override
            public void onLost(Channel channel) {
                lost.add(channel);
            }

            @Override
            public void onAttemptFailed(ConnectionException why) {
                failures.add(why);
            }

            @Override
            public void onReconnected(Channel channel) {
                reconnected.add(channel);
            }
        });
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T found = queue.poll(20, TimeUnit.SECONDS);
        assertThat(found).isNotNull();
        return found;
    }

    private Node server(Fabric fabric, List<String> got) {
        String address = fabric == Fabric.UDS ? "uds:" + folder.resolve("s.sock") : SHM_ADDRESS;
        Node node = Node.launch(new NodeContext().name("reconnect-server"));
        if (fabric != Fabric.LOCAL) {
            node.listen(address);
        }
        node.openInbox("log").onMessage(m -> got.add(m.text()));
        return node;
    }

    private String address(Fabric fabric) {
        switch (fabric) {
            case UDS:
                return "uds:" + folder.resolve("s.sock") + "/log";
            case SHM:
                return SHM_ADDRESS + "/log";
            default:
                return "local:reconnect-server/log";
        }
    }

    @ParameterizedTest
    @EnumSource(value = Fabric.class, names = "TCP", mode = Mode.EXCLUDE)
    void followsAServerThatIsLaunchedAgain(Fabric fabric) throws Exception {
        List<String> got = new CopyOnWriteArrayList<>();
        Node first = server(fabric, got);
        try (Node client = Node.launch(new NodeContext())) {
            Channel channel = client.tenant("default").connect(address(fabric), null, options(), TIMEOUT);
            for (int i = 0; i < 3; i++) {
                assertThat(channel.send("message " + i, TIMEOUT)).isEqualTo(SendResult.SENT);
                int expected = i + 1;
                await().until(() -> got.size() == expected);
                first.close();
                assertThat(next(lost)).isSameAs(channel);
                assertThat(channel.closeReason()).isNotEqualTo(CloseReason.CLOSED_HERE);
                assertThat(channel.offer("never")).isEqualTo(SendResult.CLOSED);
                assertThat(next(failures)).hasMessageStartingWith("cannot connect to " + address(fabric));
                first = server(fabric, got);
                channel = next(reconnected);
            }
            assertThat(got).containsExactly("message 0", "message 1", "message 2");
        } finally {
            first.close();
        }
    }

    @Test
    void closeEndsIt() throws Exception {
        List<String> got = new CopyOnWriteArrayList<>();
        try (Node client = Node.launch(new NodeContext())) {
            Node server = server(Fabric.LOCAL, got);
            Channel kept = client.tenant("default").connect(address(Fabric.LOCAL), null, options(), TIMEOUT);
            Channel closed = client.tenant("default").connect(address(Fabric.LOCAL), null, options(), TIMEOUT);
            closed.close();
            server.close();
            assertThat(next(lost)).isSameAs(kept);
            next(failures);
            kept.close();
            failures.clear();
            try (Node again = server(Fabric.LOCAL, got)) {
                // An attempt that was under way may fail once more, and nothing follows.
                Channel probe = client.connect(address(Fabric.LOCAL), TIMEOUT);
                assertThat(probe.send("probe", TIMEOUT)).isEqualTo(SendResult.SENT);
                await().until(() -> got.contains("probe"));
                await().pollDelay(Duration.ofMillis(200))
                        .until(() -> again.tenant("default").connections() == 1);
            }
            assertThat(reconnected).isEmpty();
            assertThat(lost).isEmpty();
        }
    }

    /** Calls on the new channel end with it, as those on the old one did. */
    @Test
    void requesterFollows() throws Exception {
        try (Node client = Node.launch(new NodeContext());
                Requester requester = client.openRequester().pollOnNode()) {
            Node server = Node.launch(new NodeContext().name("reconnect-server"));
            server.openResponder("log").onRequest(r -> {});
            Channel channel = requester.connect(address(Fabric.LOCAL), options(), TIMEOUT);
            for (int i = 0; i < 2; i++) {
                var answer = requester.call(channel, new byte[1], Duration.ofSeconds(50));
                await().until(() -> requester.outstanding() == 1);
                server.close();
                assertThatThrownBy(() -> answer.get(20, TimeUnit.SECONDS)).hasMessageContaining("CLOSED");
                server = Node.launch(new NodeContext().name("reconnect-server"));
                server.openResponder("log").onRequest(r -> {});
                channel = next(reconnected);
            }
            server.close();
        }
    }

    @Test
    void refusesPausesThatMakeNoSense() {
        ReconnectListener none = channel -> {};
        assertThatThrownBy(() -> new ChannelOptions().reconnect(Duration.ZERO, Duration.ofSeconds(1), none))
                .hasMessage("first pause PT0S is not more than 0");
        assertThatThrownBy(() -> new ChannelOptions().reconnect(Duration.ofSeconds(2), Duration.ofSeconds(1), none))
                .hasMessage("longest pause PT1S < first pause PT2S");
    }
}

package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections and calls that nobody waits for. */
@Timeout(180)
class FuturesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @EnumSource(Fabric.class)
    void connects(Fabric fabric) throws Exception {
        try (Node server = Node.launch(new NodeContext());
                Node client = Node.launch(new NodeContext())) {
            Inbox log = server.openInbox("log");
            Channel channel = client.connectAsync(fabric.listen(server) + "/log", null, TIMEOUT)
                    .get(10, TimeUnit.SECONDS);
            assertThat(channel.send("hello", TIMEOUT)).isEqualTo(SendResult.SENT);
            List<String> got = new ArrayList<>();
            while (got.isEmpty()) {
                log.await(TIMEOUT);
                log.poll(m -> got.add(m.text()), 1);
            }
            assertThat(got).containsExactly("hello");
        }
    }

    /** Also on a machine with two cores, where the common pool would be replaced by a thread for each step. */
    @Test
    void hundredsOfConnectsShareAFewThreads() throws Exception {
        try (Node server = Node.launch(new NodeContext().listen("tcp://127.0.0.1:0"));
                Node client = Node.launch(new NodeContext())) {
            server.openInbox("log");
            String address = server.addresses().get(0) + "/log";
            client.connect(address, TIMEOUT);
            long before = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
            List<CompletableFuture<Channel>> connecting = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                connecting.add(client.connectAsync(address, null, TIMEOUT));
            }
            for (CompletableFuture<Channel> each : connecting) {
                assertThat(each.get(10, TimeUnit.SECONDS).isConnected()).isTrue();
            }
            assertThat(ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() - before)
                    .isLessThan(connecting.size());
        }
    }

    @Test
    void connectsWhileTheCallerDoesTheWork() throws Exception {
        try (Node server = Node.launch(new NodeContext().listen("tcp://127.0.0.1:0"));
                Node client = Node.launch(new NodeContext().mode(NodeMode.INVOKER))) {
            server.openInbox("log");
            CompletableFuture<Channel> connecting =
                    client.connectAsync(server.addresses().get(0) + "/log", null, TIMEOUT);
            while (!connecting.isDone()) {
                client.doWork();
                client.await(Duration.ofMillis(1));
            }
            assertThat(connecting.get().isConnected()).isTrue();
        }
    }

    @Test
    void connectsWithinACallback() throws Exception {
        try (Node node = Node.launch(new NodeContext())) {
            CompletableFuture<Channel> connected = new CompletableFuture<>();
            node.openInbox("log");
            String address = "local:" + node.name();
            node.openInbox("go")
                    .onMessage(m ->
                            node.connectAsync(address + "/log", null, TIMEOUT).thenAccept(connected::complete));
            node.connect(address + "/go", TIMEOUT).offer("go");
            assertThat(connected.get(10, TimeUnit.SECONDS).isConnected()).isTrue();
        }
    }

    @Test
    void saysWhyItCannotConnect() throws Exception {
        try (Socket silentPort = new Socket(); // a port that nobody else gets, and nobody listens on
                Node server =
                        Node.launch(new NodeContext().name("futures-server").listen("tcp://127.0.0.1:0"));
                ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Node client = Node.launch(new NodeContext())) {
            silentPort.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertFails(client, "tcp://127.0.0.1:" + silentPort.getLocalPort() + "/log", "nobody listens there");
            assertFails(client, server.addresses().get(0) + "/log", "node 'futures-server' has no inbox 'log'");
            assertFails(client, "local:nobody/log", "no node 'nobody' runs in this process");
            String address = "tcp://127.0.0.1:" + silent.getLocalPort() + "/log";
            assertThatThrownBy(() -> client.connectAsync(address, null, Duration.ofMillis(50))
                            .get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(ConnectionException.class);
            assertThatThrownBy(() -> client.connectAsync("nonsense", null, TIMEOUT))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static void assertFails(Node client, String address, String why) {
        assertThatThrownBy(() -> client.connectAsync(address, null, TIMEOUT).get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(ConnectionException.class)
                .hasMessageContaining("cannot connect to " + address + ": ")
                .hasMessageContaining(why);
    }

    @Test
    void callsFromSeveralThreads() throws Exception {
        try (Node node = Node.launch(new NodeContext());
                Requester requester = node.openRequester().pollOnNode()) {
            node.openResponder("echo").onRequest(r -> r.reply("<" + r.text() + ">"));
            Channel echo = requester.connect("local:" + node.name() + "/echo", TIMEOUT);
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int caller = i;
                callers.add(CompletableFuture.runAsync(() -> {
                    for (int n = 0; n < 500; n++) {
                        String text = caller + ":" + n;
                        assertThat(requester.call(echo, bytes(text), TIMEOUT).join())
                                .isEqualTo(bytes("<" + text + ">"));
                    }
                }));
            }
            for (CompletableFuture<Void> caller : callers) {
                caller.get(30, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void callsThatHaveNoResult() throws Exception {
        try (Node node = Node.launch(new NodeContext());
                Requester requester = node.openRequester()) {
            Responder slow = node.openResponder("slow");
            slow.onRequest(r -> {
                if (r.length() > 0) {
                    throw new IllegalArgumentException("no such order");
                }
            });
            Channel channel = requester.connect("local:" + node.name() + "/slow", TIMEOUT);
            assertThatThrownBy(() -> requester.call(channel, new byte[0], TIMEOUT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("call pollOnNode() first");
            requester.pollOnNode();
            assertOutcome(requester.call(channel, bytes("7"), TIMEOUT), Outcome.FAILED, "no such order");
            assertOutcome(
                    requester.call(channel, new byte[0], Duration.ofMillis(20)),
                    Outcome.EXPIRED,
                    "within the deadline");
            CompletableFuture<byte[]> waits = requester.call(channel, new byte[0], TIMEOUT);
            slow.close();
            channel.close();
            assertOutcome(waits, Outcome.CLOSED, "closed");
            assertOutcome(requester.call(channel, new byte[0], TIMEOUT), Outcome.CLOSED, "was not sent");
        }
    }

    private static void assertOutcome(CompletableFuture<byte[]> answer, Outcome outcome, String text) {
        assertThatThrownBy(() -> answer.get(10, TimeUnit.SECONDS))
                .hasCauseInstanceOf(CallException.class)
                .hasMessageContaining(text)
                .satisfies(e ->
                        assertThat(((CallException) e.getCause()).outcome()).isEqualTo(outcome));
    }
}

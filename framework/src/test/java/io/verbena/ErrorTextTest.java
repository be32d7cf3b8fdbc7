package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fabric.ListenException;
import io.verbena.nic.JvmFlags;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors are one line that says what to do. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ErrorTextTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Test
    void portInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "tcp://127.0.0.1:" + taken.getLocalPort();
            assertThatThrownBy(() -> Node.launch(new NodeContext().name("late").listen(address)))
                    .isInstanceOf(ListenException.class)
                    .hasMessageContaining(Integer.toString(taken.getLocalPort()))
                    .hasMessageContaining("in use")
                    .hasMessageNotContaining("\n");
            Node.launch(new NodeContext().name("late")).close(); // the name was given back
        }
    }

    @Test
    void nobodyListens() throws IOException {
        try (Socket taken = new Socket(); // nobody else gets its port, and nobody listens on it
                Node node = Node.launch(new NodeContext())) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> node.connect("tcp://127.0.0.1:" + port + "/echo", TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessage("cannot connect to tcp://127.0.0.1:" + port
                            + "/echo: nobody listens there; start the peer, or correct the address");
        }
    }

    @Test
    void noSuchSocket(@TempDir Path directory) {
        try (Node node = Node.launch(new NodeContext())) {
            String address = "uds:" + directory.resolve("x.sock") + "/echo";
            assertThatThrownBy(() -> node.connect(address, TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessage(
                            "cannot connect to " + address + ": there is no such socket; is a node listening there?");
        }
    }

    @Test
    void noSuchNodeOnThisHost() {
        try (Node node = Node.launch(new NodeContext())) {
            assertThatThrownBy(() -> node.connect("shm:nobody/echo", TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessage(
                            "cannot connect to shm:nobody/echo: there is no such socket; is a node listening there?");
        }
    }

    @Test
    void noSuchNodeInThisProcess() {
        try (Node node = Node.launch(new NodeContext())) {
            assertThatThrownBy(() -> node.connect("local:nobody/echo", TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessage("cannot connect to local:nobody/echo: no node 'nobody' runs in this process");
        }
    }

    @Test
    void unknownName() {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.ASSISTED)) {
            assertThatThrownBy(() -> pair.client.connect(pair.address + "nope", TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessage("cannot connect to " + pair.address + "nope: node '" + pair.server.name()
                            + "' has no inbox 'nope'");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://host:80/echo, 'its scheme is not one of local:, shm:, tcp://, uds:'",
        "tcp://host/echo, it is not tcp://host:port",
        "tcp://host:http/echo, its port 'http' is not a number",
        "tcp://host:70000/echo, its port is outside 0..65535",
        "tcp://host:80, 'it lacks a name'",
        "uds:relative.sock/echo, 'a socket''s path begins with /'",
        "local:orders, 'it lacks a name: local:<node>/<name>'",
        "local:a b/echo, node name 'a b' is not",
    })
    void malformedAddress(String address, String reason) {
        try (Node node = Node.launch(new NodeContext())) {
            assertThatThrownBy(() -> node.connect(address, TIMEOUT))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(reason.replace("'''", "'"))
                    .hasMessageNotContaining("\n");
        }
    }

    /** Agrona's fast path needs the flag: a process without it ends at launch with the flag's name. */
    @Test
    void missingFlag() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.verbena.examples.Echo")
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).isNotZero();
            assertThat(output)
                    .contains("IllegalStateException: start the JVM with " + JvmFlags.EXPORTS)
                    .doesNotContain("IllegalAccessError");
        } finally {
            process.destroyForcibly();
        }
    }

    /** Garbage on the node's port ends that connection, is counted, and others do not notice. */
    @Test
    void garbageOnThePort() throws IOException {
        try (NodePair pair = new NodePair(Fabric.TCP, NodeMode.ASSISTED)) {
            pair.server.openResponder("echo").onRequest(r -> r.reply(r.buffer(), r.offset(), r.length()));
            Requester requester = pair.client.openRequester();
            Channel channel = requester.connect(pair.address + "echo", TIMEOUT);
            int port = URI.create(pair.address).getPort();
            Random random = new Random(5);
            UnsafeBuffer request = new UnsafeBuffer(new byte[100]);
            int[] done = new int[1];
            for (int i = 1; i <= 20; i++) {
                int calls = i;
                byte[] garbage = new byte[1 + random.nextInt(4096)];
                random.nextBytes(garbage);
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    OutputStream out = socket.getOutputStream();
                    out.write(garbage);
                    out.flush();
                    requester.call(
                            channel,
                            request,
                            0,
                            100,
                            TIMEOUT,
                            0,
                            r -> done[0] += r.outcome().ordinal() + 1);
                    pair.await(() -> requester.poll(1) >= 0 && done[0] == calls);
                }
            }
            pair.await(() -> pair.server.rejectedConnections() >= 20);
            assertThat(channel.isConnected()).isTrue();
        }
    }
}

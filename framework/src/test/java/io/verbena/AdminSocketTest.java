package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.fabric.ListenException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The administrator's lines over the socket, and who may not say any. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class AdminSocketTest {
    @TempDir
    Path directory;

    private Path path;
    private Node node;

    @BeforeEach
    void launch() {
        path = directory.resolve("admin.sock");
        node = Node.launch(context());
    }

    private NodeContext context() {
        return new NodeContext()
                .admin(path)
                .tenant(new TenantOptions().name("gold").weight(3));
    }

    @AfterEach
    void close() {
        node.close();
    }

    /** A client that speaks lines. */
    private static final class Client implements AutoCloseable {
        private final SocketChannel channel;
        private final BufferedReader in;

        Client(Path path) throws IOException {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(UnixDomainSocketAddress.of(path));
            in = new BufferedReader(Channels.newReader(channel, StandardCharsets.US_ASCII));
        }

        void say(String text) throws IOException {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        }

        /** The lines of an answer, the last of which says how it went. */
        List<String> ask(String line) throws IOException {
            say(line + "\n");
            return answer();
        }

        List<String> answer() throws IOException {
            List<String> lines = new ArrayList<>();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
                if (line.equals("ok") || line.startsWith("error")) {
                    break;
                }
            }
            return lines;
        }

        boolean isTurnedOut() throws IOException {
            return in.readLine() == null;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @Test
    void tellsWhatTenantsMaySendAndWhy() throws IOException {
        node.close();
        node = Node.launch(context().rates(new RateOptions().requests(1e6).twoSided(true)));
        await().until(() -> node.tenants().allocations().size() == 2);
        try (Client client = new Client(path)) {
            List<String> lines = client.ask("rates");
            assertThat(lines).hasSize(4).endsWith("ok");
            assertThat(lines.get(0))
                    .startsWith("{\"name\":\"default\",\"epoch\":")
                    .contains("\"basis\":\"ONE_SIDED\"}");
            assertThat(lines.get(1)).startsWith("{\"name\":\"gold\",\"epoch\":").contains("\"bound\":\"DEMAND\"");
            assertThat(lines.get(2))
                    .startsWith("{\"exchange\":{\"activePeers\":0,")
                    .endsWith("\"peersLost\":0}}");
            assertThat(client.ask("list").get(1)).contains("\"name\":\"gold\"").contains("\"rateBound\":\"DEMAND\"");
        }
    }

    @Test
    void withoutRatesThereAreNone() throws IOException {
        try (Client client = new Client(path)) {
            assertThat(client.ask("rates")).containsExactly("ok");
            assertThat(client.ask("list")).noneMatch(line -> line.contains("rateBound"));
        }
    }

    @Test
    void tellsWhatMergingRegionsDid() throws IOException {
        node.share("table", 4096);
        try (Client client = new Client(path)) {
            RemoteRegion region = node.tenant("gold")
                    .attach(
                            "local:" + node.name() + "/table",
                            new RegionOptions().merge(Merging.HYBRID).window(100),
                            NodePair.TIMEOUT);
            assertThat(client.ask("merging")).as("nobody has done anything").containsExactly("ok");
            assertThat(client.ask("list")).noneMatch(line -> line.contains("merging"));
            for (int at = 0; at < 300; at += 100) {
                region.write(at, new UnsafeBuffer(new byte[100]), 0, 100, 0, (id, outcome, value) -> {});
            }
            String counts = "\"operations\":3,\"workRequests\":1,\"doorbells\":1,\"merged\":0,\"chained\":0,"
                    + "\"waited\":2,\"refused\":0,\"bytesInFlight\":100,\"window\":100}";
            assertThat(client.ask("merging")).containsExactly("{\"name\":\"gold\"," + counts, "ok");
            List<String> lines = client.ask("list");
            assertThat(lines.get(0)).doesNotContain("merging");
            assertThat(lines.get(1)).contains(",\"merging\":{" + counts + ",");
            assertThat(client.ask("merging gold").get(0)).startsWith("error ");
        }
    }

    @Test
    void listsTenantsAndTakesWeights() throws IOException {
        node.openInbox("in");
        Channel channel = node.tenant("gold")
                .connect("local:" + node.name() + "/in", null, new ChannelOptions().urgent(true), NodePair.TIMEOUT);
        assertThat(channel.offer(new UnsafeBuffer(new byte[100]), 0, 100)).isEqualTo(SendResult.SENT);
        await().until(() -> node.tenant("gold").statistics().messages() == 1); // counted after it is there
        try (Client client = new Client(path)) {
            List<String> lines = client.ask("list");
            assertThat(lines).hasSize(3).endsWith("ok");
            assertThat(lines.get(0)).startsWith("{\"name\":\"default\",\"weight\":1,\"queuePairs\":");
            assertThat(lines.get(1))
                    .startsWith("{\"name\":\"gold\",\"weight\":3,\"queuePairs\":1,\"urgentQueuePairs\":1,\"bytes\":")
                    .contains(",\"messages\":1,")
                    .contains(",\"demoted\":0,")
                    .endsWith(",\"refusedForMemory\":0}");
            assertThat(client.ask("weight gold 77")).containsExactly("ok");
            assertThat(client.ask("list").get(1)).contains("\"weight\":77,");
        }
        assertThat(node.tenant("gold").options().weight()).isEqualTo(77);
    }

    @Test
    void whatMakesNoSenseIsRefusedAndTheNextLineIsHeard() throws IOException {
        try (Client client = new Client(path)) {
            for (String line : List.of("", "lists", "weight", "weight gold", "weight gold 0", "weight gold x")) {
                assertThat(client.ask(line)).hasSize(1).first().asString().startsWith("error ");
            }
            assertThat(client.ask("weight iron 3").get(0)).contains("iron").contains("gold");
            assertThat(client.ask("weight gold 65536").get(0)).contains("65536").contains("65535");
            assertThat(client.ask("\u001b[2Jlist").get(0)).doesNotContain("\u001b");
            client.say("weight gol");
            client.say("d 5\nweight gold 6\n");
            assertThat(client.answer()).containsExactly("ok");
            assertThat(client.answer()).containsExactly("ok");
        }
        assertThat(node.tenant("gold").options().weight()).isEqualTo(6);
    }

    @Test
    void aLineWithoutAnEndIsTurnedOutAndTheNextClientServed() throws IOException {
        try (Client client = new Client(path)) {
            client.say("x".repeat(256));
            assertThat(client.answer().get(0)).startsWith("error line");
            assertThat(client.isTurnedOut()).isTrue();
        }
        try (Client client = new Client(path)) {
            assertThat(client.ask("list")).endsWith("ok");
        }
    }

    @Test
    void onlyItsUserMayOpenItAndItGoesWithTheNode() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(path);
        }
        try (Client client = new Client(path)) {
            assertThat(client.ask("list")).endsWith("ok");
            node.close();
            assertThat(client.isTurnedOut()).isTrue();
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void takesOverWhatADeadNodeLeftAndNothingElse() throws IOException {
        assertThatThrownBy(() -> Node.launch(context()))
                .isInstanceOf(ListenException.class)
                .hasMessageContaining("listens");
        node.close();
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(path));
        }
        node = Node.launch(context());
        node.close();
        Files.writeString(path, "precious");
        assertThatThrownBy(() -> Node.launch(context())).hasMessageContaining("no socket");
        assertThat(path).hasContent("precious");
        Files.delete(path);
        node = Node.launch(context());
    }

    @Test
    void leavesTheSocketOfWhoeverHasTakenItsPlace() throws IOException {
        Files.delete(path);
        try (Node other = Node.launch(context())) {
            node.close();
            assertThat(Files.exists(path)).isTrue();
            try (Client client = new Client(path)) {
                assertThat(client.ask("weight gold 5")).containsExactly("ok");
            }
            assertThat(other.tenant("gold").options().weight()).isEqualTo(5);
        }
        assertThat(Files.exists(path)).isFalse();
    }
}

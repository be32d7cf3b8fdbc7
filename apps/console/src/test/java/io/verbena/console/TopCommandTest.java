package io.verbena.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command against a stand-in for a node's administration socket. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TopCommandTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** Answers one client: two tenants, of which the first grows by 1000 bytes at each look, the second by 3000. */
    private static final class StandIn implements AutoCloseable {
        final ServerSocketChannel server;
        final Queue<String> asked = new ConcurrentLinkedQueue<>();
        private final Thread thread;
        private volatile int weight = 3;

        StandIn(Path socket) throws IOException {
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(socket));
            thread = new Thread(this::serve, "stand-in");
            thread.start();
        }

        private void serve() {
            try (SocketChannel client = server.accept();
                    BufferedReader lines = new BufferedReader(
                            new InputStreamReader(Channels.newInputStream(client), StandardCharsets.UTF_8))) {
                int looks = 0;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    asked.add(line);
                    String answer = line.equals("list") ? list(++looks) : set(line);
                    client.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
                }
            } catch (IOException e) {
                return; // closed
            }
        }

        private String list(int looks) {
            return tenant("web", 1, 1000L * looks) + tenant("batch", weight, 3000L * looks) + "ok\n";
        }

        private static String tenant(String name, int weight, long charged) {
            return "{\"name\":\"" + name + "\",\"weight\":" + weight + ",\"charged\":" + charged + ",\"bytes\":"
                    + charged + ",\"more\":[1]}\n";
        }

        private String set(String line) {
            int value = Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
            if (value > 65_535) {
                return "error weight " + value + " outside 1..65535\n";
            }
            weight = value;
            return "ok\n";
        }

        @Override
        public void close() throws IOException, InterruptedException {
            server.close();
            thread.interrupt();
            thread.join();
        }
    }

    private int run(InputStream in, Path socket, String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = socket.toString();
        return new CommandLine(new TopCommand(in, stream(out), stream(err))).execute(all);
    }

    private static PrintStream stream(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    private static String text(ByteArrayOutputStream of) {
        return of.toString(StandardCharsets.UTF_8);
    }

    @Test
    void oncePrintsOneTable() throws Exception {
        Path socket = folder.resolve("admin");
        try (StandIn node = new StandIn(socket)) {
            int status = run(new ByteArrayInputStream(new byte[0]), socket, "--once", "--interval=0.1");

            assertThat(status).isZero();
            assertThat(node.asked).containsExactly("list", "list");
        }
        assertThat(text(out))
                .containsPattern("1 web +1 +25.00 % +25.00 %")
                .containsPattern("2 batch +3 +75.00 % +75.00 %");
        assertThat(text(out)).doesNotContain("\033");
    }

    @Test
    void aWeightThatIsTypedIsSet() throws Exception {
        Path socket = folder.resolve("admin");
        try (StandIn node = new StandIn(socket);
                PipedOutputStream keys = new PipedOutputStream();
                PipedInputStream in = new PipedInputStream(keys)) {
            keys.write("2 30\n3 1\n2 99999\nfaster\n".getBytes(StandardCharsets.UTF_8));
            Thread user = new Thread(() -> quitWhenSeen(keys, "batch +30 "), "user");
            user.start();
            int status = run(in, socket, "--interval=0.1");
            user.join();

            assertThat(status).isZero();
            assertThat(node.asked).contains("weight batch 30", "weight batch 99999");
        }
        assertThat(text(out))
                .contains("batch has weight 30")
                .contains("tenant 3 outside 1..2")
                .contains("weight 99999 outside 1..65535")
                .contains("'faster' is no number of a tenant and a weight");
    }

    private void quitWhenSeen(PipedOutputStream keys, String pattern) {
        Pattern wanted = Pattern.compile(pattern);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> wanted.matcher(text(out)).find());
        try {
            keys.write("q\n".getBytes(StandardCharsets.UTF_8));
            keys.flush();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aNodeThatGoesAwayEndsTheView() throws Exception {
        Path socket = folder.resolve("admin");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            Thread node = new Thread(() -> acceptAndClose(server), "stand-in");
            node.start();

            assertThat(run(new ByteArrayInputStream(new byte[0]), socket)).isEqualTo(1);
            node.join();
        }
        assertThat(text(err)).startsWith("top: lost the node at");
    }

    private static void acceptAndClose(ServerSocketChannel server) {
        try {
            server.accept().close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whereNobodyListensItSaysSo() {
        assertThat(run(new ByteArrayInputStream(new byte[0]), folder.resolve("nobody")))
                .isEqualTo(1);
        assertThat(text(err)).startsWith("top: no node answers at");
    }

    @Test
    void theIntervalHasBounds() {
        assertThat(run(new ByteArrayInputStream(new byte[0]), folder.resolve("any"), "--interval=0"))
                .isEqualTo(2);
    }
}

package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.ConnectionException;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.tier.PagedMemory;
import io.verbena.tier.PagedOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The donor's command line, in a process of its own, and who borrows from it. */
@Timeout(180)
class DonateTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int SIZE = 16 << 20;
    private static final byte[] SECRET = "0123456789abcdef01234567".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path directory;

    private static NodeContext context() {
        return new NodeContext().mode(NodeMode.THREAD).peerTimeout(Duration.ofSeconds(1));
    }

    private static PagedMemory borrow(Node node, String address, Duration limit) {
        return PagedMemory.open(
                node, new PagedOptions(SIZE).donor(address).resident(1 << 20).timeout(LONG), limit);
    }

    @Test
    void lendsToOneStoreAtATimeUntilItIsToldToEnd() throws Exception {
        try (DonorProcess donor = DonorProcess.start("--memory", "64mb", "--listen", "tcp://127.0.0.1:0");
                Node second = Node.launch(context())) {
            try (Node first = Node.launch(context());
                    PagedMemory memory = borrow(first, donor.address(), LONG)) {
                UnsafeBuffer bytes = new UnsafeBuffer(new byte[SIZE]);
                for (int i = 0; i < SIZE; i += Integer.BYTES) {
                    bytes.putInt(i, i);
                }
                memory.write(0, bytes, 0, SIZE);
                memory.flush(LONG);
                UnsafeBuffer read = new UnsafeBuffer(new byte[SIZE]);
                memory.read(0, read, 0, SIZE);
                assertThat(read.byteArray()).isEqualTo(bytes.byteArray());
                assertThat(memory.statistics().peers().get(0).capacity()).isEqualTo(64L << 20);
                assertThatThrownBy(() -> borrow(second, donor.address(), Duration.ofSeconds(3)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("node '" + first.name() + "' has its memory");
            }
            try (PagedMemory memory = borrow(second, donor.address(), LONG)) {
                assertThat(donor.terminate()).as("it ends on SIGTERM").isTrue();
                Awaitility.await()
                        .atMost(LONG)
                        .until(() -> !memory.statistics().peers().get(0).alive());
            }
        }
    }

    @Test
    void lendsToThoseWhoKnowTheSecret() throws Exception {
        Path secret = Files.createFile(
                directory.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(secret, SECRET);
        try (DonorProcess donor = DonorProcess.start(
                        "--memory", "1mb", "--listen", "tcp://127.0.0.1:0", "--secret-file", secret.toString());
                Node knows = Node.launch(context().secret(new SharedSecret(SECRET)));
                Node guesses = Node.launch(context().secret(new SharedSecret(new byte[24])))) {
            assertThatThrownBy(() -> borrow(guesses, donor.address(), LONG)).isInstanceOf(ConnectionException.class);
            borrow(knows, donor.address(), LONG).close();
        }
    }

    @Test
    void aTenantThatLends() throws Exception {
        try (DonorProcess donor =
                        DonorProcess.start("--memory", "1mb", "--tenant", "gold", "--listen", "tcp://127.0.0.1:0");
                Node node = Node.launch(context())) {
            borrow(node, donor.address(), LONG).close();
        }
    }

    @Test
    void whatCannotBeIsToldInOneLine() throws Exception {
        assertThat(DonorProcess.failure("--memory", "much", "--listen", "tcp://127.0.0.1:0"))
                .isEqualTo("verbena donate: --memory much is no amount; write 512mb or 4gb\n");
        assertThat(DonorProcess.failure("--memory", "1kb", "--listen", "tcp://127.0.0.1:0"))
                .startsWith("verbena donate: donated bytes 1024 outside 131072..");
        assertThat(DonorProcess.failure("--memory", "200gb", "--listen", "tcp://127.0.0.1:0"))
                .contains("raise -XX:MaxDirectMemorySize");
        assertThat(DonorProcess.failure("--memory", "1mb", "--listen", "tcp://0.0.0.0:0"))
                .startsWith("verbena donate: ")
                .contains("insecure");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            String address = "tcp://127.0.0.1:" + taken.getLocalPort();
            assertThat(DonorProcess.failure("--memory", "1mb", "--listen", address))
                    .contains("127.0.0.1:" + taken.getLocalPort());
        }
    }

    @Test
    void aStoreThatIsKilledLeavesTheMemoryToTheNext() throws Exception {
        try (DonorProcess donor = DonorProcess.start("--memory", "1mb", "--listen", "tcp://127.0.0.1:0");
                Node next = Node.launch(context())) {
            Process store = DonorProcess.launch(Borrower.class, donor.address());
            try {
                String line = DonorProcess.line(store);
                while (!line.equals("borrowed")) {
                    assertThat(line).as("it goes on").isNotEqualTo("null");
                    line = DonorProcess.line(store);
                }
                store.destroyForcibly();
                assertThat(store.waitFor(30, TimeUnit.SECONDS)).isTrue();
                borrow(next, donor.address(), LONG).close();
            } finally {
                store.destroyForcibly();
            }
        }
    }

    /** Has a donor's memory until it is killed. */
    static final class Borrower {
        public static void main(String[] args) throws Exception {
            try (Node node = Node.launch(context());
                    PagedMemory memory = borrow(node, args[0], LONG)) {
                memory.write(0, new UnsafeBuffer(new byte[8]), 0, 8);
                System.out.println("borrowed");
                while (System.in.read() >= 0) {}
            }
        }
    }
}

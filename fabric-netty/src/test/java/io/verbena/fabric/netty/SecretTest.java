package io.verbena.fabric.netty;

import static io.verbena.fabric.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.ListenException;
import io.verbena.fabric.netty.NettyFabricTest.Peer;
import io.verbena.fabric.security.AuthenticatedLink;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.nic.port.Link;
import java.io.DataInputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Links whose sides share a secret, and what those get who do not know it; raw sockets play the others. */
@Timeout(180)
class SecretTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final byte[] SECRET = "sixteen bytes or more".getBytes(StandardCharsets.US_ASCII);
    private static final long SERVER_NIC = 0x5EC2E7;

    @TempDir
    Path directory;

    private static NettyFabricContext knowing(byte[] secret) {
        return NettyFabricTest.quick().secret(new SharedSecret(secret));
    }

    private static byte[] other() {
        byte[] other = SECRET.clone();
        other[0] ^= 1;
        return other;
    }

    static Stream<Arguments> kinds() {
        return Stream.of(SocketTransport.values())
                .filter(SocketTransport::isAvailable)
                .flatMap(transport -> Stream.of(Arguments.of(transport, false), Arguments.of(transport, true)));
    }

    private SocketAddress address(boolean domain) {
        return domain
                ? UnixDomainSocketAddress.of(directory.resolve("s"))
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whoKnowsItIsLetIn(SocketTransport transport, boolean domain) throws Exception {
        try (Peer a = new Peer(1, transport, knowing(SECRET));
                Peer b = new Peer(2, transport, knowing(SECRET))) {
            Link ab = a.fabric.connect(b.fabric.listen(address(domain)), LONG).get(20, TimeUnit.SECONDS);
            Link ba = b.node.nextLink();
            assertThat(((AuthenticatedLink) ab).peer().proof()).isEqualTo(PeerIdentity.Proof.SECRET);
            assertThat(((AuthenticatedLink) ba).peer().proof()).isEqualTo(PeerIdentity.Proof.SECRET);
            a.node.send(ab, 3_000);
            b.node.send(ba, 3_000);
            await().atMost(LONG).until(() -> a.node.received == 3_000 && b.node.received == 3_000);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whoKnowsAnotherIsNot(SocketTransport transport, boolean domain) throws Exception {
        try (Peer a = new Peer(1, transport, knowing(other()));
                Peer b = new Peer(2, transport, knowing(SECRET))) {
            SocketAddress address = b.fabric.listen(address(domain));
            assertThatThrownBy(() -> a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("cannot connect to")
                    .hasMessageContaining("the peer refuses this side's proof; set the same secret on both sides");
            assertThat(b.node.nextRejection()).contains("shared secret: the peer's proof is wrong");
            assertThat(b.node.links).isEmpty();
            assertThat(a.node.links).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whoKnowsNoneIsNot(SocketTransport transport, boolean domain) throws Exception {
        try (Peer a = new Peer(1, transport, NettyFabricTest.quick());
                Peer b = new Peer(2, transport, knowing(SECRET))) {
            SocketAddress address = b.fabric.listen(address(domain));
            assertThatThrownBy(() -> a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS))
                    .hasMessageFindingMatch("the peer asks for a shared secret|closed before its hello");
            assertThat(b.node.nextRejection()).contains("the peer shows no shared secret");
            assertThat(b.node.links).isEmpty();
        }
    }

    // ---- raw sockets ------------------------------------------------------------------------------------------------

    private static byte[] challenge(long nic, byte[] nonce) {
        return ByteBuffer.allocate(48)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put("VERBENAs".getBytes(StandardCharsets.US_ASCII))
                .putLong(nic)
                .put(nonce)
                .array();
    }

    /** As the class says, written a second time: so a change of what is proven is seen. */
    private static byte[] proof(String label, long connecting, long accepting, byte[] ours, byte[] theirs)
            throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
        byte[] text = label.getBytes(StandardCharsets.US_ASCII);
        mac.update(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(text.length)
                .array());
        mac.update(text);
        mac.update(ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(connecting)
                .putLong(accepting)
                .array());
        mac.update(ours);
        return mac.doFinal(theirs);
    }

    private static byte[] hello(long nic) {
        return hello(nic, HelloFlyweight.CALL);
    }

    private static byte[] hello(long nic, int step) {
        byte[] bytes = new byte[HelloFlyweight.HEADER_LENGTH];
        HelloFlyweight.encode(new UnsafeBuffer(bytes), step, nic, 0, 0, 16 * 1024, 0, "");
        return bytes;
    }

    /** A connecting side by hand; each test changes one thing of what would be right. */
    private static final class Raw implements AutoCloseable {
        final Socket socket;
        final DataInputStream in;
        final byte[] nonce = new byte[32];
        final byte[] peerNonce = new byte[32];
        long peerNic;

        Raw(InetSocketAddress address, long nic) throws Exception {
            this(address, nic, (byte) 7);
        }

        Raw(InetSocketAddress address, long nic, byte fill) throws Exception {
            Arrays.fill(nonce, fill);
            socket = new Socket(address.getAddress(), address.getPort());
            socket.setSoTimeout(15_000);
            in = new DataInputStream(socket.getInputStream());
            send(challenge(nic, nonce));
            byte[] challenge = in.readNBytes(48);
            peerNic = ByteBuffer.wrap(challenge).order(ByteOrder.LITTLE_ENDIAN).getLong(8);
            System.arraycopy(challenge, 16, peerNonce, 0, 32);
        }

        void send(byte[] bytes) throws Exception {
            socket.getOutputStream().write(bytes);
        }

        /** Bytes until the end of the connection. */
        int rest() throws Exception {
            return SecretTest.rest(in);
        }

        @Override
        public void close() throws Exception {
            socket.close();
        }
    }

    private static int rest(InputStream in) throws Exception {
        try {
            return in.readAllBytes().length;
        } catch (java.net.SocketException reset) {
            return 0;
        }
    }

    private interface Attempt {
        void make(InetSocketAddress address) throws Exception;
    }

    /** An attempt against a server, which must have no link of it. */
    private static String attempt(Attempt attempt) throws Exception {
        try (Peer b = new Peer(SERVER_NIC, SocketTransport.best(), knowing(SECRET))) {
            attempt.make(
                    (InetSocketAddress) b.fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
            String rejection = b.node.nextRejection();
            assertThat(b.node.links).isEmpty();
            return rejection;
        }
    }

    @Test
    void theRawSideOfTheseTestsWouldBeLetIn() throws Exception {
        try (Peer b = new Peer(SERVER_NIC, SocketTransport.best(), knowing(SECRET))) {
            InetSocketAddress address =
                    (InetSocketAddress) b.fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (Raw raw = new Raw(address, 66)) {
                assertThat(raw.peerNic).isEqualTo(SERVER_NIC);
                raw.send(proof("verbena tcp connects", 66, SERVER_NIC, raw.nonce, raw.peerNonce));
                assertThat(raw.in.readNBytes(32))
                        .isEqualTo(proof("verbena tcp accepts", 66, SERVER_NIC, raw.nonce, raw.peerNonce));
                raw.send(hello(66));
                assertThat(raw.in.readNBytes(HelloFlyweight.HEADER_LENGTH)).hasSize(HelloFlyweight.HEADER_LENGTH);
                raw.send(hello(66, HelloFlyweight.CONFIRMATION));
                assertThat(b.node.nextLink().peerNic()).isEqualTo(66);
            }
        }
    }

    @Test
    void aReplayedProofIsWorthless() throws Exception {
        byte[][] recorded = new byte[1][];
        assertThat(attempt(address -> {
                    try (Raw first = new Raw(address, 66)) {
                        recorded[0] = proof("verbena tcp connects", 66, SERVER_NIC, first.nonce, first.peerNonce);
                        first.send(recorded[0]);
                        assertThat(first.in.readNBytes(32)).hasSize(32);
                    } // without a hello: it had been let in
                    try (Raw second = new Raw(address, 66)) {
                        second.send(recorded[0]);
                        second.send(hello(66));
                        assertThat(second.rest()).as("what it is told").isZero();
                    }
                }))
                .containsPattern("proof is wrong|closed before its hello");
    }

    @Test
    void aReflectedChallengeIsRefused() throws Exception {
        assertThat(attempt(address -> {
                    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                        socket.setSoTimeout(15_000);
                        socket.getOutputStream().write(socket.getInputStream().readNBytes(48));
                        assertThat(socket.getInputStream().readAllBytes()).isEmpty();
                    }
                }))
                .contains("sends this side's own challenge back");
    }

    @Test
    void theProofOfTheOtherRoleIsWrong() throws Exception {
        assertThat(attempt(address -> {
                    try (Raw raw = new Raw(address, 66)) {
                        raw.send(proof("verbena tcp accepts", 66, SERVER_NIC, raw.nonce, raw.peerNonce));
                        assertThat(raw.rest()).isZero();
                    }
                }))
                .contains("proof is wrong");
    }

    @Test
    void aProofForAnotherKindOfLinkIsWrong() throws Exception {
        assertThat(attempt(address -> {
                    try (Raw raw = new Raw(address, 66)) {
                        raw.send(proof("verbena uds connects", 66, SERVER_NIC, raw.nonce, raw.peerNonce));
                        assertThat(raw.rest()).isZero();
                    }
                }))
                .contains("proof is wrong");
    }

    @Test
    void aProofForAnotherNicIsWrong() throws Exception {
        assertThat(attempt(address -> {
                    try (Raw raw = new Raw(address, 66)) {
                        raw.send(proof("verbena tcp connects", 66, SERVER_NIC + 1, raw.nonce, raw.peerNonce));
                        assertThat(raw.rest()).isZero();
                    }
                }))
                .contains("proof is wrong");
    }

    @Test
    void aHelloOfAnotherNicIsRefused() throws Exception {
        assertThat(attempt(address -> {
                    try (Raw raw = new Raw(address, 66)) {
                        raw.send(proof("verbena tcp connects", 66, SERVER_NIC, raw.nonce, raw.peerNonce));
                        raw.send(hello(67));
                        raw.rest();
                    }
                }))
                .contains("hello of another NIC than the one that proved the shared secret");
    }

    /** A server by hand that does not know the secret, and makes its proof of that of the side that connects. */
    private static void expectDisbelief(UnaryOperator<byte[]> proof) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Peer a = new Peer(1, SocketTransport.best(), knowing(SECRET))) {
            server.setSoTimeout(15_000);
            CompletableFuture<Link> link = a.fabric.connect(server.getLocalSocketAddress(), LONG);
            try (Socket socket = server.accept()) {
                socket.setSoTimeout(15_000);
                InputStream in = socket.getInputStream();
                socket.getOutputStream().write(challenge(SERVER_NIC, new byte[32]));
                assertThat(in.readNBytes(48)).hasSize(48);
                socket.getOutputStream().write(proof.apply(in.readNBytes(32)));
                socket.getOutputStream().write(hello(SERVER_NIC, HelloFlyweight.ANSWER));
                assertThatThrownBy(() -> link.get(20, TimeUnit.SECONDS))
                        .hasMessageContaining("the peer's proof is wrong");
                assertThat(rest(in)).as("what it is told").isZero();
            }
            assertThat(a.node.links).isEmpty();
        }
    }

    @Test
    void aServerThatDoesNotKnowItIsNotBelieved() throws Exception {
        expectDisbelief(proof -> new byte[32]);
    }

    @Test
    void aServerThatSendsAProofBackIsNotBelieved() throws Exception {
        expectDisbelief(proof -> proof);
    }

    // ---- files, users and addresses ---------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(SocketTransport.class)
    void aSocketIsForItsOwnerUnlessOthersAreAllowed(SocketTransport transport) throws Exception {
        try (Peer own = new Peer(1, transport, NettyFabricTest.quick());
                Peer open = new Peer(2, transport, NettyFabricTest.quick().allowedUsers(Set.of(12345)))) {
            own.fabric.listen(UnixDomainSocketAddress.of(directory.resolve("own")));
            open.fabric.listen(UnixDomainSocketAddress.of(directory.resolve("open")));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("own"))))
                    .isEqualTo("rw-------");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("open"))))
                    .isEqualTo("rw-rw-rw-");
        }
    }

    @Test
    void anAddressBeyondThisMachineNeedsAProofOrAWord() throws Exception {
        InetSocketAddress everywhere = new InetSocketAddress("0.0.0.0", 0);
        try (Peer clear = new Peer(1, SocketTransport.best(), NettyFabricTest.quick());
                Peer secret = new Peer(2, SocketTransport.best(), knowing(SECRET));
                Peer told = new Peer(
                        3, SocketTransport.best(), NettyFabricTest.quick().insecure(true))) {
            assertThatThrownBy(() -> clear.fabric.listen(everywhere))
                    .isInstanceOf(ListenException.class)
                    .hasMessageContaining("set tls or secret, or insecure(true)");
            assertThat(secret.fabric.listen(everywhere)).isNotNull();
            assertThat(told.fabric.listen(everywhere)).isNotNull();
        }
    }

    @Test
    void aSecretIsReadFromAFileOfItsOwnersAlone() throws Exception {
        Path file =
                Files.write(directory.resolve("secret"), "sixteen bytes or more\n".getBytes(StandardCharsets.US_ASCII));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SharedSecret.read(file))
                .withMessageContaining("chmod 600");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        try (Peer a = new Peer(
                        1, SocketTransport.best(), NettyFabricTest.quick().secret(SharedSecret.read(file)));
                Peer b = new Peer(2, SocketTransport.best(), knowing(SECRET))) {
            SocketAddress address = b.fabric.listen(address(false));
            assertThat(a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS))
                    .isNotNull();
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SharedSecret(new byte[15]))
                .withMessageContaining("15 bytes outside 16..4096");
        assertThat(SharedSecret.read(file).toString()).doesNotContain("sixteen");
    }
}

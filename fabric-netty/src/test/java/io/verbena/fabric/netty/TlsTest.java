package io.verbena.fabric.netty;

import static io.verbena.fabric.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.TestNode;
import io.verbena.fabric.netty.NettyFabricTest.Peer;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.fabric.security.PeerRules;
import io.verbena.fabric.security.TestAuthority;
import io.verbena.fabric.security.TlsCredentials;
import io.verbena.fabric.security.TlsOptions;
import io.verbena.fabric.security.TlsProvider;
import io.verbena.nic.port.Link;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Links over mutual TLS, on real sockets: what they carry, whom they refuse, and that nothing is in clear. */
@Timeout(60)
class TlsTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private TestAuthority authority;

    @BeforeEach
    void makeAuthority() throws Exception {
        authority = new TestAuthority(directory, "authority");
    }

    static Stream<Arguments> kinds() {
        return Stream.of(SocketTransport.values())
                .filter(SocketTransport::isAvailable)
                .flatMap(transport -> Stream.of(TlsProvider.JDK, TlsProvider.BORINGSSL)
                        .map(provider -> Arguments.of(transport, provider)));
    }

    private static NettyFabricContext with(TlsOptions tls) {
        return NettyFabricTest.quick().helloTimeout(Duration.ofSeconds(5)).tls(new TlsCredentials(tls));
    }

    private static InetSocketAddress any() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static Link connect(Peer from, InetSocketAddress address) throws Exception {
        return from.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
    }

    private static void assumePresent(TlsProvider provider) {
        assumeTrue(provider != TlsProvider.BORINGSSL || TlsProvider.hasBoringSsl(), "no BoringSSL on the class path");
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void carriesPacketsOfAllSizesBothWays(SocketTransport transport, TlsProvider provider) throws Exception {
        assumePresent(provider);
        try (Peer a = new Peer(1, transport, with(authority.member("a").provider(provider)));
                Peer b = new Peer(2, transport, with(authority.member("b").provider(provider)))) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            Link ab = connect(a, address);
            Link ba = b.node.nextLink();
            assertThat(((NettyLink) ab).peer()).isEqualTo(new PeerIdentity("b", null, PeerIdentity.Proof.CERTIFICATE));
            assertThat(((NettyLink) ba).peer()).isEqualTo(new PeerIdentity("a", null, PeerIdentity.Proof.CERTIFICATE));
            a.node.sendByReference(ab, 10_000);
            b.node.send(ba, 10_000);
            await().atMost(LONG).until(() -> {
                assertThat(a.node.failure).isNull();
                assertThat(b.node.failure).isNull();
                return a.node.received == 10_000 && b.node.received == 10_000;
            });
            await().atMost(LONG).until(() -> ab.unsent() == 0 && ba.unsent() == 0);
            await().atMost(LONG).until(() -> ahead(a, ab) == 0);
        }
    }

    private static int ahead(Peer peer, Link link) throws Exception {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        peer.node.execute(() -> answer.complete(link.ahead(1)));
        return answer.get(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aWindowBoundsWhatThePeerDoesNotRead(SocketTransport transport, TlsProvider provider) throws Exception {
        assumePresent(provider);
        int window = 128 * 1024;
        try (Peer a = new Peer(
                        1,
                        transport,
                        with(authority.member("a").provider(provider)).sendWindow(window));
                Peer b = new Peer(
                        2,
                        transport,
                        with(authority.member("b").provider(provider)).receiveLimit(64 * 1024))) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            Link ab = connect(a, address);
            b.node.nextLink();
            b.node.paused = true;
            TestNode.Sending sending = a.node.send(ab, 30_000);
            await().atMost(LONG).until(() -> {
                int unsent = ab.unsent();
                assertThat(unsent).isBetween(0, window + 1024); // packets, and marks
                return unsent > window / 2 && sending.refused > 1000;
            });
            assertThat(sending.sent).isLessThan(30_000);
            b.node.paused = false;
            await().atMost(LONG).until(() -> b.node.received == 30_000 || b.node.failure != null);
            assertThat(b.node.failure).isNull();
            await().atMost(LONG).until(() -> ab.unsent() == 0);
        }
    }

    /**
     * Everything that crosses the wire is recorded by a relay: the packets' words, and even the hellos', are nowhere in
     * it.
     */
    @ParameterizedTest
    @EnumSource(SocketTransport.class)
    void nothingIsInClear(SocketTransport transport) throws Exception {
        assumeTrue(transport.isAvailable());
        try (Peer a = new Peer(0x1122334455667788L, transport, with(authority.member("a")));
                Peer b = new Peer(0x5566778811223344L, transport, with(authority.member("b")));
                ServerSocket relay = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            Relay recorded = new Relay(relay, address);
            Link ab = connect(a, (InetSocketAddress) relay.getLocalSocketAddress());
            Link ba = b.node.nextLink();
            a.node.sendByReference(ab, 500);
            b.node.send(ba, 500);
            await().atMost(LONG).until(() -> a.node.received == 500 && b.node.received == 500);
            byte[] there = recorded.there();
            byte[] back = recorded.back();
            assertThat(there.length).isGreaterThan(100_000);
            assertThat(back.length).isGreaterThan(100_000);
            for (byte[] wire : new byte[][] {there, back}) {
                String text = new String(wire, java.nio.charset.StandardCharsets.ISO_8859_1);
                assertThat(text.indexOf("VERBENA")).as("a hello").isNegative();
                assertThat(text.indexOf(pattern())).as("a packet").isNegative();
                assertThat(text.indexOf("authority")).as("a certificate").isNegative();
            }
        }
    }

    /** Bytes of a packet as {@link TestNode} fills it: eight that follow each other by one. */
    private static String pattern() {
        StringBuilder bytes = new StringBuilder();
        for (int i = 0; i < 12; i++) {
            bytes.append((char) (64 + i));
        }
        return bytes.toString();
    }

    @Test
    void theRelayWouldSeePacketsInClear() throws Exception {
        try (Peer a = new Peer(1, SocketTransport.best(), NettyFabricTest.quick());
                Peer b = new Peer(2, SocketTransport.best(), NettyFabricTest.quick());
                ServerSocket relay = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Relay recorded = new Relay(relay, (InetSocketAddress) b.fabric.listen(any()));
            Link ab = connect(a, (InetSocketAddress) relay.getLocalSocketAddress());
            a.node.sendByReference(ab, 500);
            await().atMost(LONG).until(() -> b.node.received == 500);
            String text = new String(recorded.there(), java.nio.charset.StandardCharsets.ISO_8859_1);
            assertThat(text).contains("VERBENA").contains(pattern());
        }
    }

    /** Passes on one connection's bytes, and keeps them. */
    private static final class Relay {
        private final ByteArrayOutputStream there = new ByteArrayOutputStream();
        private final ByteArrayOutputStream back = new ByteArrayOutputStream();

        Relay(ServerSocket from, InetSocketAddress to) {
            Thread acceptor = new Thread(() -> {
                try {
                    Socket near = from.accept();
                    Socket far = new Socket(to.getAddress(), to.getPort());
                    pump(near, far, there);
                    pump(far, near, back);
                } catch (java.io.IOException e) {
                    // The test is over.
                }
            });
            acceptor.setDaemon(true);
            acceptor.start();
        }

        private static void pump(Socket from, Socket to, ByteArrayOutputStream copy) {
            Thread thread = new Thread(() -> {
                byte[] buffer = new byte[65536];
                try (from;
                        to) {
                    InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream();
                    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                        synchronized (copy) {
                            copy.write(buffer, 0, n);
                        }
                        out.write(buffer, 0, n);
                    }
                } catch (java.io.IOException e) {
                    // The connection has ended.
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        byte[] there() {
            synchronized (there) {
                return there.toByteArray();
            }
        }

        byte[] back() {
            synchronized (back) {
                return back.toByteArray();
            }
        }
    }

    // ---- refused ----------------------------------------------------------------------------------------------------

    private void refused(NettyFabricContext client, NettyFabricContext server, String atServer, String atClient)
            throws Exception {
        try (Peer a = new Peer(1, SocketTransport.best(), client);
                Peer b = new Peer(2, SocketTransport.best(), server)) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            assertThatThrownBy(() -> connect(a, address))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageFindingMatch(atClient);
            assertThat(b.node.nextRejection()).contains("/127.0.0.1:").contains(atServer);
            assertThat(b.node.links).isEmpty();
            assertThat(a.node.links).isEmpty();
            await().atMost(LONG).until(() -> b.fabric.counters().rejected() == 1);
        }
    }

    @ParameterizedTest
    @EnumSource(TlsProvider.class)
    void aCertificateOfAnotherAuthorityIsRefused(TlsProvider provider) throws Exception {
        assumePresent(provider);
        TlsOptions stranger = new TestAuthority(directory, "another").member("stranger");
        TlsOptions half = new TlsOptions(
                directory.resolve("stranger.crt.pem"), directory.resolve("stranger.key.pem"), authority.trust());
        assertThat(stranger).isNotNull();
        refused(with(half.provider(provider)), with(authority.member("b").provider(provider)), "TLS: ", "TLS: ");
    }

    @Test
    void aServerOfAnotherAuthorityIsRefused() throws Exception {
        new TestAuthority(directory, "another").member("stranger");
        TlsOptions server = new TlsOptions(
                directory.resolve("stranger.crt.pem"), directory.resolve("stranger.key.pem"), authority.trust());
        refused(with(authority.member("a")), with(server), "TLS: ", "unable to find valid certification path");
    }

    @Test
    void anExpiredCertificateIsRefused() throws Exception {
        TlsOptions expired = authority.member(
                "old",
                builder -> builder.notBefore(Instant.now().minus(3, ChronoUnit.DAYS))
                        .notAfter(Instant.now().minus(1, ChronoUnit.DAYS)));
        refused(with(expired), with(authority.member("b")), "NotAfter", "TLS: ");
    }

    @Test
    void aNameThatNoRuleAcceptsIsRefused() throws Exception {
        TlsOptions server = authority.member("b").rules(PeerRules.none().accept("friend", "orders"));
        refused(
                with(authority.member("foe")),
                with(server),
                "no rule accepts one of the names [foe, localhost, 127.0.0.1]",
                "closed before its hello");
    }

    @Test
    void aNameGivesPeerAndTenant() throws Exception {
        TlsOptions server = authority.member("b").rules(PeerRules.none().accept("friend", "the-friend", "orders"));
        try (Peer a = new Peer(1, SocketTransport.best(), with(authority.member("friend")));
                Peer b = new Peer(2, SocketTransport.best(), with(server))) {
            connect(a, (InetSocketAddress) b.fabric.listen(any()));
            assertThat(((NettyLink) b.node.nextLink()).peer())
                    .isEqualTo(new PeerIdentity("the-friend", "orders", PeerIdentity.Proof.CERTIFICATE));
        }
    }

    @Test
    void aServerForAnotherHostIsRefusedUnlessRulesAloneDecide() throws Exception {
        TestAuthority other = authority;
        NettyFabricContext server = with(elsewhere(other));
        refused(with(authority.member("a")), server, "TLS: ", "127.0.0.1");
        try (Peer a = new Peer(
                        1, SocketTransport.best(), with(authority.member("a").verifyHost(false)));
                Peer b = new Peer(2, SocketTransport.best(), with(elsewhere(other)))) {
            Link ab = connect(a, (InetSocketAddress) b.fabric.listen(any()));
            assertThat(((NettyLink) ab).peer().name()).isEqualTo("elsewhere.example");
        }
    }

    private static TlsOptions elsewhere(TestAuthority authority) throws Exception {
        io.netty.pkitesting.CertificateBuilder builder = new io.netty.pkitesting.CertificateBuilder()
                .subject("CN=elsewhere.example")
                .addSanDnsName("elsewhere.example");
        return authority.member("elsewhere.example", ignored -> builder);
    }

    @Test
    void aPeerInClearIsRefusedWithItsAddress() throws Exception {
        refused(
                NettyFabricTest.quick(),
                with(authority.member("b")),
                "TLS: the peer does not speak it",
                "closed before its hello|set tls on both sides"); // an alert may come first
    }

    @Test
    void aServerInClearIsRefused() throws Exception {
        refused(
                with(authority.member("a")),
                NettyFabricTest.quick(),
                "if that is TLS, set tls on both sides",
                "TLS: the peer does not speak it");
    }

    @Test
    void aPeerWithoutCertificateGetsNothing() throws Exception {
        try (Peer b = new Peer(2, SocketTransport.best(), with(authority.member("b")))) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            byte[] hello = new byte[HelloFlyweight.HEADER_LENGTH];
            HelloFlyweight.encode(new UnsafeBuffer(hello), HelloFlyweight.CALL, 66, 0, 0, 16 * 1024, 0, "");
            try (SSLSocket socket = trusting(address)) {
                socket.startHandshake(); // of its side it is done before the server has looked for a certificate
                assertThatThrownBy(() -> {
                            socket.getOutputStream().write(hello); // unless it has looked by now
                            socket.getInputStream().readNBytes(1);
                        })
                        .isInstanceOf(java.io.IOException.class);
            }
            assertThat(b.node.nextRejection()).contains("TLS: ").contains("/127.0.0.1:");
            assertThat(b.node.links).isEmpty();
        }
    }

    @Test
    void anOlderTlsIsRefused() throws Exception {
        try (Peer b = new Peer(2, SocketTransport.best(), with(authority.member("b")))) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            try (SSLSocket socket = trusting(address)) {
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                assertThatThrownBy(socket::startHandshake).isInstanceOf(java.io.IOException.class);
            }
            assertThat(b.node.nextRejection()).contains("TLS: ");
            assertThat(b.node.links).isEmpty();
        }
    }

    /** A client without a certificate that trusts anybody. */
    private static SSLSocket trusting(InetSocketAddress address) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustEverybody()}, null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
        socket.setSoTimeout(15_000);
        return socket;
    }

    private static final class TrustEverybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public java.security.cert.X509Certificate[] getAcceptedIssuers() {
            return new java.security.cert.X509Certificate[0];
        }
    }

    @Test
    void aHandshakeThatStopsIsEndedInTime() throws Exception {
        NettyFabricContext context = with(authority.member("b")).helloTimeout(Duration.ofMillis(500));
        try (Peer b = new Peer(2, SocketTransport.best(), context)) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                socket.getOutputStream().write(new byte[] {0x16, 0x03, 0x01, 0x02, 0x00, 0x01}); // of a ClientHello
                socket.setSoTimeout(15_000);
                try {
                    assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(64);
                } catch (SocketException reset) {
                    assertThat(reset).hasMessageContaining("reset");
                }
            }
            assertThat(b.node.nextRejection()).contains("hello unfinished after 500 ms");
        }
    }

    // ---- files ------------------------------------------------------------------------------------------------------

    @Test
    void filesThatChangeAreReadAgain() throws Exception {
        TlsOptions server = authority.member("b").reload(Duration.ZERO);
        try (Peer a = new Peer(
                        1, SocketTransport.best(), with(authority.member("a").verifyHost(false)));
                Peer b = new Peer(2, SocketTransport.best(), with(server))) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            NettyLink before = (NettyLink) connect(a, address);
            assertThat(before.peer().name()).isEqualTo("b");
            authority.issue(
                    "b",
                    builder -> new io.netty.pkitesting.CertificateBuilder()
                            .subject("CN=b2")
                            .addSanDnsName("b2"));
            a.fabric.giveUp(before);
            NettyLink after = (NettyLink) connect(a, address);
            assertThat(after.peer().name()).isEqualTo("b2");
            assertThat(before.state()).isEqualTo(Link.State.CLOSED);
        }
    }

    @Test
    void filesThatMakeNoPairLeaveWhatThereWas() throws Exception {
        TlsOptions server = authority.member("b").reload(Duration.ZERO);
        authority.issue("c", builder -> builder);
        try (Peer a = new Peer(1, SocketTransport.best(), with(authority.member("a")));
                Peer b = new Peer(2, SocketTransport.best(), with(server))) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            Files.copy(
                    authority.certificate("c"),
                    authority.certificate("b"),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            assertThat(((NettyLink) connect(a, address)).peer().name())
                    .as("half replaced")
                    .isEqualTo("b");
            Files.copy(authority.key("c"), authority.key("b"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            try (Peer other = new Peer(3, SocketTransport.best(), with(authority.member("d")))) {
                assertThat(((NettyLink) connect(other, address)).peer().name())
                        .as("replaced")
                        .isEqualTo("c");
            }
        }
    }

    @Test
    void filesThatCannotBeUsedAreNamed() throws Exception {
        TlsOptions good = authority.member("b");
        assertThat(good).isNotNull();
        authority.issue("c", builder -> builder);
        assertThatThrownBy(() -> new Peer(
                        1,
                        SocketTransport.best(),
                        with(new TlsOptions(authority.certificate("b"), authority.key("c"), authority.trust()))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("c.key.pem is not the key of the certificate in ");
        assertThatThrownBy(() -> new Peer(
                        1,
                        SocketTransport.best(),
                        with(new TlsOptions(directory.resolve("none.pem"), authority.key("b"), authority.trust()))))
                .hasMessageContaining("there is no file")
                .hasMessageContaining("none.pem");
        Path empty = Files.writeString(directory.resolve("empty.pem"), "");
        assertThatThrownBy(() -> new Peer(
                        1,
                        SocketTransport.best(),
                        with(new TlsOptions(authority.certificate("b"), authority.key("b"), empty))))
                .hasMessageContaining("empty.pem holds no PEM certificate");
        assertThatThrownBy(() -> new Peer(
                        1,
                        SocketTransport.best(),
                        with(new TlsOptions(authority.certificate("b"), authority.trust(), authority.trust()))))
                .hasMessageContaining("holds no private key as PKCS #8");
    }
}

package io.verbena.fabric.netty;

import static io.verbena.fabric.Eventually.await;
import static io.verbena.fabric.netty.TlsPeers.LONG;
import static io.verbena.fabric.netty.TlsPeers.any;
import static io.verbena.fabric.netty.TlsPeers.assumePresent;
import static io.verbena.fabric.netty.TlsPeers.connect;
import static io.verbena.fabric.netty.TlsPeers.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.netty.NettyFabricTest.Peer;
import io.verbena.fabric.security.PeerRules;
import io.verbena.fabric.security.TestAuthority;
import io.verbena.fabric.security.TlsOptions;
import io.verbena.fabric.security.TlsProvider;
import io.verbena.nic.port.Link;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whom a side that speaks mutual TLS refuses, and what they get to know. */
@Timeout(180)
class TlsRefusalTest {
    @TempDir
    Path directory;

    private TestAuthority authority;

    @BeforeEach
    void makeAuthority() throws Exception {
        authority = new TestAuthority(directory, "authority");
    }

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
            byte[] hello = hello();
            try (SSLSocket socket = trusting(address, null)) {
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

    private static byte[] hello() {
        byte[] hello = new byte[HelloFlyweight.HEADER_LENGTH];
        HelloFlyweight.encode(new UnsafeBuffer(hello), HelloFlyweight.CALL, 66, 0, 0, 16 * 1024, 0, "");
        return hello;
    }

    /** Though its certificate is good. */
    @Test
    void anOlderTlsIsRefused() throws Exception {
        KeyManager[] keys =
                authority.issue("a", builder -> builder).toKeyManagerFactory().getKeyManagers();
        try (Peer b = new Peer(2, SocketTransport.best(), with(authority.member("b")))) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            try (SSLSocket socket = trusting(address, keys)) {
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                assertThatThrownBy(socket::startHandshake).isInstanceOf(java.io.IOException.class);
            }
            assertThat(b.node.nextRejection()).contains("TLS: ");
            try (SSLSocket socket = trusting(address, keys)) {
                socket.setEnabledProtocols(new String[] {"TLSv1.3"});
                socket.getOutputStream().write(hello());
                assertThat(socket.getInputStream().readNBytes(HelloFlyweight.HEADER_LENGTH))
                        .as("the answer to one that is no older")
                        .hasSize(HelloFlyweight.HEADER_LENGTH);
            }
            assertThat(b.node.links).isEmpty();
        }
    }

    /** A client that trusts anybody; without a certificate, or with its own. */
    private static SSLSocket trusting(InetSocketAddress address, KeyManager @Nullable [] own) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own, new TrustManager[] {new TrustEverybody()}, null);
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
}

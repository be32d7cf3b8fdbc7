package io.verbena.fabric.netty;

import static io.verbena.fabric.Eventually.await;
import static io.verbena.fabric.netty.TlsPeers.LONG;
import static io.verbena.fabric.netty.TlsPeers.any;
import static io.verbena.fabric.netty.TlsPeers.assumePresent;
import static io.verbena.fabric.netty.TlsPeers.connect;
import static io.verbena.fabric.netty.TlsPeers.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fabric.TestNode;
import io.verbena.fabric.netty.NettyFabricTest.Peer;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.fabric.security.PeerRules;
import io.verbena.fabric.security.TestAuthority;
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
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Links over mutual TLS, on real sockets: what they carry, and that nothing of it is in clear. */
@Timeout(180)
class TlsTest {
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

    private static int unsent(Peer peer, Link link) throws Exception {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        peer.node.execute(() -> answer.complete(link.unsent()));
        return answer.get(20, TimeUnit.SECONDS);
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
                int unsent = unsent(a, ab);
                assertThat(unsent).isBetween(0, window + 1024); // packets, and marks
                return unsent > window / 2 && sending.refused > 100;
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
}

package io.verbena.fabric.netty;

import static io.verbena.fabric.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.netty.NettyFabricTest.Peer;
import io.verbena.nic.port.Link;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two fabrics have one link, whoever called whom and how often; and another gets it only by a proof. */
@Timeout(180)
class OneLinkTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private static Peer peer(long nicId) {
        return new Peer(nicId, SocketTransport.best(), NettyFabricTest.quick().helloTimeout(LONG));
    }

    private static SocketAddress listen(Peer peer) {
        return peer.fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static List<Link> up(Peer peer) {
        return peer.node.links.stream()
                .filter(link -> link.state() == Link.State.UP)
                .toList();
    }

    private static void exchange(Peer a, Link ab, Peer b, Link ba) {
        a.node.send(ab, 100);
        b.node.send(ba, 100);
        await().atMost(LONG).until(() -> a.node.received == 100 && b.node.received == 100);
    }

    @Test
    void twoThatCallEachOtherAtOnceHaveOneLink() throws Exception {
        for (int round = 0; round < 40; round++) {
            try (Peer a = peer(1);
                    Peer b = peer(2)) {
                SocketAddress toA = listen(a);
                SocketAddress toB = listen(b);
                CompletableFuture<Link> called = CompletableFuture.supplyAsync(() -> a.fabric.connect(toB, LONG))
                        .thenCompose(link -> link);
                CompletableFuture<Link> callsToo = CompletableFuture.supplyAsync(() -> b.fabric.connect(toA, LONG))
                        .thenCompose(link -> link);
                Link ab = called.get(20, TimeUnit.SECONDS);
                Link ba = callsToo.get(20, TimeUnit.SECONDS);
                exchange(a, ab, b, ba);
                assertThat(a.node.links)
                        .as("links that came up in round %d", round)
                        .containsExactly(ab);
                assertThat(b.node.links).containsExactly(ba);
                assertThat(ab.state()).isEqualTo(Link.State.UP);
                assertThat(ba.state()).isEqualTo(Link.State.UP);
                assertThat(a.fabric.counters().rejected()).isZero();
                assertThat(b.fabric.counters().rejected()).isZero();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3}) // one of each other's lower and higher ids
    void whoCallsBackGetsTheLinkThatThereIs(long caller) throws Exception {
        try (Peer a = peer(caller);
                Peer b = peer(2)) {
            SocketAddress toA = listen(a);
            Link ab = a.fabric.connect(listen(b), LONG).get(20, TimeUnit.SECONDS);
            Link ba = b.node.nextLink();
            for (int i = 0; i < 10; i++) {
                assertThat(b.fabric.connect(toA, LONG).get(20, TimeUnit.SECONDS))
                        .isSameAs(ba);
            }
            exchange(a, ab, b, ba);
            assertThat(a.node.links).containsExactly(ab);
            assertThat(b.node.links).isEmpty();
            assertThat(b.fabric.connectors()).isZero();
        }
    }

    @Test
    void whoComesAndGoesIsForgotten() throws Exception {
        int nonces = OwnNonces.size();
        try (Peer a = peer(1)) {
            SocketAddress toA = listen(a);
            for (int nicId = 2; nicId < 12; nicId++) {
                try (Peer b = peer(nicId)) {
                    b.fabric.connect(toA, LONG).get(20, TimeUnit.SECONDS);
                    assertThat(a.node.nextLink().peerNic()).isEqualTo(nicId);
                    assertThat(OwnNonces.size()).isLessThanOrEqualTo(nonces);
                }
            }
            await().atMost(LONG).until(() -> a.fabric.counters().linksDown() == 10);
            assertThat(a.fabric.peers().size()).isZero();
        }
    }

    @Test
    void aNicHasALinkToItself() throws Exception {
        try (Peer a = peer(1)) {
            Link there = a.fabric.connect(listen(a), LONG).get(20, TimeUnit.SECONDS);
            assertThat(there.peerNic()).isEqualTo(1);
            await().atMost(LONG).until(() -> up(a).size() == 2);
            a.node.send(there, 100);
            await().atMost(LONG).until(() -> a.node.received == 100);
        }
    }

    @Test
    void whoSaysThatItIsAConnectedPeerIsRefused() throws Exception {
        try (Peer a = peer(1);
                Peer b = peer(2)) {
            InetSocketAddress toB = (InetSocketAddress) listen(b);
            Link ab = a.fabric.connect(toB, LONG).get(20, TimeUnit.SECONDS);
            Link ba = b.node.nextLink();
            assertThat(claim(toB, 1)).isTrue();
            assertThat(b.node.nextRejection()).contains("says that it is NIC 0000000000000001", "does not prove it");
            assertThat(claim(toB, 2)).isTrue();
            assertThat(b.node.nextRejection()).contains("says that it is NIC 0000000000000002, which is this one");
            exchange(a, ab, b, ba);
            assertThat(b.node.links).isEmpty();
        }
    }

    /** Says the hellos of a NIC; @return whether the connection is closed then. */
    private static boolean claim(InetSocketAddress address, long nicId) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            UnsafeBuffer hello = new UnsafeBuffer(new byte[HelloFlyweight.HEADER_LENGTH]);
            for (int step : new int[] {HelloFlyweight.CALL, HelloFlyweight.CONFIRMATION}) {
                HelloFlyweight.encode(hello, step, nicId, 0, 0, 16 * 1024, 0, "");
                socket.getOutputStream().write(hello.byteArray());
            }
            socket.setSoTimeout(20_000);
            return endsAfterItsHello(socket.getInputStream());
        }
    }

    private static boolean endsAfterItsHello(InputStream in) throws IOException {
        try {
            return in.readAllBytes().length <= HelloFlyweight.HEADER_LENGTH;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    @Test
    void whoseOldEndIsGoneProvesThatItIsTheSame() throws Exception {
        try (Peer a = peer(1);
                Peer b = peer(2);
                Relay relay = new Relay((InetSocketAddress) listen(b))) {
            a.fabric.connect(relay.address(), LONG).get(20, TimeUnit.SECONDS);
            Link before = a.node.nextLink();
            Link old = b.node.nextLink();
            for (int i = 0; i < 3; i++) {
                relay.breakCallers(); // and the one that was called does not see it
                Link next = a.node.nextLink();
                Link back = b.node.nextLink();
                assertThat(next).isNotSameAs(before);
                assertThat(old.state()).isEqualTo(Link.State.DOWN);
                assertThat(back.state()).isEqualTo(Link.State.UP);
                before = next;
                old = back;
            }
            exchange(a, before, b, old);
            assertThat(b.fabric.counters().rejected()).isZero();
        }
    }

    @Test
    void thePeersOldEndIsGoneAndItIsCalled() throws Exception {
        try (Peer a = peer(1);
                Peer b = peer(2);
                Relay relay = new Relay((InetSocketAddress) listen(b))) {
            SocketAddress toA = listen(a);
            Link ab = a.fabric.connect(relay.address(), LONG).get(20, TimeUnit.SECONDS);
            Link old = b.node.nextLink();
            relay.close(); // a cannot come back by itself
            await().atMost(LONG).until(() -> ab.state() == Link.State.DOWN);
            assertThat(old.state()).as("not known here").isEqualTo(Link.State.UP);
            a.node.links.clear();
            Link next = b.fabric.connect(toA, LONG).get(20, TimeUnit.SECONDS);
            assertThat(next).isNotSameAs(old);
            exchange(b, next, a, a.node.nextLink());
        }
    }

    /** Stands between two ends, and can break the one without the other's knowing. */
    private static final class Relay implements AutoCloseable {
        private final InetSocketAddress target;
        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final List<Socket> callers = new CopyOnWriteArrayList<>();
        private final List<Socket> called = new CopyOnWriteArrayList<>(); // closed by nobody but the peer

        Relay(InetSocketAddress target) throws IOException {
            this.target = target;
            run(this::accept);
        }

        SocketAddress address() {
            return server.getLocalSocketAddress();
        }

        void breakCallers() throws IOException {
            for (Socket each : callers) {
                each.close(); // again, if it was before
            }
        }

        private void accept() throws IOException {
            while (true) {
                Socket caller = server.accept();
                Socket on = new Socket(target.getAddress(), target.getPort());
                callers.add(caller);
                called.add(on);
                run(() -> copy(caller, on));
                run(() -> copy(on, caller));
            }
        }

        private static void copy(Socket from, Socket to) throws IOException {
            byte[] bytes = new byte[64 * 1024];
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                out.write(bytes, 0, length);
            }
        }

        private interface Work {
            void run() throws IOException;
        }

        private static void run(Work work) {
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                } catch (IOException e) {
                    Thread.currentThread().interrupt(); // it ends, as it is to
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void close() throws IOException {
            server.close();
            breakCallers();
        }
    }
}

package io.verbena.fabric.netty;

import static io.verbena.fabric.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fabric.ListenException;
import io.verbena.fabric.TestNode;
import io.verbena.nic.port.Link;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(180)
class NettyFabricTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    static Stream<Arguments> kinds() {
        return Stream.of(SocketTransport.values())
                .filter(SocketTransport::isAvailable)
                .flatMap(transport -> Stream.of(
                        Arguments.of(transport, "tcp"),
                        Arguments.of(transport, "tcp6"),
                        Arguments.of(transport, "uds")));
    }

    private SocketAddress address(String kind) throws Exception {
        return switch (kind) {
            case "tcp" -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            case "tcp6" -> {
                assumeTrue(hasIpv6(), "no IPv6 loopback here");
                yield new InetSocketAddress(ipv6Loopback(), 0);
            }
            default -> UnixDomainSocketAddress.of(directory.resolve("s"));
        };
    }

    private static InetAddress ipv6Loopback() throws java.net.UnknownHostException {
        return InetAddress.getByAddress(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    }

    private static boolean hasIpv6() {
        try (java.net.ServerSocket probe = new java.net.ServerSocket(0, 1, ipv6Loopback())) {
            return probe.isBound();
        } catch (java.io.IOException e) {
            return false;
        }
    }

    static NettyFabricContext quick() {
        return new NettyFabricContext()
                .maxPacket(16 * 1024 + 128)
                .reconnectDelay(Duration.ofMillis(5), Duration.ofMillis(50));
    }

    /** A node with a fabric. */
    static final class Peer implements AutoCloseable {
        final EventLoopWaiter waiter;
        final TestNode node;
        final NettyFabric fabric;

        Peer(long nicId, SocketTransport transport, NettyFabricContext context) {
            waiter = new EventLoopWaiter(transport);
            node = new TestNode(nicId, waiter);
            fabric = new NettyFabric(node.endpoint, context, waiter);
            node.start();
        }

        @Override
        public void close() {
            fabric.close();
            node.close();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void carriesPacketsOfAllSizesBothWays(SocketTransport transport, String kind) throws Exception {
        try (Peer a = new Peer(1, transport, quick());
                Peer b = new Peer(2, transport, quick())) {
            SocketAddress address = b.fabric.listen(address(kind));
            Link ab = a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
            assertThat(a.node.nextLink()).isSameAs(ab);
            Link ba = b.node.nextLink();
            assertThat(ab.peerNic()).isEqualTo(2);
            assertThat(ba.peerNic()).isEqualTo(1);
            assertThat(ab.maxPacket()).isEqualTo(ba.maxPacket());
            assertThat(ab.peerMemory()).isNull();
            TestNode.Sending there = a.node.send(ab, 30_000);
            TestNode.Sending back = b.node.send(ba, 30_000);
            await().atMost(LONG).until(() -> {
                assertThat(a.node.failure).isNull();
                assertThat(b.node.failure).isNull();
                return a.node.received == 30_000 && b.node.received == 30_000;
            });
            assertThat(there.sent).isEqualTo(30_000);
            assertThat(back.sent).isEqualTo(30_000);
            await().atMost(LONG).until(() -> ab.unsent() == 0 && ba.unsent() == 0);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aPeerThatIsThereBeforeTheFirstTurnIsAccepted(SocketTransport transport, String kind) throws Exception {
        EventLoopWaiter waiter = new EventLoopWaiter(transport);
        try (TestNode node = new TestNode(1, waiter); // without its thread: this one drives the loop
                NettyFabric fabric = new NettyFabric(node.endpoint, quick(), waiter)) {
            waiter.own();
            SocketAddress address = fabric.listen(address(kind));
            try (SocketChannel early = SocketChannel.open(address)) {
                long begin = System.nanoTime();
                while (fabric.counters().accepted() == 0 && System.nanoTime() - begin < LONG.toNanos()) {
                    waiter.poll();
                }
                assertThat(early.isConnected()).isTrue();
                assertThat(fabric.counters().accepted()).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void payloadsMayStayWhereTheyLieUntilTheFlush(SocketTransport transport, String kind) throws Exception {
        NettyFabricContext context = new NettyFabricContext().receiveLimit(128 * 1024);
        try (Peer a = new Peer(1, transport, context);
                Peer b = new Peer(2, transport, context)) {
            SocketAddress address = b.fabric.listen(address(kind));
            Link ab = a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
            b.node.nextLink();
            b.node.paused = true;
            TestNode.Sending sending = a.node.sendByReference(ab, 5_000);
            // The socket takes a part of what was given to it, once at least.
            await().atMost(LONG).until(() -> ab.unsent() > 0 && sending.refused > 100);
            assertThat(sending.sent).isLessThan(5_000);
            b.node.paused = false;
            await().atMost(LONG).until(() -> b.node.received == 5_000 || b.node.failure != null);
            assertThat(b.node.failure).isNull();
            await().atMost(LONG).until(() -> ab.unsent() == 0);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aFullWindowDrainsWhenThePeerReadsAgain(SocketTransport transport, String kind) throws Exception {
        NettyFabricContext context = quick().receiveLimit(64 * 1024).sendWindow(128 * 1024);
        try (Peer a = new Peer(1, transport, context);
                Peer b = new Peer(2, transport, context)) {
            SocketAddress address = b.fabric.listen(address(kind));
            Link ab = a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
            b.node.nextLink();
            b.node.paused = true;
            TestNode.Sending sending = a.node.send(ab, 30_000);
            await().atMost(LONG).until(() -> {
                int unsent = unsent(a, ab);
                assertThat(unsent).isBetween(0, 128 * 1024 + 1024); // packets, and marks
                return unsent > 0 && sending.refused > 100; // the first refusals come while the kernel still takes some
            });
            assertThat(sending.sent).isLessThan(30_000);
            b.node.paused = false;
            await().atMost(LONG).until(() -> b.node.received == 30_000 || b.node.failure != null);
            assertThat(b.node.failure).isNull();
            await().atMost(LONG).until(() -> ab.unsent() == 0);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aLinkKnowsWhatThePeerHasNotReceived(SocketTransport transport, String kind) throws Exception {
        try (Peer a = new Peer(1, transport, quick());
                Peer b = new Peer(2, transport, quick())) {
            SocketAddress address = b.fabric.listen(address(kind));
            Link ab = a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
            b.node.nextLink();
            for (int round = 1; round <= 10; round++) {
                b.node.paused = true;
                b.node.expectFrom(0);
                TestNode.Sending sending = a.node.send(ab, 20);
                await().atMost(LONG).until(() -> sending.isDone() && ab.unsent() == 0);
                assertThat(ahead(a, ab)).as("in the kernels, and beyond").isGreaterThan(1000);
                b.node.paused = false;
                await().atMost(LONG).until(() -> ahead(a, ab) == 0);
                assertThat(b.node.received).isEqualTo(20L * round);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anAnswerWaitsForRoomWhereALinkIsFull(SocketTransport transport, String kind) throws Exception {
        NettyFabricContext context = quick().receiveLimit(64 * 1024).sendWindow(128 * 1024);
        try (Peer a = new Peer(1, transport, context);
                Peer b = new Peer(2, transport, context)) {
            SocketAddress address = b.fabric.listen(address(kind));
            Link ab = a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
            Link ba = b.node.nextLink();
            a.node.paused = true;
            TestNode.Sending back = b.node.send(ba, 5_000);
            await().atMost(LONG).until(() -> ba.unsent() > 0 && back.refused > 100);
            for (int round = 1; round <= 20; round++) { // each takes b an answer, and seals it
                b.node.expectFrom(0);
                a.node.send(ab, 10);
                long all = 10L * round;
                await().atMost(LONG).until(() -> b.node.received == all && ahead(a, ab) > 0);
            }
            a.node.paused = false;
            await().atMost(LONG).until(() -> a.node.received == 5_000 || a.node.failure != null);
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
    void takesFlushesOfAThreadThatIsNotTheOwner(SocketTransport transport, String kind) throws Exception {
        try (Peer a = new Peer(1, transport, quick());
                Peer b = new Peer(2, transport, quick())) {
            SocketAddress address = b.fabric.listen(address(kind));
            Link ab = a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
            for (long sequence = 0; sequence < 20_000; ) {
                if (TestNode.offer(ab, sequence)) {
                    sequence++;
                } else {
                    Thread.yield();
                }
                if ((sequence & 7) == 0) {
                    ab.flush();
                }
            }
            ab.flush();
            await().atMost(LONG).until(() -> b.node.received == 20_000 || b.node.failure != null);
            assertThat(b.node.failure).isNull();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aCloseOnOneSideIsABreakToTheOther(SocketTransport transport, String kind) throws Exception {
        for (boolean byConnector : new boolean[] {true, false}) {
            Files.deleteIfExists(directory.resolve("s"));
            try (Peer a = new Peer(1, transport, quick());
                    Peer b = new Peer(2, transport, quick())) {
                SocketAddress address = b.fabric.listen(address(kind));
                Link ab = a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
                Link ba = b.node.nextLink();
                Link closing = byConnector ? ab : ba;
                Link other = byConnector ? ba : ab;
                closing.close();
                closing.close();
                assertThat(closing.state()).isEqualTo(Link.State.CLOSED);
                assertThat(closing.claim(100)).isEqualTo(Link.NO_ROOM);
                await().atMost(LONG).until(() -> other.state() == Link.State.DOWN);
                assertThat(other.claim(100)).isEqualTo(Link.NO_ROOM);
                other.close();
                assertThat(other.state()).isEqualTo(Link.State.CLOSED);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theConnectingSideBringsABrokenLinkBack(SocketTransport transport, String kind) throws Exception {
        try (Peer a = new Peer(1, transport, quick());
                Peer b = new Peer(2, transport, quick())) {
            SocketAddress address = b.fabric.listen(address(kind));
            a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
            Link first = a.node.nextLink();
            for (int i = 1; i <= 5; i++) {
                b.node.nextLink().close();
                Link next = a.node.nextLink();
                assertThat(next).isNotSameAs(first);
                assertThat(next.peerNic()).isEqualTo(2);
                Link broken = first;
                await().atMost(LONG).until(() -> broken.state() == Link.State.DOWN);
                assertThat(next.state()).isEqualTo(Link.State.UP);
                assertThat(a.fabric.counters().reconnects()).isEqualTo(i);
                first = next;
            }
            Link ba = b.node.nextLink();
            a.node.send(first, 1000);
            await().atMost(LONG).until(() -> b.node.received == 1000);
            first.close();
            await().atMost(LONG).until(() -> ba.state() == Link.State.DOWN);
            assertThat(a.node.links.poll(300, TimeUnit.MILLISECONDS))
                    .as("a link that was closed on purpose stays closed")
                    .isNull();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theLinkComesBackWhenThePeerIsRestarted(SocketTransport transport, String kind) throws Exception {
        try (Peer a = new Peer(1, transport, quick())) {
            SocketAddress address;
            try (Peer b = new Peer(2, transport, quick())) {
                address = b.fabric.listen(address(kind));
                a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
                a.node.nextLink();
            }
            await().atMost(LONG).until(() -> a.fabric.counters().failedConnects() > 2);
            try (Peer c = new Peer(3, transport, quick())) {
                c.fabric.listen(address);
                assertThat(a.node.nextLink().peerNic()).isEqualTo(3);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aPeerThatIsGoneForLongIsGivenUp(SocketTransport transport, String kind) throws Exception {
        try (Peer a = new Peer(1, transport, quick().reconnectFor(Duration.ofMillis(100)))) {
            SocketAddress address;
            try (Peer b = new Peer(2, transport, quick())) {
                address = b.fabric.listen(address(kind));
                a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
                a.node.nextLink();
                assertThat(a.fabric.connectors()).isOne();
            }
            await().atMost(LONG).until(() -> a.fabric.connectors() == 0);
            assertThat(a.fabric.counters().failedConnects()).isPositive();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aBrokenLinkThatIsGivenUpStaysAway(SocketTransport transport, String kind) throws Exception {
        try (Peer a = new Peer(1, transport, quick())) {
            SocketAddress address;
            Link link;
            try (Peer b = new Peer(2, transport, quick())) {
                address = b.fabric.listen(address(kind));
                a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
                link = a.node.nextLink();
            }
            await().atMost(LONG).until(() -> link.state() == Link.State.DOWN);
            a.fabric.giveUp(link);
            assertThat(a.fabric.connectors()).isZero();
            try (Peer c = new Peer(3, transport, quick())) {
                c.fabric.listen(address);
                assertThat(a.node.links.poll(300, TimeUnit.MILLISECONDS)).isNull();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRefusedConnectionFailsAtOnceAndSaysWhere(SocketTransport transport, String kind) throws Exception {
        try (Peer a = new Peer(1, transport, quick());
                Peer b = new Peer(2, transport, quick())) {
            SocketAddress address = b.fabric.listen(address(kind));
            b.fabric.close();
            await().atMost(LONG)
                    .untilAsserted(() -> assertThatThrownBy(
                                    () -> a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS))
                            .isInstanceOf(ExecutionException.class)
                            .cause()
                            .isInstanceOf(java.net.ConnectException.class)
                            .hasMessageContaining("cannot connect to " + address));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void connectGivesUpInTimeWhenNobodyAnswersOrDrivesTheLoop(SocketTransport transport, String kind) throws Exception {
        EventLoopWaiter idle = new EventLoopWaiter(transport);
        TestNode node = new TestNode(9, idle);
        NettyFabric fabric = new NettyFabric(node.endpoint, quick(), idle);
        SocketAddress address = fabric.listen(address(kind));
        try (Peer a = new Peer(1, transport, quick())) {
            assertThatThrownBy(() ->
                            a.fabric.connect(address, Duration.ofMillis(300)).get(20, TimeUnit.SECONDS))
                    .cause()
                    .hasMessageContaining("within 300 ms");
            assertThatThrownBy(() ->
                            fabric.connect(address, Duration.ofMillis(100)).get(20, TimeUnit.SECONDS))
                    .cause()
                    .hasMessageContaining("within 100 ms");
        }
        fabric.close();
        node.close();
    }

    @Test
    void anAddressInUseIsOneLineThatSaysWhatToDo() throws Exception {
        for (SocketTransport transport : SocketTransport.values()) {
            assumeTrue(transport.isAvailable());
            try (Peer a = new Peer(1, transport, quick());
                    Peer b = new Peer(2, transport, quick().insecure(true))) {
                SocketAddress port = a.fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                assertThatThrownBy(() -> b.fabric.listen(port))
                        .isInstanceOf(ListenException.class)
                        .hasMessageContaining("the port is in use; choose another");
                SocketAddress path = UnixDomainSocketAddress.of(directory.resolve(transport + ".sock"));
                a.fabric.listen(path);
                assertThatThrownBy(() -> b.fabric.listen(path))
                        .isInstanceOf(ListenException.class)
                        .hasMessageContaining("another process listens there");
                assertThatThrownBy(() -> b.fabric.listen(UnixDomainSocketAddress.of(
                                directory.resolve("none").resolve("s"))))
                        .hasMessageContaining("there is no directory");
                Path file = Files.createFile(directory.resolve(transport + ".txt"));
                assertThatThrownBy(() -> b.fabric.listen(UnixDomainSocketAddress.of(file)))
                        .hasMessageContaining("is a file and no socket");
                assertThat(file).exists();
                InetSocketAddress elsewhere = new InetSocketAddress("192.0.2.1", 0);
                assertThatThrownBy(() -> b.fabric.listen(elsewhere))
                        .hasMessageContaining("this host has no such address");
                assertThatThrownBy(() -> a.fabric.listen(elsewhere)).hasMessageContaining("insecure(true)");
            }
        }
    }

    @Test
    void aSocketThatADeadProcessLeftIsTakenOver() throws Exception {
        Path path = directory.resolve("left.sock");
        try (var left = java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(path));
        }
        assertThat(path).exists();
        try (Peer a = new Peer(1, SocketTransport.best(), quick());
                Peer b = new Peer(2, SocketTransport.best(), quick())) {
            b.fabric.listen(UnixDomainSocketAddress.of(path));
            a.fabric.connect(UnixDomainSocketAddress.of(path), LONG).get(20, TimeUnit.SECONDS);
            b.fabric.close();
            assertThat(path).doesNotExist();
        }
    }

    @Test
    void closesByAnotherThreadThanTheOwner() throws Exception {
        for (SocketTransport transport : SocketTransport.values()) {
            assumeTrue(transport.isAvailable());
            EventLoopWaiter waiter = new EventLoopWaiter(transport);
            TestNode node = new TestNode(1, waiter);
            NettyFabric fabric = new NettyFabric(node.endpoint, quick(), waiter);
            SocketAddress address = fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread owner = new Thread(() -> {
                long begin = System.nanoTime();
                while (node.links.isEmpty() && System.nanoTime() - begin < LONG.toNanos()) {
                    waiter.await(1_000_000);
                }
            });
            owner.start();
            try (Peer a = new Peer(2, transport, quick())) {
                Link link = a.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
                owner.join(20_000);
                assertThat(owner.isAlive()).isFalse();
                assertThat(node.links).hasSize(1);
                fabric.close();
                waiter.close();
                waiter.close();
                await().atMost(LONG).until(() -> link.state() == Link.State.DOWN);
            }
        }
    }
}

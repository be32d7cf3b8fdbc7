package io.verbena.fabric.netty;

import static io.verbena.fabric.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fabric.TestNode;
import io.verbena.nic.port.Link;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes by another thread than the loop's owner, which is the test's, and runs the loop only where it says so. */
@Timeout(120)
class CloseGuardTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private EventLoopWaiter waiter;
    private TestNode node;
    private NettyFabric fabric;
    private NettyFabricTest.Peer peer;
    private Link peerLink;

    @BeforeEach
    void open() {
        assumeTrue(SocketTransport.EPOLL.isAvailable(), "other sockets are the channel's alone");
        waiter = new EventLoopWaiter(SocketTransport.EPOLL);
        waiter.own();
        node = new TestNode(1, waiter);
        fabric = new NettyFabric(node.endpoint, context(), waiter);
        peer = new NettyFabricTest.Peer(2, SocketTransport.EPOLL, context());
    }

    @AfterEach
    void close() {
        if (waiter != null) {
            fabric.close();
            node.close();
            peer.close();
        }
    }

    private static NettyFabricContext context() {
        return NettyFabricTest.quick().receiveLimit(64 * 1024).sendWindow(256 * 1024);
    }

    private Link connect(String kind) throws Exception {
        SocketAddress address = peer.fabric.listen(
                kind.equals("tcp")
                        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)
                        : UnixDomainSocketAddress.of(directory.resolve("s")));
        CompletableFuture<Link> link = fabric.connect(address, LONG);
        runUntil(link::isDone);
        peerLink = peer.node.nextLink();
        return link.get(1, TimeUnit.SECONDS);
    }

    private static void elsewhere(Runnable what) throws InterruptedException {
        CompletableFuture<Void> done = CompletableFuture.runAsync(what, command -> new Thread(command).start());
        done.orTimeout(LONG.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    private void writeTheRest(Link link) {
        runUntil(() -> link.unsent() == 0);
    }

    /** Runs the loop. */
    private void runUntil(BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - begin).isLessThan(LONG.toNanos());
            waiter.await(1_000_000);
        }
    }

    private void untilPeerHas(long packets) {
        await().atMost(LONG).until(() -> peer.node.received >= packets || peer.node.failure != null);
        assertThat(peer.node.failure).isNull();
        assertThat(peer.node.received).isEqualTo(packets);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "uds"})
    void anotherThreadWritesWhileTheLoopRests(String kind) throws Exception {
        Link link = connect(kind);
        elsewhere(() -> {
            for (int sequence = 0; sequence < 100; sequence++) { // together less than a socket takes
                assertThat(TestNode.offer(link, sequence)).isTrue();
                if (sequence % 3 == 2) {
                    link.flush();
                }
            }
            link.flush();
            assertThat(link.unsent()).isZero();
        });
        untilPeerHas(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "uds"})
    void whatTheSocketDoesNotTakeIsTheOwnersInOrder(String kind) throws Exception {
        Link link = connect(kind);
        peer.node.paused = true;
        long[] sent = new long[1];
        elsewhere(() -> {
            while (link.unsent() == 0) {
                assertThat(TestNode.offer(link, sent[0]++)).isTrue();
                link.flush();
            }
        });
        peer.node.paused = false;
        await().atMost(LONG).until(() -> peer.node.received > 0);
        Thread.sleep(20); // the socket has room again by then; the owner has not written the rest
        long more = sent[0] + 5; // each has a buffer of its own
        elsewhere(() -> {
            while (sent[0] < more) {
                assertThat(TestNode.offer(link, sent[0]++)).isTrue();
                link.flush();
            }
        });
        writeTheRest(link);
        untilPeerHas(more);
    }

    /** Two posters and an owner who sends as well take turns, while the peer reads now and then. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "uds"})
    void whoeverWritesNothingIsLostDoubledOrOvertaken(String kind) throws Exception {
        Link link = connect(kind);
        ReentrantLock baton = new ReentrantLock();
        AtomicLong sent = new AtomicLong();
        AtomicBoolean stop = new AtomicBoolean();
        IntConsumer turn = most -> {
            if (baton.tryLock()) {
                try {
                    for (int i = 0; i < most && TestNode.offer(link, sent.get()); i++) {
                        sent.incrementAndGet();
                    }
                    link.flush();
                } finally {
                    baton.unlock();
                }
            }
        };
        List<CompletableFuture<Void>> others = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            others.add(CompletableFuture.runAsync(
                    () -> {
                        for (int n = 1; !stop.get(); n++) {
                            turn.accept(n % 8 == 0 ? 60 : n % 4);
                            if (n % 3 == 0) {
                                LockSupport.parkNanos(n % 50_000);
                            }
                        }
                    },
                    command -> new Thread(command).start()));
        }
        long begin = System.nanoTime();
        for (int n = 0; System.nanoTime() - begin < 1_500_000_000L && peer.node.failure == null; n++) {
            peer.node.paused = n % 8 < 2;
            waiter.await(200_000);
            if (n % 4 == 0) {
                turn.accept(3);
            }
        }
        peer.node.paused = false;
        stop.set(true);
        for (CompletableFuture<Void> each : others) {
            each.get(20, TimeUnit.SECONDS);
        }
        writeTheRest(link);
        assertThat(sent.get()).isPositive();
        untilPeerHas(sent.get());
    }

    @Test
    void whileASocketIsBeingClosedTheOwnerWrites() throws Exception {
        Link link = connect("tcp");
        assertThat(waiter.closeGuard().tryEnter()).isTrue();
        try {
            elsewhere(() -> {
                assertThat(TestNode.offer(link, 0)).isTrue();
                link.flush();
                assertThat(link.unsent()).isPositive();
            });
        } finally {
            waiter.closeGuard().leave();
        }
        waiter.await(0);
        assertThat(link.unsent()).isZero();
        untilPeerHas(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whileAnotherThreadWritesNothingIsClosed(boolean byPeer) throws Exception {
        Link link = connect("tcp");
        CountDownLatch entered = new CountDownLatch(1);
        CompletableFuture<Boolean> open = CompletableFuture.supplyAsync(
                () -> {
                    assertThat(waiter.closeGuard().tryEnter()).isTrue();
                    entered.countDown();
                    try {
                        Thread.sleep(50); // in which the close gets as far as it can
                        return byPeer ? link.state() == Link.State.UP : peerLink.state() == Link.State.UP;
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    } finally {
                        waiter.closeGuard().leave();
                    }
                },
                command -> new Thread(command).start());
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        (byPeer ? peerLink : link).close();
        runUntil(open::isDone);
        assertThat(open.get()).isTrue();
        runUntil(() -> (byPeer ? link : peerLink).state() == Link.State.DOWN);
    }

    @Test
    void aSocketThatIsResetWithBytesUnsentEndsTheLink() throws Exception {
        Link link = connect("tcp");
        peer.node.paused = true;
        elsewhere(() -> {
            long sequence = 0;
            while (TestNode.offer(link, sequence++)) {
                link.flush();
            }
        });
        assertThat(link.unsent()).isPositive();
        peerLink.close();
        runUntil(() -> link.state() == Link.State.DOWN);
        assertThat(TestNode.offer(link, 0)).isFalse();
    }

    @Test
    void aLinkThatHasStoppedReadingSeesItsEndWhenItReadsAgain() throws Exception {
        Link link = connect("tcp");
        TestNode.Sending sending = peer.node.send(peerLink, 300); // more than is kept here, where nobody polls
        runUntil(() -> sending.isDone() && peerLink.unsent() == 0);
        peerLink.close();
        long[] packets = new long[1];
        runUntil(() -> {
            packets[0] += link.poll((from, buffer, offset, length) -> {}, 8);
            return link.state() == Link.State.DOWN;
        });
        assertThat(packets[0]).isPositive();
    }
}

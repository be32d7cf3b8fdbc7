package io.verbena.fabric.shm;

import static io.verbena.fabric.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.ListenException;
import io.verbena.fabric.TestNode;
import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.netty.SocketTransport;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.port.Segment;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class SharedMemoryFabricTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path root;

    private Path socket;

    @BeforeEach
    void needsEpoll() {
        assumeTrue(SocketTransport.EPOLL.isAvailable(), "epoll is not available here");
        socket = root.resolve("s");
    }

    /** For those that wait for a hello that does not come: any other may take its time on a machine that is busy. */
    private static SharedMemoryContext quick() {
        return new SharedMemoryContext().helloTimeout(Duration.ofMillis(700));
    }

    private ShmPeer peer(long nicId) {
        return new ShmPeer(root, nicId, new SharedMemoryContext().helloTimeout(LONG));
    }

    private Link connect(ShmPeer from, ShmPeer to) throws Exception {
        to.fabric.listen(socket);
        Link link = from.fabric.connect(socket, LONG).get(20, TimeUnit.SECONDS);
        assertThat(from.node.nextLink()).isSameAs(link);
        return link;
    }

    @Test
    void aPeerThatIsThereBeforeTheFirstTurnIsAccepted() throws Exception {
        EventLoopWaiter waiter = new EventLoopWaiter();
        try (SharedMemoryProvider memory = new SharedMemoryProvider(root, 1, Long.MAX_VALUE);
                TestNode node = new TestNode(1, waiter, memory); // without its thread: this one drives the loop
                SharedMemoryFabric fabric = new SharedMemoryFabric(node.endpoint, quick(), waiter)) {
            waiter.own();
            fabric.listen(socket);
            try (SocketChannel early = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
                long begin = System.nanoTime();
                while (fabric.counters().accepted() == 0 && System.nanoTime() - begin < LONG.toNanos()) {
                    waiter.poll();
                }
                assertThat(early.isConnected()).isTrue();
                assertThat(fabric.counters().accepted()).isEqualTo(1);
            }
        }
    }

    @Test
    void carriesPacketsBothWays() throws Exception {
        try (ShmPeer a = peer(1);
                ShmPeer b = peer(2)) {
            Link ab = connect(a, b);
            Link ba = b.node.nextLink();
            assertThat(ab.peerNic()).isEqualTo(2);
            assertThat(ba.peerNic()).isEqualTo(1);
            TestNode.Sending there = a.node.send(ab, 30_000);
            TestNode.Sending back = b.node.send(ba, 30_000);
            await().atMost(LONG).until(() -> {
                assertThat(a.node.failure).isNull();
                assertThat(b.node.failure).isNull();
                return a.node.received == 30_000 && b.node.received == 30_000;
            });
            assertThat(there.sent + back.sent).isEqualTo(60_000);
            assertThat(ab.unsent()).isZero();
            try (var files = Files.list(a.memory.directory())) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .as("the ring file is unlinked")
                        .containsExactlyInAnyOrder("control", "lock");
            }
        }
    }

    @Test
    void mapsThePeersMemory() throws Exception {
        try (ShmPeer a = peer(1);
                ShmPeer b = peer(2)) {
            Segment early = b.memory.allocate(5000);
            PeerMemory memory = connect(a, b).peerMemory();
            assertThat(memory.control().getLong(0)).isEqualTo(2);
            assertThat(memory.control()).isNotSameAs(b.memory.control());
            b.memory.control().putLong(8, 99);
            assertThat(memory.control().getLong(8)).isEqualTo(99);
            memory.segment(early.id()).putLong(4992, 77);
            assertThat(early.buffer().getLong(4992)).isEqualTo(77);
            Segment late = b.memory.allocate(64);
            assertThat(memory.segment(late.id()).capacity()).isEqualTo(64);
            assertThat(memory.segment(12345)).isNull();
            assertThat(memory.segment(-1)).isNull();

            b.memory.release(late);
            memory.segment(late.id()).putLong(0, 5);
        }
    }

    @Test
    void unmapsWhatThePeerHasRetiredAfterTheEngineHasLetItGo() throws Exception {
        try (ShmPeer a = peer(1);
                ShmPeer b = peer(2)) {
            List<Segment> segments = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                segments.add(b.memory.allocate(4096 + i));
            }
            PeerMemory memory = connect(a, b).peerMemory();
            List<AtomicBuffer> mapped = new CopyOnWriteArrayList<>();
            AtomicBoolean busy = new AtomicBoolean(true);
            AtomicInteger calls = new AtomicInteger();
            a.node.execute(() -> {
                segments.forEach(segment -> mapped.add(memory.segment(segment.id())));
                memory.onRetired(() -> a.node.execute(() -> {
                    calls.incrementAndGet();
                    memory.letGo(segment -> !busy.get() || segment != mapped.get(7));
                }));
            });
            await().atMost(LONG).until(() -> mapped.size() == 40);
            segments.subList(0, 30).forEach(b.memory::unmap);
            assertThat(segments.get(0).buffer().capacity())
                    .as("at its owner at once")
                    .isZero();
            await().atMost(LONG)
                    .until(() -> mapped.stream()
                                    .filter(segment -> segment.capacity() == 0)
                                    .count()
                            == 29);
            assertThat(mapped.get(7).capacity()).as("what is in use stays").isEqualTo(4096 + 7);
            busy.set(false);
            await().atMost(LONG).until(() -> mapped.get(7).capacity() == 0);
            int[] found = new int[1];
            a.node.execute(() -> {
                for (Segment segment : segments) {
                    found[0] += memory.segment(segment.id()) == null ? 0 : 1;
                }
                calls.set(-1);
            });
            await().atMost(LONG).until(() -> calls.get() == -1);
            assertThat(found[0]).isEqualTo(10);
            mapped.subList(30, 40).forEach(segment -> segment.putLong(0, 5));
        }
    }

    @Test
    void aDoorbellWakesASleeperEachTime() throws Exception {
        try (ShmPeer a = peer(1);
                ShmPeer b = peer(2)) {
            Link ab = connect(a, b);
            b.node.nextLink();
            for (int i = 0; i < 200; i++) {
                long sequence = i;
                a.node.execute(() -> {
                    TestNode.offer(ab, sequence);
                    ab.flush();
                    ab.wakePeer(0);
                    ab.wakePeer(0);
                });
                long start = System.nanoTime();
                await().atMost(LONG).until(() -> b.node.received == sequence + 1);
                assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos());
            }
        }
    }

    @Test
    void aDoorbellRungByAThreadThatIsNotTheOwnerWakesToo() throws Exception {
        try (ShmPeer b = peer(2)) {
            b.fabric.listen(socket);
            SharedMemoryProvider memory = new SharedMemoryProvider(root, 1, Long.MAX_VALUE);
            memory.allocateControl(64);
            EventLoopWaiter waiter = new EventLoopWaiter();
            TestNode node = new TestNode(1, waiter, memory);
            SharedMemoryFabric fabric =
                    new SharedMemoryFabric(node.endpoint, new SharedMemoryContext().helloTimeout(LONG), waiter);
            var future = fabric.connect(socket, LONG);
            while (!future.isDone()) {
                waiter.await(1_000_000);
            }
            Link link = future.get();
            b.node.nextLink();
            Thread other = new Thread(() -> {
                for (int i = 0; i < 100; i++) {
                    TestNode.offer(link, i);
                    link.flush();
                    link.wakePeer(0);
                }
            });
            other.start();
            other.join();
            await().atMost(LONG).until(() -> b.node.received == 100);
            fabric.close();
            node.close();
            memory.close();
        }
    }

    @Test
    void aClosedSideIsDeadToTheOther() throws Exception {
        for (boolean byConnector : new boolean[] {true, false}) {
            try (ShmPeer a = peer(1);
                    ShmPeer b = peer(2)) {
                Link ab = connect(a, b);
                Link ba = b.node.nextLink();
                Link closing = byConnector ? ab : ba;
                Link other = byConnector ? ba : ab;
                closing.close();
                assertThat(closing.state()).isEqualTo(Link.State.CLOSED);
                await().atMost(LONG).until(() -> other.state() == Link.State.DEAD);
                assertThat(other.claim(100)).isEqualTo(Link.NO_ROOM);
                other.wakePeer(0);
                assertThat(other.peerMemory().control().getLong(0)).isEqualTo(other.peerNic());
                assertThat(a.memory.directory()).as("closed is not dead").exists();
                assertThat(other.peerMemory().gone().getAsBoolean()).isFalse();
                assertThat(b.memory.directory()).exists();
            }
        }
    }

    @Test
    void aKilledProcessIsDeadWithinSecondsAndItsFilesAreRemoved() throws Exception {
        try (ShmPeer here = peer(1)) {
            here.fabric.listen(socket);
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(openedModules());
            command.addAll(List.of(
                    "-cp",
                    System.getProperty("java.class.path"),
                    ShmPeer.class.getName(),
                    root.toString(),
                    socket.toString(),
                    "2"));
            Process child =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            try {
                Link link = here.node.links.poll(30, TimeUnit.SECONDS);
                assertThat(link)
                        .as("output: %s", link == null ? firstLine(child) : "")
                        .isNotNull();
                assertThat(link.peerNic()).isEqualTo(2);
                await().atMost(LONG).until(() -> here.node.received > 10_000 || here.node.failure != null);
                assertThat(here.node.failure).isNull();
                PeerMemory memory = link.peerMemory();
                assertThat(memory.control().getLong(0)).isEqualTo(2);
                assertThat(memory.segment(1).getLong(0)).isEqualTo(4711);
                Path directory = here.memory.directory().resolveSibling("0000000000000002");
                assertThat(directory).exists();
                assertThat(SharedMemoryProvider.removeDead(root)).as("it lives").isZero();
                BooleanSupplier gone = memory.gone();
                assertThat(gone.getAsBoolean()).isFalse();

                child.destroyForcibly(); // SIGKILL, in the middle of its traffic
                await().atMost(LONG).until(() -> link.state() == Link.State.DEAD);
                await().atMost(LONG).until(gone::getAsBoolean);
                await().atMost(LONG).until(() -> !Files.exists(directory));
                assertThat(gone.getAsBoolean()).isTrue();
                assertThat(memory.segment(1).getLong(0))
                        .as("what is mapped stays readable")
                        .isEqualTo(4711);
                assertThat(here.memory.directory()).exists();
                assertThat(here.node.failure).isNull();
            } finally {
                child.destroyForcibly();
                child.waitFor(10, TimeUnit.SECONDS);
            }
        }
    }

    private static String firstLine(Process child) throws Exception {
        child.destroyForcibly();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            return String.valueOf(out.readLine());
        }
    }

    private String sendAndExpectClose(ShmPeer server, byte[] bytes) throws Exception {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.write(ByteBuffer.wrap(bytes));
            ByteBuffer answer = ByteBuffer.allocate(10_000);
            try {
                while (channel.read(answer) >= 0) {
                    assertThat(answer.position()).isZero();
                }
            } catch (java.io.IOException reset) {
                assertThat(reset).hasMessageContaining("reset");
            }
        }
        return server.node.nextRejection();
    }

    private static byte[] hello(int ringLength, int maxPacket, String text) {
        byte[] bytes = new byte[2000];
        int length = HelloFlyweight.encode(
                new UnsafeBuffer(bytes), HelloFlyweight.CALL, 66, 0, 1, maxPacket, ringLength, text);
        return java.util.Arrays.copyOf(bytes, length);
    }

    @Test
    void brokenHellosLoseTheirConnectionWithAReason() throws Exception {
        try (ShmPeer a = peer(1);
                ShmPeer b = peer(2)) {
            Link good = connect(a, b);
            String directory =
                    b.memory.directory().resolveSibling("0000000000000042").toString();
            Files.createDirectory(Path.of(directory));
            assertThat(sendAndExpectClose(b, "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII)))
                    .contains("not a Verbena peer")
                    .startsWith("process " + ProcessHandle.current().pid());
            assertThat(sendAndExpectClose(b, hello(4096, 512, "/etc\0/etc/passwd")))
                    .contains("its directory /etc is not beside this side's");
            assertThat(sendAndExpectClose(b, hello(65536, 512, directory + "\0/etc/passwd")))
                    .contains("ring file /etc/passwd is not in the peer's directory");
            assertThat(sendAndExpectClose(b, hello(65536, 512, directory + "\0" + directory + "/ring-1")))
                    .contains("cannot map the peer's memory");
            assertThat(sendAndExpectClose(b, hello(1000, 512, directory + "\0" + directory + "/ring-1")))
                    .contains("ring of 1000 bytes, expected a power of two");
            Files.write(Path.of(directory, "ring-2"), new byte[2 * (65536 + 384)]);
            assertThat(sendAndExpectClose(b, hello(65536, 512, directory + "\0" + directory + "/ring-2")))
                    .contains("ring without the magic number");
            assertThat(sendAndExpectClose(b, hello(65536, 512, "\0\0\0"))).contains("cannot map");

            assertThat(good.state()).isEqualTo(Link.State.UP);
            a.node.send(good, 1000);
            await().atMost(LONG).until(() -> b.node.received == 1000);
        }
    }

    /** It has sent its half before this side, which this thread drives, begins to count. */
    @Test
    void halfAHelloLosesItsConnectionInTime() throws Exception {
        EventLoopWaiter waiter = new EventLoopWaiter();
        try (SharedMemoryProvider memory = new SharedMemoryProvider(root, 2, Long.MAX_VALUE);
                TestNode node = new TestNode(2, waiter, memory);
                SharedMemoryFabric fabric = new SharedMemoryFabric(node.endpoint, quick(), waiter)) {
            waiter.own();
            fabric.listen(socket);
            try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
                channel.write(ByteBuffer.wrap(hello(65536, 512, "x".repeat(100)), 0, 100));
                long begin = System.nanoTime();
                while (node.rejections.isEmpty() && System.nanoTime() - begin < LONG.toNanos()) {
                    waiter.poll();
                }
                assertThat(node.nextRejection()).contains("hello unfinished after 700 ms: 100 of");
            }
        }
    }

    @Test
    void aPeerThatGoesAwayInItsHelloIsCounted() throws Exception {
        try (ShmPeer b = peer(2)) {
            b.fabric.listen(socket);
            try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                channel.connect(UnixDomainSocketAddress.of(socket));
                channel.write(ByteBuffer.wrap(hello(65536, 512, "x"), 0, 10));
            }
            assertThat(b.node.nextRejection()).contains("closed after 10 of 112 bytes");
        }
    }

    @Test
    void connectingFailsInTimeAndLeavesNoRingFile() throws Exception {
        try (ShmPeer a = new ShmPeer(root, 1, quick());
                ShmPeer patient = peer(2)) {
            assertThatThrownBy(() -> a.fabric.connect(socket, LONG).get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(java.net.ConnectException.class)
                    .hasMessageContaining("cannot connect to " + socket);
            try (var silent = java.nio.channels.ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                silent.bind(UnixDomainSocketAddress.of(socket));
                assertThatThrownBy(() -> patient.fabric
                                .connect(socket, Duration.ofMillis(200))
                                .get(20, TimeUnit.SECONDS))
                        .cause()
                        .hasMessageContaining("within 200 ms");
                assertThatThrownBy(() ->
                                a.fabric.connect(socket, Duration.ofSeconds(2)).get(20, TimeUnit.SECONDS))
                        .cause()
                        .as("the caller's time is not cut by the hello's, which is shorter")
                        .hasMessageContaining(" 2000 ms");
            }
            try (var files = Files.list(a.memory.directory())) {
                assertThat(files.filter(file -> file.getFileName().toString().startsWith("ring")))
                        .isEmpty();
            }
            Files.delete(socket);
            a.fabric.listen(socket);
            assertThatThrownBy(() -> a.fabric.listen(socket)).isInstanceOf(ListenException.class);
        }
    }

    @Test
    void needsMemoryThatCanBeShared() {
        TestNode node = new TestNode(1, new EventLoopWaiter());
        assertThatThrownBy(() -> new SharedMemoryFabric(node.endpoint, quick(), new EventLoopWaiter()))
                .hasMessageContaining("needs a SharedMemoryProvider, not");
        try (SharedMemoryProvider memory = new SharedMemoryProvider(root, 3, Long.MAX_VALUE)) {
            TestNode shared = new TestNode(3, new EventLoopWaiter(), memory);
            assertThatThrownBy(() ->
                            new SharedMemoryFabric(shared.endpoint, quick(), new EventLoopWaiter(SocketTransport.NIO)))
                    .hasMessageContaining("netty-transport-native-epoll");
        }
    }

    /** What this JVM opens of the JDK's modules, a JVM that it starts needs too. */
    private static List<String> openedModules() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--"))
                .toList();
    }
}

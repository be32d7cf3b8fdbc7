package io.verbena.fabric.netty;

import static io.verbena.fabric.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.netty.NettyFabricTest.Peer;
import io.verbena.nic.port.Link;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Connections that stop on their way to a link, or as a link: how long each of them may stay and how many there may be,
 * over TCP and Unix-domain sockets.
 */
@Timeout(180)
class HalfOpenLimitsTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(700);
    private static final int ROOM = 8;
    private static final int MANY = 30;
    private static final int HELLO = HelloFlyweight.HEADER_LENGTH;

    @TempDir
    private Path directory;

    private final List<SocketChannel> sockets = new ArrayList<>();
    private Peer server;
    private SocketAddress address;

    enum Medium {
        TCP,
        UDS
    }

    /** How far a connection comes. */
    enum Stage {
        SILENT(0, "unfinished"),
        IN_ITS_CALL(HELLO / 2, "unfinished"),
        CALLED(HELLO, "unconfirmed"),
        IN_ITS_CONFIRMATION(HELLO + HELLO / 2, "unconfirmed");

        private final int bytes;
        private final String state;

        Stage(int bytes, String state) {
            this.bytes = bytes;
            this.state = state;
        }
    }

    private static Stream<Arguments> stages() {
        return Arrays.stream(Medium.values())
                .flatMap(medium -> Arrays.stream(Stage.values()).map(stage -> Arguments.of(medium, stage)));
    }

    private void open(Medium medium, NettyFabricContext context) {
        server = new Peer(1, SocketTransport.best(), context.maxConnections(ROOM));
        address = server.fabric.listen(
                medium == Medium.TCP
                        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)
                        : UnixDomainSocketAddress.of(directory.resolve("s")));
    }

    @AfterEach
    void close() throws IOException {
        for (SocketChannel socket : sockets) {
            socket.close();
        }
        server.close();
    }

    /** Connects, and says so many bytes of both hellos of a NIC; and what comes after them. */
    private SocketChannel connect(long nicId, int bytes, byte... rest) throws IOException {
        ByteBuffer hellos = ByteBuffer.allocate(2 * HELLO + rest.length);
        UnsafeBuffer buffer = new UnsafeBuffer(hellos, 0, HELLO);
        HelloFlyweight.encode(buffer, HelloFlyweight.CALL, nicId, 0, 0, 16 * 1024, 0, "");
        buffer.wrap(hellos, HELLO, HELLO);
        HelloFlyweight.encode(buffer, HelloFlyweight.CONFIRMATION, nicId, 0, 0, 16 * 1024, 0, "");
        hellos.put(2 * HELLO, rest).limit(bytes);
        SocketChannel socket = SocketChannel.open(address);
        sockets.add(socket);
        while (hellos.hasRemaining()) {
            socket.write(hellos);
        }
        return socket;
    }

    private SocketChannel link(long nicId, byte... rest) throws Exception {
        SocketChannel socket = connect(nicId, 2 * HELLO + rest.length, rest);
        assertThat(server.node.nextLink().peerNic()).isEqualTo(nicId);
        return socket;
    }

    private static void expectClose(SocketChannel socket) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(1024);
        try {
            while (socket.read(bytes.clear()) >= 0) {
                // The server's own hello.
            }
        } catch (IOException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    /** A peer that does all that is asked of it. */
    private void assertLetsOthersIn() throws Exception {
        try (Peer other = new Peer(2, SocketTransport.best(), NettyFabricTest.quick())) {
            Link link = other.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
            assertThat(link.state()).isEqualTo(Link.State.UP);
        }
    }

    @ParameterizedTest
    @MethodSource("stages")
    void aHelloHasItsTime(Medium medium, Stage stage) throws Exception {
        open(medium, NettyFabricTest.quick().helloTimeout(SHORT));
        expectClose(connect(1000, stage.bytes));
        assertThat(server.node.nextRejection()).contains("hello " + stage.state + " after 700 ms");
        assertThat(server.node.links).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("stages")
    void hellosGiveTheirPlacesToNewcomers(Medium medium, Stage stage) throws Exception {
        open(medium, NettyFabricTest.quick().helloTimeout(Duration.ofMinutes(1)));
        for (int i = 0; i < MANY; i++) {
            connect(1000 + i, stage.bytes);
        }
        assertLetsOthersIn();
        assertThat(server.node.nextRejection())
                .contains("more than the maximum of 8 connections; this one's hello has been awaited for longest");
        for (int i = 0; i <= MANY - ROOM; i++) {
            expectClose(sockets.get(i)); // the eldest first
        }
        await().atMost(LONG).until(() -> server.fabric.counters().rejected() == MANY - ROOM + 1);
    }

    @ParameterizedTest
    @EnumSource
    void linksThatWereNeverUsedGiveTheirPlacesToNewcomers(Medium medium) throws Exception {
        open(medium, NettyFabricTest.quick().frameTimeout(Duration.ofMinutes(1)));
        for (int i = 0; i < ROOM; i++) {
            link(1000 + i);
        }
        assertLetsOthersIn();
        assertThat(server.node.nextRejection()).contains("this one has been without a packet for longest");
        expectClose(sockets.get(0));
        assertThat(server.fabric.counters().expelled()).isOne();
    }

    @ParameterizedTest
    @EnumSource
    void linksThatAreNeverUsedEndWithTheTimeWhileRoomIsShort(Medium medium) throws Exception {
        open(medium, NettyFabricTest.quick().frameTimeout(SHORT));
        for (int i = 0; i < ROOM - 1; i++) {
            link(1000 + i);
        }
        await().atMost(LONG).until(() -> server.fabric.counters().expelled() == ROOM - 1 - ROOM / 2);
        assertThat(server.node.nextRejection()).containsPattern("no packet within 700 ms, while [567] of 8");
        expectClose(sockets.get(0));
    }

    @ParameterizedTest
    @EnumSource
    void aFrameHasItsTime(Medium medium) throws Exception {
        open(medium, NettyFabricTest.quick().frameTimeout(SHORT));
        byte[] begun = ByteBuffer.allocate(100)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(1000)
                .putInt(~1000)
                .array();
        expectClose(link(1000, begun));
        assertThat(server.node.nextRejection()).contains("frame unfinished after");
        assertLetsOthersIn();
    }
}

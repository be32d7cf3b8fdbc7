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
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that are broken or hostile: each loses its own connection, with a reason, and nobody else notices. */
@Timeout(180)
class HostilePeerTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private Peer server;
    private Peer client;
    private InetSocketAddress address;
    private Link good;

    @BeforeEach
    void open() throws Exception {
        start(SocketTransport.best());
    }

    private void start(SocketTransport transport) throws Exception {
        start(
                transport,
                NettyFabricTest.quick()
                        .helloTimeout(LONG)
                        .frameTimeout(Duration.ofMillis(700))
                        .maxConnections(8));
    }

    /** For those that wait for a hello that does not come: any other may take its time on a machine that is busy. */
    private void restartWithAShortHello() throws Exception {
        client.close();
        server.close();
        start(SocketTransport.best(), NettyFabricTest.quick().helloTimeout(Duration.ofMillis(700)));
    }

    private void start(SocketTransport transport, NettyFabricContext context) throws Exception {
        server = new Peer(1, transport, context);
        client = new Peer(2, transport, NettyFabricTest.quick());
        address = (InetSocketAddress) server.fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        good = client.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
        server.node.nextLink();
    }

    @AfterEach
    void othersNoticedNothing() {
        try {
            assertThat(good.state()).isEqualTo(Link.State.UP);
            client.node.send(good, 1000);
            await().atMost(LONG).until(() -> server.node.received == 1000 || server.node.failure != null);
            assertThat(server.node.failure).isNull();
            assertThat(client.fabric.counters().reconnects()).isZero();
        } finally {
            client.close();
            server.close();
        }
    }

    @Test
    void unfinishedFramesOfManyGetNoMoreThanTheBudget() throws Exception {
        client.close();
        server.close();
        start(
                SocketTransport.best(),
                NettyFabricTest.quick().frameTimeout(Duration.ofMinutes(1)).receiveBudget(1 << 20));
        byte[] begun = java.util.Arrays.copyOf(frame(16_000, ~16_000, 16_000), 9_000); // takes 16 KiB
        Socket[] sockets = new Socket[160];
        try {
            for (int i = 0; i < sockets.length; i++) {
                sockets[i] = new Socket(address.getAddress(), address.getPort());
                sockets[i].getOutputStream().write(goodHellos(1000 + i));
                sockets[i].getOutputStream().write(begun);
            }
            int tooMany = sockets.length - (1 << 20) / (16 << 10);
            await().atMost(LONG).until(() -> server.fabric.counters().starved() >= tooMany);
            assertThat(server.node.nextRejection()).contains("unfinished while the 1048576 bytes");
            expectClose(sockets[0]); // it has waited for longest
        } finally {
            for (Socket socket : sockets) {
                if (socket != null) {
                    socket.close();
                }
            }
        }
    }

    private static byte[] hello(int version, int maxPacket) {
        return hello(version, HelloFlyweight.CALL, maxPacket, 66);
    }

    private static byte[] hello(int version, int step, int maxPacket, long nicId) {
        byte[] bytes = new byte[HelloFlyweight.HEADER_LENGTH];
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        HelloFlyweight.encode(buffer, step, nicId, 0, 0, maxPacket, 0, "");
        buffer.putInt(8, version, ByteOrder.LITTLE_ENDIAN);
        return bytes;
    }

    private static byte[] goodHello() {
        return hello(HelloFlyweight.VERSION, 16 * 1024);
    }

    /** All that opens a link: a call and its confirmation. */
    private static byte[] goodHellos(long nicId) {
        byte[] both = new byte[2 * HelloFlyweight.HEADER_LENGTH];
        int version = HelloFlyweight.VERSION;
        byte[] call = hello(version, HelloFlyweight.CALL, 16 * 1024, nicId);
        byte[] confirmation = hello(version, HelloFlyweight.CONFIRMATION, 16 * 1024, nicId);
        System.arraycopy(call, 0, both, 0, call.length);
        System.arraycopy(confirmation, 0, both, call.length, confirmation.length);
        return both;
    }

    private static byte[] frame(int length, int complement, int bytes) {
        return ByteBuffer.allocate(8 + bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .putInt(complement)
                .array();
    }

    private void expectClose(Socket socket) throws IOException {
        socket.setSoTimeout(15_000);
        InputStream in = socket.getInputStream();
        try {
            while (in.read() >= 0) {
                // The server's own hello.
            }
        } catch (java.net.SocketException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    private String sendAndExpectClose(byte[]... parts) throws Exception {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            OutputStream out = socket.getOutputStream();
            for (byte[] part : parts) {
                out.write(part);
            }
            out.flush();
            expectClose(socket);
        }
        return server.node.nextRejection();
    }

    @Test
    void garbageIsRefusedAtTheFirstByte() throws Exception {
        long before = server.fabric.counters().rejected();
        assertThat(sendAndExpectClose("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
                .contains("not a Verbena peer: byte 0 of the hello is 0x47")
                .contains("127.0.0.1");
        assertThat(server.fabric.counters().rejected()).isEqualTo(before + 1);
    }

    @Test
    void randomBytesAreRefused() throws Exception {
        Random random = new Random(42);
        for (int i = 0; i < 50; i++) {
            byte[] bytes = new byte[1 + random.nextInt(5000)];
            random.nextBytes(bytes);
            assertThat(sendAndExpectClose(bytes)).contains("not a Verbena peer");
        }
    }

    @Test
    void anotherVersionIsRefusedByName() throws Exception {
        assertThat(sendAndExpectClose(hello(3, 4096)))
                .contains("peer speaks version 3, this side 7; upgrade the older one");
    }

    @Test
    void aHelloWithBadFieldsIsRefused() throws Exception {
        assertThat(sendAndExpectClose(hello(HelloFlyweight.VERSION, 100)))
                .contains("largest packet of 100 bytes < minimum 512");
        byte[] wrongLength = goodHello();
        wrongLength[12] = 99;
        assertThat(sendAndExpectClose(wrongLength)).contains("hello says it is 99 bytes long");
        byte[] text = goodHello();
        text[48] = 1;
        assertThat(sendAndExpectClose(text)).contains("text of 1 bytes, expected 0 to 0");
        byte[] huge = goodHello();
        huge[51] = 0x7F;
        assertThat(sendAndExpectClose(huge)).contains("expected 0 to 0");
        byte[] step = goodHello();
        step[52] = 9;
        assertThat(sendAndExpectClose(step)).contains("step 9 of the hello, expected 1");
        assertThat(sendAndExpectClose(goodHello(), goodHello())).contains("step 1 of the hello, expected 3");
    }

    @Test
    void halfAHelloEndsWithTheTime() throws Exception {
        restartWithAShortHello();
        byte[] half = new byte[30];
        System.arraycopy(goodHello(), 0, half, 0, 30);
        assertThat(sendAndExpectClose(half)).contains("hello unfinished after 700 ms: 30 of 112 bytes");
    }

    @Test
    void silenceEndsWithTheTime() throws Exception {
        restartWithAShortHello();
        assertThat(sendAndExpectClose(new byte[0])).contains("hello unfinished after 700 ms: 0 of 112 bytes");
    }

    @Test
    void aHelloByteByByteEndsWithTheTime() throws Exception {
        restartWithAShortHello();
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            byte[] hello = goodHello();
            OutputStream out = socket.getOutputStream();
            try {
                for (int i = 0; i < 40; i++) {
                    out.write(hello[i]);
                    out.flush();
                    Thread.sleep(100);
                }
            } catch (java.net.SocketException closed) {
                assertThat(closed).isNotNull();
            }
            expectClose(socket);
        }
        assertThat(server.node.nextRejection()).contains("hello unfinished");
    }

    @Test
    void aPeerThatGoesAwayInItsHelloIsCounted() throws Exception {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(goodHello(), 0, 10);
            socket.getOutputStream().flush();
        }
        assertThat(server.node.nextRejection()).containsAnyOf("closed after 10 of 112", "reset");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 11, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 16 * 1024 + 1})
    void aFrameOutOfBoundsClosesItsConnection(int length) throws Exception {
        assertThat(sendAndExpectClose(goodHellos(66), frame(length, ~length, 64)))
                .contains("frame of " + length + " bytes, expected 12 to 16384");
        assertThat(server.fabric.counters().malformedFrames()).isEqualTo(1);
    }

    @Test
    void anAnswerToNoMarkClosesItsConnection() throws Exception {
        assertThat(sendAndExpectClose(goodHellos(66), frame(0x82000003, ~0x82000003, 0)))
                .contains("frame that answers 3 marks, more than were sent");
    }

    @Test
    void moreMarksThanMayBeOnTheirWayCloseTheirConnection() throws Exception {
        byte[] mark = frame(0x81000000, ~0x81000000, 0);
        byte[] marks = new byte[65 * mark.length];
        for (int i = 0; i < marks.length; i++) {
            marks[i] = mark[i % mark.length];
        }
        server.node.paused = true; // all come at once
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(goodHellos(66));
            socket.getOutputStream().write(marks);
            Link link = server.node.nextLink();
            await().atMost(LONG).until(link::hasInbound);
            server.node.paused = false;
            expectClose(socket);
        }
        assertThat(server.node.nextRejection()).contains("more than 64 marks without an answer");
    }

    @Test
    void aHeaderThatIsNoneClosesItsConnection() throws Exception {
        assertThat(sendAndExpectClose(goodHellos(66), frame(100, 0, 200))).contains("out of step");
    }

    @Test
    void paddingThatIsNotZeroClosesItsConnection() throws Exception {
        byte[] frame = frame(12, ~12, 16);
        frame[23] = 1;
        assertThat(sendAndExpectClose(goodHellos(66), frame)).contains("padding that is not zero");
    }

    @Test
    void anOversizeFrameIsRefusedByItsHeaderAlone() throws Exception {
        assertThat(sendAndExpectClose(goodHellos(66), frame(1 << 30, ~(1 << 30), 0)))
                .contains("frame of 1073741824 bytes");
    }

    @Test
    void aFrameByteByByteEndsWithTheTime() throws Exception {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(goodHellos(66));
            byte[] frame = frame(1000, ~1000, 1000);
            try {
                for (int i = 0; i < 50; i++) {
                    out.write(frame[i]);
                    out.flush();
                    Thread.sleep(100);
                }
            } catch (java.net.SocketException closed) {
                assertThat(closed).isNotNull();
            }
            expectClose(socket);
        }
        assertThat(server.node.nextRejection()).contains("frame unfinished after");
    }

    @Test
    void garbageAfterAGoodFrameLosesOnlyTheRest() throws Exception {
        server.node.handler = (link, buffer, offset, length) -> {
            if (link.peerNic() == 66) {
                server.node.rejections.add("delivered " + length);
            }
        };
        byte[] twoFrames = new byte[48];
        System.arraycopy(frame(13, ~13, 16), 0, twoFrames, 0, 24);
        System.arraycopy(frame(3, ~3, 16), 0, twoFrames, 24, 24);
        assertThat(sendAndExpectClose(goodHellos(66), twoFrames)).isEqualTo("delivered 13");
        assertThat(server.node.nextRejection()).contains("frame of 3 bytes");
        resetHandler();
    }

    private void resetHandler() {
        server.node.handler = (link, buffer, offset, length) -> countGood();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void countGood() {
        server.node.received++;
    }

    @Test
    void moreConnectionsThanTheMaximumAreTurnedAway() throws Exception {
        Socket[] sockets = new Socket[12];
        try {
            for (int i = 0; i < sockets.length; i++) {
                sockets[i] = new Socket(address.getAddress(), address.getPort());
            }
            assertThat(server.node.nextRejection()).contains("more than the maximum of 8 connections");
        } finally {
            for (Socket socket : sockets) {
                if (socket != null) {
                    socket.close();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNewPeerGetsInWhileSilentOnesFillTheRoom(boolean withHellos) throws Exception {
        client.close();
        server.close();
        start(
                SocketTransport.best(),
                NettyFabricTest.quick().frameTimeout(Duration.ofMinutes(1)).maxConnections(8));
        useTheGoodOne();
        Socket[] sockets = new Socket[30];
        try {
            for (int i = 0; i < sockets.length; i++) {
                sockets[i] = new Socket(address.getAddress(), address.getPort());
                if (withHellos) {
                    sockets[i].getOutputStream().write(goodHellos(1000 + i));
                    server.node.nextLink();
                }
            }
            int tooMany = 1 + sockets.length - 8;
            await().atMost(LONG).until(() -> server.fabric.counters().rejected() >= tooMany);
            assertThat(server.node.nextRejection()).contains("more than the maximum of 8 connections");
            assertThat(server.fabric.counters().expelled()).isEqualTo(withHellos ? tooMany : 0);
            try (Peer other = new Peer(3, SocketTransport.best(), NettyFabricTest.quick())) {
                Link link = other.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
                assertThat(link.state()).isEqualTo(Link.State.UP);
            }
        } finally {
            for (Socket socket : sockets) {
                if (socket != null) {
                    socket.close();
                }
            }
        }
    }

    /** One that is used keeps its place. */
    private void useTheGoodOne() {
        client.node.send(good, 10);
        await().atMost(LONG).until(() -> server.node.received == 10);
        server.node.expectFrom(0);
        server.node.received = 0;
    }

    @Test
    void linksOverWhichNothingComesEndWithTheTimeWhileRoomIsShort() throws Exception {
        useTheGoodOne();
        Socket[] sockets = new Socket[6]; // of 8, with the good one 7
        try {
            for (int i = 0; i < sockets.length; i++) {
                sockets[i] = new Socket(address.getAddress(), address.getPort());
                sockets[i].getOutputStream().write(goodHellos(1000 + i));
                server.node.nextLink();
            }
            await().atMost(LONG).until(() -> server.fabric.counters().expelled() == 3);
            assertThat(server.node.nextRejection()).containsPattern("no packet within 700 ms, while [567] of 8");
            expectClose(sockets[0]);
        } finally {
            for (Socket socket : sockets) {
                if (socket != null) {
                    socket.close();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void allTransportsSurviveAFloodOfBrokenPeers(SocketTransport transport) throws Exception {
        if (transport.isAvailable() && transport != SocketTransport.best()) {
            client.close();
            server.close();
            start(transport);
        }
        useTheGoodOne();
        Random random = new Random(7);
        int cut = 0;
        for (int i = 0; i < 100; i++) {
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                OutputStream out = socket.getOutputStream();
                if (random.nextBoolean()) {
                    out.write(goodHellos(66));
                }
                byte[] bytes = new byte[1 + random.nextInt(300)];
                random.nextBytes(bytes);
                out.write(bytes);
                cut++;
            } catch (IOException closedEarly) {
                cut++;
            }
        }
        int expected = cut;
        await().atMost(LONG)
                .until(() -> server.fabric.counters().rejected()
                                + server.fabric.counters().linksDown()
                        >= expected / 2);
        while (server.node.links.poll() != null) {
            // Those whose hello was good.
        }
    }
}

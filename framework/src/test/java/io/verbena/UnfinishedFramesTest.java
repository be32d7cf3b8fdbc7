package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fabric.HelloFlyweight;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever opens links and leaves a frame unfinished on each does not use up a node's memory. */
@Timeout(180)
class UnfinishedFramesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int SOCKETS = 3_000;
    private static final int CALL_EVERY = 50;
    private static final int FRAME = 64 * 1024;
    private static final int BEGUN = 92;
    private static final int ROUNDS_BESIDE_ALL = 200;

    /** All that opens a link, and the beginning of a frame. */
    private static byte[] opening(long nicId) {
        int hello = HelloFlyweight.HEADER_LENGTH;
        byte[] bytes = new byte[2 * hello + BEGUN];
        UnsafeBuffer buffer = new UnsafeBuffer(bytes, 0, hello);
        HelloFlyweight.encode(buffer, HelloFlyweight.CALL, nicId, 0, 0, FRAME, 0, "");
        buffer.wrap(bytes, hello, hello);
        HelloFlyweight.encode(buffer, HelloFlyweight.CONFIRMATION, nicId, 0, 0, FRAME, 0, "");
        ByteBuffer.wrap(bytes, 2 * hello, BEGUN)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(FRAME)
                .putInt(~FRAME);
        return bytes;
    }

    private static void call(Requester requester, Channel channel, int number) throws Exception {
        byte[] question = ("question " + number).getBytes(StandardCharsets.UTF_8);
        byte[] answer = requester.call(channel, question, PATIENCE).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(answer).isEqualTo(question);
    }

    @Test
    void aNodeWithLittleMemoryServesBesideThreeThousandOfThem() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (PeerProcess process = PeerProcess.serving(Fabric.TCP, List.of("-Xmx64m", "-XX:MaxDirectMemorySize=48m"));
                Node client = Node.launch(new NodeContext())) {
            Requester requester = client.openRequester().pollOnNode();
            Channel channel = requester.connect(process.tcpAddress + "echo", PATIENCE);
            int port = Integer.parseInt(process.tcpAddress.replaceAll(".*:([0-9]+)/$", "$1"));
            for (int i = 0; i < SOCKETS; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(socket);
                socket.setSoTimeout((int) PATIENCE.toMillis());
                socket.getOutputStream().write(opening(1_000_000 + i));
                if (i % CALL_EVERY == 0) {
                    call(requester, channel, i);
                }
            }
            assertThat(answered(sockets)).as("links that were opened").isEqualTo(SOCKETS);
            for (int i = 0; i < ROUNDS_BESIDE_ALL; i++) {
                call(requester, channel, i);
            }
            try (Node other = Node.launch(new NodeContext())) {
                Requester late = other.openRequester().pollOnNode();
                call(late, late.connect(process.tcpAddress + "echo", PATIENCE), 0);
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** The hello of the side that was called says that it took the connection. */
    private static int answered(List<Socket> sockets) throws IOException {
        int count = 0;
        for (Socket socket : sockets) {
            byte[] hello = socket.getInputStream().readNBytes(HelloFlyweight.HEADER_LENGTH);
            count += hello.length == HelloFlyweight.HEADER_LENGTH ? 1 : 0;
        }
        return count;
    }
}

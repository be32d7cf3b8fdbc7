package io.verbena.fabric.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.PeerProcess;
import io.verbena.fabric.netty.NettyFabricTest.Peer;
import io.verbena.nic.port.Link;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process of this host ends: the engine is told, whichever of its threads sees first that the link is down. */
@Timeout(180)
class PeerDeathTest {
    private static final int PROCESS_ID_OFFSET = 40;

    private static byte[] hello(int step, long pid) {
        UnsafeBuffer hello = new UnsafeBuffer(new byte[HelloFlyweight.HEADER_LENGTH]);
        HelloFlyweight.encode(hello, step, 66, 0, 0, 16 * 1024, 0, "");
        hello.putLong(PROCESS_ID_OFFSET, pid, ByteOrder.LITTLE_ENDIAN);
        return hello.byteArray();
    }

    /** What an engine's thread does with a link that is down, while the loop's is still about to find out why. */
    private static void closeOnceDown(Link link) {
        link.announceTo(
                number -> {
                    if (link.state() == Link.State.DOWN) {
                        link.close();
                    }
                },
                0);
    }

    @ParameterizedTest
    @EnumSource(SocketTransport.class)
    void isToldAlsoIfTheLinkIsClosedAtOnce(SocketTransport transport) throws Exception {
        Assumptions.assumeTrue(transport.isAvailable(), "no " + transport + " here");
        Assumptions.assumeTrue(PeerProcess.host() != 0, "the kernel tells nothing of processes here");
        Process process = new ProcessBuilder("sleep", "120").start();
        try (Peer server = new Peer(1, transport, NettyFabricTest.quick())) {
            InetSocketAddress address = (InetSocketAddress)
                    server.fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Link link;
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                socket.getOutputStream().write(hello(HelloFlyweight.CALL, process.pid()));
                socket.getOutputStream().write(hello(HelloFlyweight.CONFIRMATION, process.pid()));
                link = server.node.nextLink();
                closeOnceDown(link);
                process.destroyForcibly().waitFor();
            }
            assertThat(server.node.dead.poll(20, TimeUnit.SECONDS)).isSameAs(link);
        } finally {
            process.destroyForcibly();
        }
    }
}

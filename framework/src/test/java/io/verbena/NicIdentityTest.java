package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.netty.NettyFabric;
import io.verbena.fabric.netty.NettyFabricContext;
import io.verbena.fabric.security.TlsCredentials;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.verbs.EngineMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A NIC id belongs to the certificate that came with it: another good certificate does not get its path. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class NicIdentityTest {
    @TempDir
    Path directory;

    @Test
    void anotherCertificateDoesNotTakeTheNicOfAPeerThatIsThere() throws Exception {
        TestCertificates certificates = new TestCertificates(directory);
        try (NodePair pair = pair(certificates)) {
            Inbox inbox = pair.server.openInbox("in");
            Channel channel = pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            refused(pair, certificates, "thief");
            int[] received = new int[1];
            for (int i = 0; i < 100; i++) {
                pair.await(() -> channel.offer(new UnsafeBuffer(new byte[100]), 0, 100) == SendResult.SENT);
            }
            pair.await(() -> inbox.poll(m -> received[0]++, 16) >= 0 && received[0] == 100);
            assertThat(channel.isConnected()).isTrue();
        }
    }

    @Test
    void norOfOneWhoseLinkIsDown() throws Exception {
        TestCertificates certificates = new TestCertificates(directory);
        try (NodePair pair = pair(certificates)) {
            pair.server.openInbox("in");
            pair.client.connect(pair.address + "in", NodePair.TIMEOUT);
            pair.client.close();
            refused(pair, certificates, "thief");
        }
    }

    private static NodePair pair(TestCertificates certificates) throws Exception {
        return new NodePair(
                Fabric.TCP,
                new NodeContext().tls(certificates.member("server")),
                new NodeContext().tls(certificates.member("client")));
    }

    /** Another certificate comes with the client's NIC id. */
    private static void refused(NodePair pair, TestCertificates certificates, String name) throws Exception {
        long before = pair.server.rejectedConnections();
        EventLoopWaiter waiter = new EventLoopWaiter();
        try (Nic thief = Nic.open(new NicContext()
                        .id(pair.client.nicId())
                        .mode(EngineMode.INVOKER)
                        .waiters(waiter));
                NettyFabric fabric = new NettyFabric(
                        thief.engine(0).endpoint(),
                        new NettyFabricContext().tls(new TlsCredentials(certificates.member(name))),
                        waiter)) {
            String port = pair.address.substring(pair.address.lastIndexOf(':') + 1, pair.address.length() - 1);
            fabric.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port)),
                    Duration.ofSeconds(20));
            pair.await(() -> {
                thief.engine(0).doWork();
                return pair.server.rejectedConnections() > before;
            });
        }
    }
}

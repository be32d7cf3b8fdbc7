package io.verbena.fabric.netty;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fabric.netty.NettyFabricTest.Peer;
import io.verbena.fabric.security.TlsCredentials;
import io.verbena.fabric.security.TlsOptions;
import io.verbena.fabric.security.TlsProvider;
import io.verbena.nic.port.Link;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What the tests of TLS have in common. */
final class TlsPeers {
    static final Duration LONG = Duration.ofSeconds(20);

    private TlsPeers() {}

    static NettyFabricContext with(TlsOptions tls) {
        return NettyFabricTest.quick().helloTimeout(LONG).tls(new TlsCredentials(tls));
    }

    static InetSocketAddress any() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    static Link connect(Peer from, InetSocketAddress address) throws Exception {
        return from.fabric.connect(address, LONG).get(20, TimeUnit.SECONDS);
    }

    static void assumePresent(TlsProvider provider) {
        assumeTrue(provider != TlsProvider.BORINGSSL || TlsProvider.hasBoringSsl(), "no BoringSSL on the class path");
    }
}

package io.verbena.fabric.netty;

import static io.verbena.fabric.netty.TlsPeers.any;
import static io.verbena.fabric.netty.TlsPeers.connect;
import static io.verbena.fabric.netty.TlsPeers.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fabric.netty.NettyFabricTest.Peer;
import io.verbena.fabric.security.TestAuthority;
import io.verbena.fabric.security.TlsOptions;
import io.verbena.nic.port.Link;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files of certificates, keys and trust: those that change, and those that cannot be used. */
@Timeout(180)
class TlsReloadTest {
    @TempDir
    Path directory;

    private TestAuthority authority;

    @BeforeEach
    void makeAuthority() throws Exception {
        authority = new TestAuthority(directory, "authority");
    }

    @Test
    void filesThatChangeAreReadAgain() throws Exception {
        TlsOptions server = authority.member("b").reload(Duration.ZERO);
        try (Peer a = new Peer(
                        1, SocketTransport.best(), with(authority.member("a").verifyHost(false)));
                Peer b = new Peer(2, SocketTransport.best(), with(server))) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            NettyLink before = (NettyLink) connect(a, address);
            assertThat(before.peer().name()).isEqualTo("b");
            authority.issue(
                    "b",
                    builder -> new io.netty.pkitesting.CertificateBuilder()
                            .subject("CN=b2")
                            .addSanDnsName("b2"));
            a.fabric.giveUp(before);
            NettyLink after = (NettyLink) connect(a, address);
            assertThat(after.peer().name()).isEqualTo("b2");
            assertThat(before.state()).isEqualTo(Link.State.CLOSED);
        }
    }

    @Test
    void filesThatMakeNoPairLeaveWhatThereWas() throws Exception {
        TlsOptions server = authority.member("b").reload(Duration.ZERO);
        authority.issue("c", builder -> builder);
        try (Peer a = new Peer(1, SocketTransport.best(), with(authority.member("a")));
                Peer b = new Peer(2, SocketTransport.best(), with(server))) {
            InetSocketAddress address = (InetSocketAddress) b.fabric.listen(any());
            Files.copy(
                    authority.certificate("c"),
                    authority.certificate("b"),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            assertThat(((NettyLink) connect(a, address)).peer().name())
                    .as("half replaced")
                    .isEqualTo("b");
            Files.copy(authority.key("c"), authority.key("b"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            try (Peer other = new Peer(3, SocketTransport.best(), with(authority.member("d")))) {
                assertThat(((NettyLink) connect(other, address)).peer().name())
                        .as("replaced")
                        .isEqualTo("c");
            }
        }
    }

    @Test
    void filesThatCannotBeUsedAreNamed() throws Exception {
        TlsOptions good = authority.member("b");
        assertThat(good).isNotNull();
        authority.issue("c", builder -> builder);
        assertThatThrownBy(() -> new Peer(
                        1,
                        SocketTransport.best(),
                        with(new TlsOptions(authority.certificate("b"), authority.key("c"), authority.trust()))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("c.key.pem is not the key of the certificate in ");
        assertThatThrownBy(() -> new Peer(
                        1,
                        SocketTransport.best(),
                        with(new TlsOptions(directory.resolve("none.pem"), authority.key("b"), authority.trust()))))
                .hasMessageContaining("there is no file")
                .hasMessageContaining("none.pem");
        Path empty = Files.writeString(directory.resolve("empty.pem"), "");
        assertThatThrownBy(() -> new Peer(
                        1,
                        SocketTransport.best(),
                        with(new TlsOptions(authority.certificate("b"), authority.key("b"), empty))))
                .hasMessageContaining("empty.pem holds no PEM certificate");
        assertThatThrownBy(() -> new Peer(
                        1,
                        SocketTransport.best(),
                        with(new TlsOptions(authority.certificate("b"), authority.trust(), authority.trust()))))
                .hasMessageContaining("holds no private key as PKCS #8");
    }
}

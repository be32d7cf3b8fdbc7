package io.verbena.fabric.security;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.UnaryOperator;

/** A certificate authority of a test, which writes PEM files. */
public final class TestAuthority {
    private final Path directory;
    private final X509Bundle own;
    private final Path trust;

    public TestAuthority(Path directory, String name) throws Exception {
        this.directory = directory;
        this.own = new CertificateBuilder()
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .notAfter(Instant.now().plus(1, ChronoUnit.DAYS))
                .buildSelfSigned();
        this.trust = Files.writeString(directory.resolve(name + ".pem"), own.getCertificatePEM());
    }

    /** What trusts it. */
    public Path trust() {
        return trust;
    }

    /** A member for 127.0.0.1 with a name of its own, who trusts this authority. */
    public TlsOptions member(String name) throws Exception {
        return member(name, builder -> builder);
    }

    public TlsOptions member(String name, UnaryOperator<CertificateBuilder> more) throws Exception {
        issue(name, more);
        return new TlsOptions(certificate(name), key(name), trust);
    }

    /** Writes the files of a member, over those that there are; returns what they hold. */
    public X509Bundle issue(String name, UnaryOperator<CertificateBuilder> more) throws Exception {
        X509Bundle bundle = more.apply(new CertificateBuilder()
                        .subject("CN=" + name)
                        .addSanDnsName(name)
                        .addSanDnsName("localhost")
                        .addSanIpAddress("127.0.0.1"))
                .buildIssuedBy(own);
        write(certificate(name), bundle.getCertificatePathPEM());
        write(key(name), bundle.getPrivateKeyPEM());
        return bundle;
    }

    public Path certificate(String name) {
        return directory.resolve(name + ".crt.pem");
    }

    public Path key(String name) {
        return directory.resolve(name + ".key.pem");
    }

    private static void write(Path file, String text) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, text);
        Files.move(
                fresh,
                file,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING,
                java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }
}

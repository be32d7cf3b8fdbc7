package io.verbena;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.verbena.fabric.security.TlsOptions;
import java.nio.file.Files;
import java.nio.file.Path;

/** A certificate authority of a test, whose members listen on 127.0.0.1. */
final class TestCertificates {
    private final Path directory;
    private final X509Bundle authority;
    private final Path trust;

    TestCertificates(Path directory) throws Exception {
        this.directory = directory;
        this.authority = new CertificateBuilder()
                .subject("CN=authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        this.trust = Files.writeString(directory.resolve("authority.pem"), authority.getCertificatePEM());
    }

    TlsOptions member(String name) throws Exception {
        X509Bundle bundle = new CertificateBuilder()
                .subject("CN=" + name)
                .addSanDnsName(name)
                .addSanDnsName("localhost")
                .addSanIpAddress("127.0.0.1")
                .buildIssuedBy(authority);
        return new TlsOptions(
                Files.writeString(directory.resolve(name + ".pem"), bundle.getCertificatePathPEM()),
                Files.writeString(directory.resolve(name + ".key"), bundle.getPrivateKeyPEM()),
                trust);
    }
}

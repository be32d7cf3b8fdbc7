package io.verbena.fabric.security;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Reads PEM files; what is wrong is said with the file's name. Stateless. */
final class Pem {
    private static final long MAX_LENGTH = 1 << 20;
    private static final String BEGIN_KEY = "-----BEGIN PRIVATE KEY-----";
    private static final String END_KEY = "-----END PRIVATE KEY-----";

    private Pem() {}

    static X509Certificate[] certificates(Path file) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Certificate certificate : factory.generateCertificates(new ByteArrayInputStream(read(file)))) {
                certificates.add((X509Certificate) certificate);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " holds no PEM certificates: " + e.getMessage(), e);
        }
        if (certificates.isEmpty()) {
            throw new IOException(file + " holds no PEM certificate (BEGIN CERTIFICATE)");
        }
        return certificates.toArray(new X509Certificate[0]);
    }

    /** The private key of a file, which is of the kind that a certificate has. */
    static PrivateKey privateKey(Path file, X509Certificate certificate) throws IOException {
        String text = new String(read(file), StandardCharsets.US_ASCII);
        int begin = text.indexOf(BEGIN_KEY);
        int end = text.indexOf(END_KEY);
        if (begin < 0 || end < begin) {
            throw new IOException(file + " holds no private key as PKCS #8 without a password (BEGIN PRIVATE KEY);"
                    + " convert it with: openssl pkcs8 -topk8 -nocrypt -in <key> -out <new file>");
        }
        String algorithm = certificate.getPublicKey().getAlgorithm();
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(text.substring(begin + BEGIN_KEY.length(), end));
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(
                    file + " holds no " + algorithm + " key, which its certificate has: " + e.getMessage(), e);
        }
    }

    private static byte[] read(Path file) throws IOException {
        long length = Files.size(file);
        if (length > MAX_LENGTH) {
            throw new IOException(file + " has " + length + " bytes > maximum " + MAX_LENGTH);
        }
        return Files.readAllBytes(file);
    }
}

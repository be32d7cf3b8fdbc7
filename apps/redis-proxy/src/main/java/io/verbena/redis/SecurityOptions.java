package io.verbena.redis;

import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Options of commands that are reached over a network, or reach others: mutual TLS by PEM files, or a secret that
 * stands in a file. For picocli's {@code @Mixin}.
 */
public final class SecurityOptions {
    /** TLS alone, for what has no secret. */
    public static final class Tls {
        @Option(
                names = "--tls-certificate",
                paramLabel = "FILE",
                description =
                        "Speak TLS 1.3 and nothing else: PEM of the certificate to show, and the intermediate ones.")
        private @Nullable Path certificate;

        @Option(names = "--tls-key", paramLabel = "FILE", description = "PEM of its key, PKCS #8 without a password.")
        private @Nullable Path key;

        @Option(
                names = "--tls-trust",
                paramLabel = "FILE",
                description = "PEM of the authorities whose certificates peers have to show.")
        private @Nullable Path trust;

        /**
         * What was given, or null if nothing was.
         *
         * @throws IllegalArgumentException if a part is missing; says which
         */
        public @Nullable TlsOptions options() {
            Path own = certificate;
            Path secret = key;
            Path trusted = trust;
            if (own == null && secret == null && trusted == null) {
                return null;
            }
            if (own == null || secret == null || trusted == null) {
                throw new IllegalArgumentException("TLS needs --tls-certificate, --tls-key and --tls-trust; missing: "
                        + (own == null ? "--tls-certificate" : secret == null ? "--tls-key" : "--tls-trust"));
            }
            return new TlsOptions(own, secret, trusted);
        }
    }

    @Mixin
    private final Tls tls = new Tls();

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "File with a secret that both sides know, of mode 0600; what follows is in clear on tcp.")
    private @Nullable Path secretFile;

    /** TLS as given, or null. */
    public @Nullable TlsOptions tls() {
        return tls.options();
    }

    /**
     * The secret, or null if no file was given.
     *
     * @throws IllegalArgumentException if the file cannot be used; says why
     */
    public @Nullable SharedSecret secret() {
        return secretFile == null ? null : SharedSecret.read(secretFile);
    }
}

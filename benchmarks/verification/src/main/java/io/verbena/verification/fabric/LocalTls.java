package io.verbena.verification.fabric;

import io.verbena.fabric.security.TlsCredentials;
import io.verbena.fabric.security.TlsOptions;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;

/**
 * What both ends of a link on this machine show each other over TLS: one certificate, whose key is no secret, since it
 * lies beside this class. For tests and measurements alone.
 */
public final class LocalTls {
    private static final Duration NEVER = Duration.ofDays(365);

    private LocalTls() {}

    /** The credentials, for any end on this machine. */
    public static TlsCredentials credentials() {
        return with(TlsCredentials::new);
    }

    /**
     * Uses options that lead to them.
     *
     * @param use reads the files, which are gone when this returns
     */
    public static <T> T with(Function<TlsOptions, T> use) {
        try {
            Path directory = Files.createTempDirectory("verbena-bench-tls");
            try {
                Path certificate = copy(directory, "tls.pem");
                Path key = copy(directory, "tls.key");
                return use.apply(new TlsOptions(certificate, key, certificate).reload(NEVER));
            } finally {
                for (String name : new String[] {"tls.pem", "tls.key"}) {
                    Files.deleteIfExists(directory.resolve(name));
                }
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new RunException("cannot put the benchmark's certificate on disk: " + e.getMessage(), e);
        }
    }

    private static Path copy(Path directory, String name) throws IOException {
        Path file = directory.resolve(name);
        try (InputStream in = LocalTls.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("no resource " + name);
            }
            Files.copy(in, file);
        }
        return file;
    }
}

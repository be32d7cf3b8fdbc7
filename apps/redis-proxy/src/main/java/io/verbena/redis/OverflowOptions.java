package io.verbena.redis;

import io.verbena.fabric.security.TlsOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of what is moved to donors. For picocli's {@code @Mixin}. */
final class OverflowOptions {
    @Option(
            names = "--overflow-peers",
            paramLabel = "ADDRESS,...",
            description = "Donors (verbena donate) to which values are moved that do not fit in maxmemory.")
    private @Nullable String peers;

    @Option(
            names = "--overflow-memory",
            paramLabel = "BYTES",
            description = "How much is moved at most: 4gb; with two replicas the donors have to lend twice as much.")
    private @Nullable String memory;

    @Option(names = "--overflow-replicas", paramLabel = "N", description = "Donors that have each string, 1 or 2 (1).")
    private @Nullable Integer replicas;

    @Option(
            names = "--overflow-resident",
            paramLabel = "BYTES",
            description = "Memory beside maxmemory by which values come and go (64mb).")
    private @Nullable String resident;

    @Option(
            names = "--overflow-timeout",
            paramLabel = "SECONDS",
            description = "How long a command waits for a string before it fails (15).")
    private @Nullable Integer timeout;

    @Option(
            names = "--overflow-secret-file",
            paramLabel = "FILE",
            description = "File with the secret that the donors know, of mode 0600.")
    private @Nullable Path secret;

    @Option(
            names = "--overflow-tls",
            arity = "3",
            paramLabel = "FILE",
            description = "Speak TLS to the donors: PEM of the certificate to show, of its key, and of whom to trust.")
    private Path @Nullable [] tls;

    /** Takes over what was given. */
    void apply(OverflowContext context) {
        if (peers != null) {
            context.peers(peers);
        }
        if (memory != null) {
            context.memory(memory);
        }
        if (replicas != null) {
            context.replicas(replicas);
        }
        if (resident != null) {
            context.resident(resident);
        }
        if (timeout != null) {
            context.timeoutSeconds(timeout);
        }
        if (secret != null) {
            context.secretFile(secret);
        }
        if (tls != null) {
            context.tls(new TlsOptions(tls[0], tls[1], tls[2]));
        }
    }
}

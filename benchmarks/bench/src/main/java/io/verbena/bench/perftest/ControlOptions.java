package io.verbena.bench.perftest;

import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsCredentials;
import io.verbena.fabric.security.TlsOptions;
import io.verbena.fabric.security.TlsSockets;
import io.verbena.redis.SecurityOptions;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.LinkSecurity;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of {@code verbena perftest}: where its two sides meet, and how each proves who it is. For {@code @Mixin}. */
final class ControlOptions {
    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            description = "TCP port of the control connection; default ${DEFAULT-VALUE}; server: 0 takes a free one.")
    int port = 18515;

    @Option(
            names = "--bind",
            paramLabel = "<address>",
            description = "Address the server listens on; default ${DEFAULT-VALUE}.")
    String bind = "127.0.0.1";

    @Option(names = "--insecure", description = "Listen beyond this machine, in clear and for anybody.")
    boolean insecure;

    @Mixin
    private final SecurityOptions security = new SecurityOptions();

    /**
     * Where the server listens.
     *
     * @param links how the fabric's links are secured
     * @throws RunException if the address is unknown, or reached from other machines without protection
     */
    InetAddress address(LinkSecurity links) {
        InetAddress address;
        try {
            address = InetAddress.getByName(bind);
        } catch (UnknownHostException e) {
            throw new RunException("cannot listen on " + bind + ": unknown host", e);
        }
        if (!insecure && !links.isOn() && !address.isLoopbackAddress()) {
            throw new RunException(bind + " is reached from other machines, in clear and by anybody; give it"
                    + " --tls-certificate, --tls-key and --tls-trust, or --secret-file, "
                    + "or add --insecure if that is wanted");
        }
        return address;
    }

    /**
     * What proves who the peer is on a fabric's links.
     *
     * @throws RunException if what was given is not for that fabric, or cannot be used
     */
    LinkSecurity linkSecurity(FabricKind kind) {
        try {
            TlsOptions tls = security.tls();
            SharedSecret secret = security.secret();
            boolean isTcp = kind == FabricKind.TCP;
            if ((tls != null && !isTcp) || (secret != null && !isTcp && kind != FabricKind.UDS)) {
                throw new RunException((tls != null ? "TLS is for --fabric tcp" : "a secret is for --fabric tcp or uds")
                        + ", not for " + kind.optionName());
            }
            return new LinkSecurity(tls == null ? null : new TlsCredentials(tls), secret);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new RunException(String.valueOf(e.getMessage()), e);
        }
    }

    /** What the control connection speaks. */
    @Nullable
    TlsSockets tls() {
        TlsOptions options = security.tls();
        return options == null ? null : new TlsSockets(options);
    }
}

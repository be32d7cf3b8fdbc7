package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.unix.DomainSocketChannel;
import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.ListenException;
import io.verbena.fabric.security.LocalUser;
import io.verbena.fabric.security.SecretHandshake;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsCredentials;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may connect to a fabric, and how it shows who it is: TLS, a shared secret, and on Unix-domain sockets the user
 * that the kernel names.
 *
 * <p>Thread-safe.
 */
final class ConnectionSecurity {
    private static final Logger LOG = LoggerFactory.getLogger(NettyFabric.class);

    private final NettyFabricContext context;
    private final long nicId;
    private volatile boolean saidInsecure;

    ConnectionSecurity(NettyFabricContext context, long nicId) {
        this.context = context;
        this.nicId = nicId;
    }

    /**
     * Nobody beyond this machine is let in without a proof of who it is, unless that was asked for.
     *
     * @throws ListenException if an address is reached from other machines, and nothing secures it
     */
    void checkListening(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)
                || context.tls() != null
                || context.secret() != null
                || (inet.getAddress() != null && inet.getAddress().isLoopbackAddress())) {
            return;
        }
        if (!context.insecure()) {
            throw new ListenException(
                    "cannot listen on " + address
                            + ": it is reached from other machines, in clear and by anybody; set tls or"
                            + " secret, or insecure(true) if everybody on that network is trusted",
                    null);
        }
        if (!saidInsecure) {
            saidInsecure = true;
            LOG.warn("listening on {} in clear, and for anybody who reaches it, because insecure is set", address);
        }
    }

    /**
     * Puts on a new connection what finds out who the peer is.
     *
     * @param to whom this side has called, or null if it was called
     * @return whether it encrypts
     */
    boolean install(Channel channel, @Nullable SocketAddress to) {
        TlsCredentials used = context.tls();
        boolean domain = isDomain(channel);
        SharedSecret secret = context.secret();
        if (secret != null && (domain || used == null)) {
            SecretHandshake.install(channel, secret, domain ? "uds" : "tcp", nicId, to != null);
        }
        if (used == null || domain) {
            return false;
        }
        TlsHandshake.install(channel, used, (InetSocketAddress) to);
        return true;
    }

    /** An outcome that takes hellos only of the NIC and the user that a connection has shown to be. */
    HelloHandler.Outcome checked(HelloHandler.Outcome next) {
        return new Checked(next);
    }

    private static boolean isDomain(Channel channel) {
        return channel instanceof DomainSocketChannel || channel instanceof NioDomainSocketChannel;
    }

    private final class Checked implements HelloHandler.Outcome {
        private final HelloHandler.Outcome next;

        Checked(HelloHandler.Outcome next) {
            this.next = next;
        }

        @Override
        public @Nullable String onHello(Channel channel, UnsafeBuffer hello) {
            String defect = SecretHandshake.nicDefect(channel, HelloFlyweight.nicId(hello));
            if (defect == null && isDomain(channel)) {
                defect = LocalUser.defect(channel, context.allowedUsers());
            }
            return defect == null ? next.onHello(channel, hello) : defect;
        }

        @Override
        public void onRefused(Channel channel, String reason) {
            next.onRefused(channel, reason);
        }
    }
}

package io.verbena.verification.fabric;

import io.netty.channel.unix.DomainSocketAddress;
import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.netty.NettyFabric;
import io.verbena.fabric.netty.NettyFabricContext;
import io.verbena.fabric.netty.SocketTransport;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsCredentials;
import io.verbena.nic.NicContext;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.verification.RunException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** TCP or Unix-domain sockets. */
final class SocketNodeFabric extends ListeningFabric<NettyFabric> {
    static final String NIO = "NIO";
    static final String IO_URING = "IO_URING";

    private final boolean domain;
    private final EventLoopWaiter waiter;
    private final LinkSecurity security;

    SocketNodeFabric(SocketTransport transport, boolean domain) {
        this(transport, domain, LinkSecurity.NONE);
    }

    SocketNodeFabric(SocketTransport transport, boolean domain, LinkSecurity security) {
        this.domain = domain;
        this.security = security;
        this.waiter = new EventLoopWaiter(transport);
    }

    /** Why this machine, or this build, does not have a transport; null if it does. */
    static @Nullable String unavailable(String transport) {
        SocketTransport found = find(transport);
        if (found == null) {
            return "no transport " + transport + " in this build";
        }
        return found.isAvailable() ? null : "transport " + transport + " is not available on this machine";
    }

    /** A transport that is to be had. */
    static SocketTransport transport(String name) {
        SocketTransport found = find(name);
        if (found == null || !found.isAvailable()) {
            throw new RunException(String.valueOf(unavailable(name)));
        }
        return found;
    }

    private static @Nullable SocketTransport find(String name) {
        for (SocketTransport each : SocketTransport.values()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    @Override
    public NicContext configure(NicContext context) {
        return context.waiters(waiter);
    }

    @Override
    public void bind(LinkEndpoint endpoint) {
        NettyFabricContext context = new NettyFabricContext().insecure(true); // it listens where it is told to
        TlsCredentials tls = security.tls();
        if (tls != null) {
            context.tls(tls);
        }
        SharedSecret secret = security.secret();
        if (secret != null) {
            context.secret(secret);
        }
        fabric = new NettyFabric(endpoint, context, waiter);
    }

    @Override
    public String listen(InetAddress local) {
        if (domain) {
            SocketDirectory made = newDirectory();
            bound().listen(new DomainSocketAddress(made.socket().toString()));
            return made.socket().toString();
        }
        SocketAddress address = bound().listen(new InetSocketAddress(local, 0));
        return String.valueOf(((InetSocketAddress) address).getPort());
    }

    @Override
    public void connect(InetAddress host, String address, long timeoutNanos) {
        SocketAddress target =
                domain ? new DomainSocketAddress(address) : new InetSocketAddress(host, Integer.parseInt(address));
        connecting = bound().connect(target, Duration.ofNanos(timeoutNanos));
    }

    @Override
    void end(NettyFabric made) {
        made.close();
    }
}

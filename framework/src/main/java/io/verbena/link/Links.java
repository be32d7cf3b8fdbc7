package io.verbena.link;

import io.verbena.Address;
import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.netty.NettyFabric;
import io.verbena.fabric.netty.NettyFabricContext;
import io.verbena.fabric.security.AuthenticatedLink;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsCredentials;
import io.verbena.fabric.shm.LocalFabric;
import io.verbena.fabric.shm.PacketRingDescriptor;
import io.verbena.fabric.shm.SharedMemoryContext;
import io.verbena.fabric.shm.SharedMemoryFabric;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.LinkListener;
import io.verbena.nic.port.LogRateLimiter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's links to other processes: the fabrics behind its addresses, and one link an address however many channels
 * use it. Thread-safe.
 */
public final class Links implements LinkListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Links.class);

    private final String node;
    private final LinkListener engine;
    private final NanoClock clock;
    private final LinkEndpoint endpoint;
    private final EventLoopWaiter waiter;
    private final NodeMemory memory;
    private final LinkSettings settings;
    private final Map<Long, Link> used = new ConcurrentHashMap<>();
    private final LogRateLimiter intruders = new LogRateLimiter();
    private final Map<String, CompletableFuture<Link>> byTarget = new HashMap<>();
    private @Nullable NettyFabric sockets;
    private @Nullable SharedMemoryFabric shared;

    /**
     * Creates them, without any.
     *
     * @param node whose they are, for texts
     * @param clock by which the log is kept short
     * @param own end of links, which these come to by way of this
     */
    public Links(
            String node,
            NanoClock clock,
            LinkEndpoint own,
            EventLoopWaiter waiter,
            NodeMemory memory,
            LinkSettings settings) {
        this.node = node;
        this.memory = memory;
        this.settings = settings;
        this.engine = own.listener();
        this.clock = clock;
        this.waiter = waiter;
        this.endpoint = new LinkEndpoint(own.nicId(), own.engine(), own.waiter(), own.memory(), this);
    }

    @Override
    public void onLink(Link link) {
        Link before = used.get(link.peerNic());
        if (before != null && isAnother(before, link)) {
            engine.onRejected(link.toString(), "its NIC is that of another peer, " + peerOf(before));
            long leftOut = intruders.ask(clock.nanoTime());
            if (leftOut >= 0) {
                LOG.warn(
                        "{}: {} closed: its NIC id belongs to {}, and this is {}; {} such lines left out",
                        node,
                        link,
                        peerOf(before),
                        peerOf(link),
                        leftOut);
            }
            link.close();
            return;
        }
        used.merge(link.peerNic(), link, Links::better);
        LOG.info("{}: {}", node, link);
        engine.onLink(link);
    }

    /** The link that the engine uses: one that is up stays, unless the other gives access to the peer's memory. */
    private static Link better(Link before, Link now) {
        return before.state() == Link.State.UP && now.peerMemory() == null ? before : now;
    }

    /** Whether certificates say that two links of one NIC id are of different peers. */
    private static boolean isAnother(Link before, Link now) {
        PeerIdentity a = peerOf(before);
        PeerIdentity b = peerOf(now);
        return a.proof() == PeerIdentity.Proof.CERTIFICATE
                && b.proof() == PeerIdentity.Proof.CERTIFICATE
                && !a.name().equals(b.name());
    }

    private static PeerIdentity peerOf(Link link) {
        return link instanceof AuthenticatedLink known ? known.peer() : PeerIdentity.ANONYMOUS;
    }

    /** Who a NIC belongs to, as the link to it has proven; null if there was none. */
    @Nullable
    public PeerIdentity peer(long nicId) {
        Link link = used.get(nicId);
        return link == null ? null : peerOf(link);
    }

    /** Whether the link to a NIC is up. */
    public boolean isUp(long nicId) {
        Link link = used.get(nicId);
        return link != null && link.state() == Link.State.UP;
    }

    @Override
    public void onPeerDied(Link link) {
        LOG.info("{}: {}, whose process is gone", node, link);
        engine.onPeerDied(link);
    }

    @Override
    public void onRejected(String remote, String reason) {
        engine.onRejected(remote, reason);
    }

    private synchronized NettyFabric sockets() {
        NettyFabric fabric = sockets;
        if (fabric == null) {
            NettyFabricContext context = new NettyFabricContext()
                    .allowedUsers(settings.allowedUsers())
                    .insecure(settings.insecure());
            SharedSecret secret = settings.secret();
            if (secret != null) {
                context.secret(secret);
            }
            TlsCredentials tls = settings.tls();
            if (tls != null) {
                context.tls(tls);
            }
            fabric = new NettyFabric(endpoint, context, waiter);
            sockets = fabric;
        }
        return fabric;
    }

    private synchronized SharedMemoryFabric shared(Address address) {
        SharedMemoryFabric fabric = shared;
        if (fabric == null) {
            memory.share(address);
            SharedMemoryContext context = new SharedMemoryContext()
                    .ringLength(settings.ringLength())
                    .maxPacket(maxPacket(settings.ringLength()));
            SharedSecret secret = settings.secret();
            if (secret != null) {
                context.secret(secret);
            }
            fabric = new SharedMemoryFabric(endpoint, context, waiter);
            shared = fabric;
        }
        return fabric;
    }

    /** Where the nodes of this user that share memory meet. */
    private Path rendezvous(Address address) {
        return memory.share(address).directory().resolveSibling(address.target() + ".sock");
    }

    /** Listens. @return the address as bound */
    public Address listen(Address address) {
        if (address.scheme() == Address.Scheme.SHM) {
            shared(address).listen(rendezvous(address));
            return address;
        }
        SocketAddress bound = sockets().listen(socketAddress(address));
        if (bound instanceof InetSocketAddress inet) {
            String host = address.target().substring(0, address.target().lastIndexOf(':'));
            return new Address(address.scheme(), host + ":" + inet.getPort(), null);
        }
        return address;
    }

    /** The link to an address: the one that is up, or a new one. */
    public synchronized CompletableFuture<Link> connect(Address address, Duration timeout) {
        String target = address.scheme() + address.target();
        CompletableFuture<Link> known = byTarget.get(target);
        if (known != null && !known.isDone()) {
            return known;
        }
        if (known != null && !known.isCompletedExceptionally()) {
            Link first = known.join();
            Link link = used.getOrDefault(first.peerNic(), first);
            if (link.state() == Link.State.UP) {
                return CompletableFuture.completedFuture(link);
            }
            giveUp(link); // its peer may be gone for good; whoever listens there now is asked
            giveUp(first);
        }
        CompletableFuture<Link> made = address.scheme() == Address.Scheme.SHM
                ? shared(address).connect(rendezvous(address), timeout)
                : sockets().connect(socketAddress(address), timeout);
        byTarget.put(target, made);
        return made;
    }

    /** A peer has no link any more and is not waited for: what leads to it is forgotten, and not brought back. */
    public void forget(long peerNic) {
        Link last = used.get(peerNic);
        if (last == null || last.state() == Link.State.UP) {
            return;
        }
        synchronized (this) {
            used.remove(peerNic, last);
            byTarget.values().removeIf(made -> isOver(made, peerNic));
        }
        giveUp(last);
    }

    private static boolean isOver(CompletableFuture<Link> made, long peerNic) {
        return made.isDone() && !made.isCompletedExceptionally() && made.join().peerNic() == peerNic;
    }

    private void giveUp(Link link) {
        NettyFabric fabric = sockets;
        if (fabric == null) {
            link.close();
        } else {
            fabric.giveUp(link);
        }
    }

    private static SocketAddress socketAddress(Address address) {
        return address.scheme() == Address.Scheme.TCP
                ? inetAddress(address.target())
                : UnixDomainSocketAddress.of(address.target());
    }

    /** A checked {@code host:port}; the host of IPv6 is in brackets. */
    private static InetSocketAddress inetAddress(String target) {
        int colon = target.lastIndexOf(':');
        String host = target.substring(0, colon);
        boolean brackets = host.startsWith("[") && host.endsWith("]");
        return new InetSocketAddress(
                brackets ? host.substring(1, host.length() - 1) : host, Integer.parseInt(target.substring(colon + 1)));
    }

    /** The largest packet of which four fit into a ring. */
    public static int maxPacket(int ringLength) {
        return Math.min(LocalFabric.DEFAULT_MAX_PACKET, (ringLength >> 2) - PacketRingDescriptor.RECORD_HEADER_LENGTH);
    }

    @Override
    public synchronized void close() {
        if (sockets != null) {
            sockets.close();
        }
        if (shared != null) {
            shared.close();
        }
    }

    @Override
    public String toString() {
        return node;
    }
}

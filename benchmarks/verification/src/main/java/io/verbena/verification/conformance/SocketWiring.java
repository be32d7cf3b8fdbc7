package io.verbena.verification.conformance;

import io.netty.channel.unix.DomainSocketAddress;
import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.netty.NettyFabric;
import io.verbena.fabric.netty.NettyFabricContext;
import io.verbena.nic.NicContext;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.verification.fabric.SocketDirectory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sockets: TCP on the loopback interface, or Unix-domain. A broken one is connected again by the fabric itself. */
final class SocketWiring extends Wiring {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final EventLoopWaiter[] waiters = {new EventLoopWaiter(), new EventLoopWaiter()};
    private final List<NettyFabric> fabrics = new ArrayList<>();
    private final @Nullable SocketDirectory directory;

    SocketWiring(boolean domain) {
        directory = domain ? new SocketDirectory() : null;
    }

    @Override
    NicContext configure(int side, long nicId, NicContext context) {
        return context.waiters(waiters[side]);
    }

    @Override
    void connect(LinkEndpoint a, LinkEndpoint b) {
        NettyFabricContext context =
                new NettyFabricContext().reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(5));
        NettyFabric fabricA = new NettyFabric(a, context, waiters[0]);
        NettyFabric fabricB = new NettyFabric(b, context, waiters[1]);
        fabrics.add(fabricA);
        fabrics.add(fabricB);
        SocketDirectory made = directory;
        SocketAddress address = fabricB.listen(
                made == null
                        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)
                        : new DomainSocketAddress(made.socket().toString()));
        fabricA.connect(address, TIMEOUT);
    }

    @Override
    boolean canBreak() {
        return true;
    }

    @Override
    void drive(int side) {
        waiters[side].poll();
    }

    @Override
    void kill(int side) {
        fabrics.get(side).close();
    }

    @Override
    public void close() {
        fabrics.forEach(NettyFabric::close);
        SocketDirectory made = directory;
        if (made != null) {
            made.close();
        }
    }
}

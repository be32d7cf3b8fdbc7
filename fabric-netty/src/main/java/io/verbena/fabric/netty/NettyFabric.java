package io.verbena.fabric.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.verbena.fabric.FabricCounters;
import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.ListenException;
import io.verbena.fabric.Nanos;
import io.verbena.fabric.PeerProcess;
import io.verbena.fabric.RejectionLog;
import io.verbena.fabric.security.PeerAttributes;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Links to peers over TCP (IPv4 and IPv6) and Unix-domain sockets, all driven by one {@link EventLoopWaiter}.
 *
 * <p>Nothing happens on a connection but while the waiter's owner drives it. Every link, of either side, goes to the
 * endpoint's listener. A side that connected brings a broken link back, as a new link, until the link or the fabric is
 * closed.
 *
 * <p>Thread-safe.
 */
public final class NettyFabric implements AutoCloseable {
    /** Looks at a process whose link broke: a process that is killed is gone when it has given back its memory. */
    private static final int SOON_LOOKS = 50;

    private static final int SOON_MILLIS = 2;
    private static final int LATER_MILLIS = 50;
    private static final int MAX_LOOKS = SOON_LOOKS + 200;

    private final LinkEndpoint endpoint;
    private final NettyFabricContext context;
    private final EventLoopWaiter waiter;
    private final EventLoop loop;
    private final FabricCounters counters = new FabricCounters();
    private final RejectionLog rejections;
    private final ReadBuffers readBuffers;
    private final PeerLinks peers = new PeerLinks();
    private final Admission admission;
    private final ConnectionSecurity security;
    private final Set<ListeningSocket> listening = ConcurrentHashMap.newKeySet();
    private final Set<LinkDialer> connectors = ConcurrentHashMap.newKeySet();
    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private final Set<NettyLink> links = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    // Of the loop's owner.
    private @Nullable ScheduledFuture<?> stallCheck;

    /**
     * Creates a fabric.
     *
     * @param endpoint whom links are for
     * @param context settings
     * @param waiter the endpoint's waiter, which drives the sockets
     */
    public NettyFabric(LinkEndpoint endpoint, NettyFabricContext context, EventLoopWaiter waiter) {
        this.endpoint = endpoint;
        this.context = context;
        this.waiter = waiter;
        this.loop = waiter.loop();
        this.rejections = new RejectionLog(counters, endpoint.listener());
        this.admission = new Admission(context.maxConnections());
        this.security = new ConnectionSecurity(context, endpoint.nicId());
        this.readBuffers = new ReadBuffers(
                2 * context.maxReceiveBuffer(),
                FrameFlyweight.frameLength(context.maxPacket()),
                new ReceiveBudget(context.receiveBudget()));
    }

    /** Whom links are for, as the log names it. */
    @Override
    public String toString() {
        return endpoint.listener().toString();
    }

    /** What has happened to the connections. */
    public FabricCounters counters() {
        return counters;
    }

    /**
     * Listens; connections are accepted once the waiter is driven.
     *
     * @param address TCP (port 0: any free one) or Unix-domain
     * @return the address as bound
     * @throws ListenException if it is not available, with the reason and the remedy in one line; also if it is reached
     *     from other machines without {@link NettyFabricContext#tls} or {@link NettyFabricContext#secret}
     */
    public SocketAddress listen(SocketAddress address) {
        checkOpen();
        security.checkListening(address);
        ListeningSocket socket = ListeningSocket.bind(
                waiter.transport(),
                address,
                context.backlog(),
                context.allowedUsers().isEmpty());
        ServerBootstrap bootstrap = new ServerBootstrap().childHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                accepted(channel);
            }
        });
        if (!socket.isDomain()) {
            bootstrap.childOption(ChannelOption.TCP_NODELAY, true).childOption(ChannelOption.SO_KEEPALIVE, true);
        }
        waiter.transport().limitUnsent(bootstrap, socket.isDomain(), context.notSentLowWater());
        listening.add(socket);
        waiter.track(socket.channel());
        socket.accept(bootstrap, loop);
        if (closed) {
            socket.close();
        }
        return socket.address();
    }

    /**
     * Connects, and keeps the connection up from then on.
     *
     * @param address TCP or Unix-domain
     * @param timeout for the first attempt, hello included
     * @return the first link, which goes to the listener too; or fails with a {@link ConnectException} that says why
     */
    public CompletableFuture<Link> connect(SocketAddress address, Duration timeout) {
        checkOpen();
        SocketAddress target = address;
        if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
            target = new InetSocketAddress(inet.getHostString(), inet.getPort());
            if (((InetSocketAddress) target).isUnresolved()) {
                return CompletableFuture.failedFuture(new ConnectException(
                        "cannot connect to " + address + ": unknown host " + inet.getHostString()));
            }
        }
        LinkDialer connector = new LinkDialer(this, target);
        connectors.add(connector);
        CompletableFuture<Link> first = connector.start(timeout);
        if (closed) {
            connector.close();
        }
        return first;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("fabric is closed");
        }
    }

    NettyFabricContext context() {
        return context;
    }

    EventLoop loop() {
        return loop;
    }

    EventLoopWaiter waiter() {
        return waiter;
    }

    ReadBuffers readBuffers() {
        return readBuffers;
    }

    /**
     * Closes a link, and stops bringing it back if it is down. Any thread.
     *
     * @param link of this fabric; any other is merely closed
     */
    public void giveUp(Link link) {
        if (link instanceof NettyLink ours) {
            ours.giveUp();
        } else {
            link.close();
        }
    }

    /** Connections that are being made, kept, or brought back. */
    int connectors() {
        return connectors.size();
    }

    void forget(LinkDialer connector) {
        connectors.remove(connector);
    }

    /** Opens a connection for a connector. */
    ChannelFuture open(SocketAddress address, LinkDialer connector) {
        boolean domain = SocketTransport.isDomain(address);
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .disableResolver() // it is resolved; and Netty's resolvers keep every loop that they have seen
                .channelFactory(waiter.transport().channels(domain))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        Calling calling = new Calling(NettyFabric.this, connector);
                        begin(channel, calling, connector.address(), connector.helloTimeout());
                        channel.pipeline().addLast("call", new Caller(calling));
                    }
                });
        if (!domain) {
            bootstrap.option(ChannelOption.TCP_NODELAY, true).option(ChannelOption.SO_KEEPALIVE, true);
            long millis = TimeUnit.NANOSECONDS.toMillis(Nanos.of(connector.helloTimeout()));
            bootstrap.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(Integer.MAX_VALUE, millis));
        }
        waiter.transport().limitUnsent(bootstrap, domain, context.notSentLowWater());
        return bootstrap.connect(waiter.transport().address(address));
    }

    private void accepted(Channel channel) {
        counters.countAccepted();
        if (!admission.admit(channel)) {
            rejections.rejected(
                    remoteOf(channel),
                    "more than the maximum of " + context.maxConnections()
                            + " connections, all of which are used; raise maxConnections if they are wanted");
            channel.close();
            return;
        }
        begin(channel, new Answering(this), null, context.helloTimeout());
    }

    private void begin(
            Channel channel, HelloHandler.Outcome outcome, @Nullable SocketAddress to, Duration helloTimeout) {
        if (closed) {
            channel.close();
            return;
        }
        channels.add(channel);
        waiter.track(channel);
        channel.closeFuture().addListener(future -> channels.remove(channel));
        boolean encrypted = security.install(channel, to);
        HelloHandler.install(
                channel,
                0,
                helloTimeout,
                new ReceiveBufferSizer(context.maxReceiveBuffer(), readBuffers.budget()::isScarce, !encrypted),
                security.checked(outcome));
    }

    static String remoteOf(Channel channel) {
        SocketAddress remote = channel.remoteAddress();
        String name = remote == null ? "" : remote.toString();
        return name.isEmpty() ? "unnamed peer" : name;
    }

    /** This NIC's id. */
    long nicId() {
        return endpoint.nicId();
    }

    boolean isClosed() {
        return closed;
    }

    PeerLinks peers() {
        return peers;
    }

    /** How long a call is held for those of its peer. */
    long holdNanos() {
        return Nanos.of(context.helloTimeout()) / 2;
    }

    /** Says a hello; by the loop's owner. */
    void sendHello(Channel channel, int step, int features, byte[] nonce, byte @Nullable [] proof) {
        UnsafeBuffer hello = new UnsafeBuffer(new byte[HelloFlyweight.HEADER_LENGTH]);
        HelloFlyweight.encode(hello, step, endpoint.nicId(), endpoint.engine(), features, context.maxPacket(), 0, "");
        HelloFlyweight.nonce(hello, nonce);
        if (proof != null) {
            HelloFlyweight.proof(hello, proof);
        }
        channel.writeAndFlush(Unpooled.wrappedBuffer(hello.byteArray()));
    }

    /**
     * A connection is a link; by the loop's owner.
     *
     * @param peer whose only one it is; or null, if that is this NIC itself
     */
    void linkUp(
            Channel channel,
            UnsafeBuffer hello,
            PeerLinks.@Nullable Peer peer,
            LinkSecret secret,
            @Nullable LinkDialer connector) {
        NettyLink link = new NettyLink(
                this,
                channel,
                new RemoteEnd(
                        HelloFlyweight.nicId(hello),
                        remoteOf(channel),
                        HelloFlyweight.process(hello),
                        PeerAttributes.of(channel)),
                Math.min(context.maxPacket(), HelloFlyweight.maxPacket(hello)),
                connector);
        channel.pipeline().addLast("frames", new FrameHandler(link));
        links.add(link);
        counters.countLinkUp();
        watchForStalls();
        if (connector != null) {
            connector.helloDone();
        } else {
            admission.linkUp(channel, link);
        }
        if (peer != null) {
            peers.up(peer, link, secret);
        }
        endpoint.listener().onLink(link);
        if (connector != null) {
            connector.linkUp(link);
        }
        if (peer != null) {
            settle(peer);
        }
    }

    /** What becomes of calls that were held for those of their peer is known. */
    void settle(PeerLinks.Peer peer) {
        while (!peer.held.isEmpty() && (peer.link() != null || peer.answered.isEmpty())) {
            peer.held.remove(0).settled(peer.link());
        }
    }

    /** A connection was refused, or went away in its hello; by the loop's owner. */
    void rejected(Channel channel, String reason) {
        if (!closed) {
            rejections.rejected(remoteOf(channel), reason);
        }
    }

    private void watchForStalls() {
        if (stallCheck == null) {
            long nanos = Nanos.of(context.frameTimeout());
            long interval = Math.max(nanos / 4, TimeUnit.MILLISECONDS.toNanos(10));
            stallCheck = loop.scheduleWithFixedDelay(
                    () -> {
                        long now = System.nanoTime();
                        for (NettyLink link : links) {
                            link.checkStalled(now, nanos);
                        }
                        admission.expire(now, nanos);
                    },
                    interval,
                    interval,
                    TimeUnit.NANOSECONDS);
        }
    }

    /**
     * A link's connection has ended; by the loop's owner.
     *
     * @param byPeer whether the peer has made it and ended it
     */
    void linkEnded(NettyLink link, boolean byPeer) {
        links.remove(link);
        peers.down(link, byPeer);
        admission.linkEnded(link);
        counters.countLinkDown();
    }

    /**
     * A link broke whose peer is a process of this host: looks whether that is gone, for as long as a process takes to
     * end and somewhat longer; by the loop's owner.
     */
    void watch(NettyLink link, PeerProcess process, int looks) {
        if (process.isGone()) {
            endpoint.listener().onPeerDied(link);
        } else if (looks < MAX_LOOKS && !closed) {
            try {
                loop.schedule(
                        () -> watch(link, process, looks + 1),
                        looks < SOON_LOOKS ? SOON_MILLIS : LATER_MILLIS,
                        TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                // The loop is closed: nothing waits for the peer any more.
            }
        }
    }

    /**
     * Memory for receiving is used up: ends the connection whose frame has been unfinished for longest; by the baton
     * holder.
     *
     * @param asking needs memory
     * @return false if that is the one
     */
    boolean makeRoom(FrameReader asking) {
        long oldest = asking.assemblingSince();
        NettyLink last = null;
        for (NettyLink link : links) {
            long since = link.assemblingSince();
            if (since != 0 && (oldest == 0 || since - oldest < 0)) {
                oldest = since;
                last = link;
            }
        }
        if (last != null) {
            last.starve();
        }
        return last != null;
    }

    /** A peer sent what is no frame; by the loop's owner. */
    void malformed(String remote, String reason) {
        counters.countMalformedFrame();
        rejections.rejected(remote, reason);
    }

    /** A link gives its place to others, for it has been of no use; by the loop's owner. */
    void expelled(String remote, String reason) {
        counters.countExpelled();
        rejections.rejected(remote, reason);
    }

    /** A connection ended because there was no memory to receive with; by the loop's owner. */
    void starved(String remote, String reason) {
        counters.countStarved();
        rejections.rejected(remote, reason);
    }

    /**
     * Closes all links, and listens no more. Sockets are freed when the waiter is driven next, or closed. Idempotent.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        listening.forEach(ListeningSocket::close);
        connectors.forEach(LinkDialer::close);
        links.forEach(NettyLink::close);
        channels.forEach(Channel::close);
        try {
            loop.execute(() -> {
                if (stallCheck != null) {
                    stallCheck.cancel(false);
                }
            });
        } catch (RejectedExecutionException e) {
            // The loop was closed before, and its timers with it.
            return;
        }
    }

    /** Calls as soon as the connection is there. */
    private static final class Caller extends ChannelInboundHandlerAdapter {
        private final Calling calling;

        Caller(Calling calling) {
            this.calling = calling;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            calling.connected(context.channel());
            context.pipeline().remove(this);
        }
    }
}

package io.verbena.fabric.shm;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.UnixChannel;
import io.verbena.fabric.ConnectFailure;
import io.verbena.fabric.Deadline;
import io.verbena.fabric.FabricCounters;
import io.verbena.fabric.HelloFlyweight;
import io.verbena.fabric.ListenException;
import io.verbena.fabric.RejectionLog;
import io.verbena.fabric.netty.EventLoopWaiter;
import io.verbena.fabric.netty.HelloHandler;
import io.verbena.fabric.netty.ListeningSocket;
import io.verbena.fabric.netty.SocketTransport;
import io.verbena.fabric.security.LocalUser;
import io.verbena.fabric.security.SecretHandshake;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links to NICs of other processes of the same user on this host: packet rings in a mapped file, each side's memory
 * mapped by the other, and a Unix-domain socket beside them.
 *
 * <pre>
 *   connecting side                         accepting side
 *   makes the ring file
 *   hello: memory directory, ring file ───▶ credentials of the same user? versions? maps rings, control block
 *   maps control block, unlinks the file ◀── hello: memory directory
 *   link up                                 link up
 * </pre>
 *
 * <p>End of file on the socket turns a link {@link Link.State#DEAD}: the peer's process ended, or it closed the link.
 * If it ended, its directory is removed from here. There is no reconnecting: a process that comes back has new memory.
 *
 * <p>Thread-safe. Nothing happens on the sockets but while the waiter's owner drives it.
 */
public final class SharedMemoryFabric implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedMemoryFabric.class);
    private static final int RECEIVE_BUFFER = 2048;

    private final LinkEndpoint endpoint;
    private final SharedMemoryProvider memory;
    private final SharedMemoryContext context;
    private final EventLoopWaiter waiter;
    private final ManualIoEventLoop loop;
    private final FabricCounters counters = new FabricCounters();
    private final RejectionLog rejections;
    private final Set<ListeningSocket> listening = ConcurrentHashMap.newKeySet();
    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private final Set<SharedMemoryLink> links = ConcurrentHashMap.newKeySet();
    private final PeerMemoryRelease release;
    private final AtomicInteger incoming = new AtomicInteger();
    private volatile boolean closed;

    /**
     * Creates a fabric.
     *
     * @param endpoint whom links are for; its memory must be a {@link SharedMemoryProvider}
     * @param context settings
     * @param waiter the endpoint's waiter, on epoll
     * @throws IllegalArgumentException if the memory cannot be shared, or rings and packets do not fit
     * @throws IllegalStateException if the waiter is not on epoll
     */
    public SharedMemoryFabric(LinkEndpoint endpoint, SharedMemoryContext context, EventLoopWaiter waiter) {
        if (!(endpoint.memory() instanceof SharedMemoryProvider provider)) {
            throw new IllegalArgumentException("shared memory between processes needs a SharedMemoryProvider, not "
                    + endpoint.memory().getClass().getName());
        }
        if (waiter.transport() != SocketTransport.EPOLL) {
            throw new IllegalStateException("shared memory between processes needs Netty's epoll library"
                    + " (netty-transport-native-epoll for this platform) on the class "
                    + "path; use uds: or tcp: without it");
        }
        PacketRingDescriptor.checkCapacity(context.ringLength(), context.maxPacket());
        this.endpoint = endpoint;
        this.memory = provider;
        this.context = context;
        this.waiter = waiter;
        this.loop = waiter.loop();
        this.rejections = new RejectionLog(counters, endpoint.listener());
        this.release = new PeerMemoryRelease(loop, provider, links);
    }

    /** What has happened to the connections. */
    public FabricCounters counters() {
        return counters;
    }

    /**
     * Listens; connections are accepted once the waiter is driven.
     *
     * @param socket path of the socket, at most 107 characters; removed at the end
     * @throws ListenException if it is not available, with the reason and the remedy in one line
     */
    public void listen(Path socket) {
        checkOpen();
        ListeningSocket bound = ListeningSocket.bind(
                waiter.transport(), new DomainSocketAddress(socket.toString()), context.backlog(), true);
        memory.noteSocket(socket);
        listening.add(bound);
        waiter.track(bound.channel());
        ServerBootstrap bootstrap = new ServerBootstrap()
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accepted(channel);
                    }
                });
        bound.accept(bootstrap, loop);
        if (closed) {
            bound.close();
        }
    }

    private void accepted(Channel channel) {
        counters.countAccepted();
        if (incoming.incrementAndGet() > context.maxConnections()) {
            incoming.decrementAndGet();
            rejections.rejected(
                    nameOf(channel),
                    "more than the maximum of " + context.maxConnections()
                            + " connections; raise maxConnections if they are wanted");
            channel.close();
            return;
        }
        channel.closeFuture().addListener(future -> incoming.decrementAndGet());
        begin(channel, new Accepting(), context.helloTimeout(), false);
    }

    /**
     * Connects.
     *
     * @param socket path that the peer listens on
     * @param timeout for everything, hello included
     * @return the link, which goes to the listener too; or fails with a {@link ConnectException} that says why
     * @throws io.verbena.nic.port.MemoryExhaustedException if there is no room for the rings
     */
    public CompletableFuture<Link> connect(Path socket, Duration timeout) {
        checkOpen();
        RingFile rings = RingFile.create(memory.directory(), context.ringLength(), context.maxPacket());
        Connecting connecting = new Connecting(socket, rings);
        Deadline.set(
                connecting.future,
                timeout,
                () -> connecting.fail("cannot connect to " + socket + " within " + timeout.toMillis()
                        + " ms: is a node listening there, and is this node's thread running?"));
        new Bootstrap()
                .group(loop)
                .disableResolver() // there is nothing to resolve; and Netty's resolvers keep every loop that they have
                // seen
                .channelFactory(waiter.transport().channels(true))
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connecting.channel = channel;
                        begin(channel, connecting, Deadline.longer(timeout, context.helloTimeout()), true);
                        channel.pipeline().addLast("greet", new ConnectorHello(rings));
                    }
                })
                .connect(new DomainSocketAddress(socket.toString()))
                .addListener(done -> {
                    Throwable cause = done.cause();
                    if (cause != null) {
                        connecting.fail("cannot connect to " + socket + ": " + ConnectFailure.reason(cause));
                    }
                });
        return connecting.future;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("fabric is closed");
        }
    }

    private void begin(Channel channel, HelloHandler.Outcome outcome, Duration helloTimeout, boolean connecting) {
        if (closed) {
            channel.close();
            return;
        }
        channels.add(channel);
        waiter.track(channel);
        channel.closeFuture().addListener(future -> channels.remove(channel));
        SharedSecret secret = context.secret();
        if (secret != null) {
            SecretHandshake.install(channel, secret, "shm", endpoint.nicId(), connecting);
        }
        HelloHandler.install(channel, HelloFlyweight.MAX_TEXT_LENGTH, helloTimeout, RECEIVE_BUFFER, outcome);
    }

    private static String nameOf(Channel channel) {
        try {
            return channel instanceof EpollDomainSocketChannel domain && domain.isOpen()
                    ? "process " + domain.peerCredentials().pid()
                    : "unnamed process";
        } catch (IOException e) {
            return "unnamed process";
        }
    }

    private void sendHello(Channel channel, int step, int maxPacket, int ringLength, String ringFile) {
        UnsafeBuffer hello = new UnsafeBuffer(new byte[HelloFlyweight.HEADER_LENGTH + HelloFlyweight.MAX_TEXT_LENGTH]);
        int length = HelloFlyweight.encode(
                hello,
                step,
                endpoint.nicId(),
                endpoint.engine(),
                HelloFlyweight.FEATURE_DIRECT,
                maxPacket,
                ringLength,
                memory.directory() + "\0" + ringFile);
        channel.writeAndFlush(Unpooled.wrappedBuffer(hello.byteArray(), 0, length));
    }

    /** Refuses anybody but the same user, as the kernel says, and who has not proven the NIC id of its hello. */
    private static @Nullable String credentialsDefect(Channel channel, UnsafeBuffer hello) {
        String defect = SecretHandshake.nicDefect(channel, HelloFlyweight.nicId(hello));
        return defect == null ? LocalUser.defect(channel, Set.of()) : defect;
    }

    private void linkUp(Channel channel, UnsafeBuffer hello, Path directory, RingFile rings, boolean accepted)
            throws IOException {
        MappedPeerMemory peer = new MappedPeerMemory(directory);
        SharedMemoryLink side = new SharedMemoryLink(
                this, (UnixChannel) channel, HelloFlyweight.nicId(hello), nameOf(channel), peer, rings, accepted);
        channel.pipeline().addLast("doorbell", side);
        links.add(side);
        counters.countLinkUp();
        release.start();
    }

    /** A peer names files to be mapped, so it is told where they may lie. */
    private void checkNeighbour(Path directory) throws IOException {
        if (!memory.isNeighbour(directory)) {
            throw new IOException("its directory " + directory + " is not beside this side's " + memory.directory()
                    + "; use the same root for shared memory on both sides");
        }
    }

    /** What the text of a hello says: a directory, and on the connecting side a file in it. */
    private static String[] paths(UnsafeBuffer hello) {
        String text = HelloFlyweight.text(hello);
        int end = text.indexOf('\0');
        return end < 0 ? new String[] {text, ""} : new String[] {text.substring(0, end), text.substring(end + 1)};
    }

    /** The accepting side of a hello. */
    private final class Accepting implements HelloHandler.Outcome {
        @Override
        public @Nullable String onHello(Channel channel, UnsafeBuffer hello) {
            String step = HelloFlyweight.stepDefect(hello, HelloFlyweight.CALL);
            String defect = step != null ? step : credentialsDefect(channel, hello);
            if (defect != null) {
                return defect;
            }
            String[] paths = paths(hello);
            int ringLength = HelloFlyweight.ringLength(hello);
            int maxPacket = HelloFlyweight.maxPacket(hello);
            try {
                Path directory = Path.of(paths[0]);
                Path ringFile = Path.of(paths[1]);
                if (!directory.equals(ringFile.getParent())) {
                    return "ring file " + ringFile + " is not in the peer's directory " + directory;
                }
                checkNeighbour(directory);
                PacketRingDescriptor.checkCapacity(ringLength, maxPacket);
                RingFile rings = RingFile.open(ringFile, ringLength, maxPacket);
                linkUp(channel, hello, directory, rings, true);
            } catch (IOException | IllegalArgumentException e) {
                return "cannot map the peer's memory: " + e.getMessage();
            }
            sendHello(channel, HelloFlyweight.ANSWER, maxPacket, ringLength, "");
            endpoint.listener()
                    .onLink(channel.pipeline().get(SharedMemoryLink.class).link());
            return null;
        }

        @Override
        public void onRefused(Channel channel, String reason) {
            refused(channel, reason);
        }
    }

    /** The connecting side of a hello. */
    private final class Connecting implements HelloHandler.Outcome {
        private final CompletableFuture<Link> future = new CompletableFuture<>();
        private final Path socket;
        private final RingFile rings;
        private final AtomicBoolean failed = new AtomicBoolean();
        private volatile @Nullable Channel channel;

        Connecting(Path socket, RingFile rings) {
            this.socket = socket;
            this.rings = rings;
        }

        @Override
        public @Nullable String onHello(Channel from, UnsafeBuffer hello) {
            if (failed.get()) {
                return "this side has given up";
            }
            String step = HelloFlyweight.stepDefect(hello, HelloFlyweight.ANSWER);
            String defect = step != null ? step : credentialsDefect(from, hello);
            if (defect != null) {
                return defect;
            }
            try {
                Path directory = Path.of(paths(hello)[0]);
                checkNeighbour(directory);
                linkUp(from, hello, directory, rings, false);
            } catch (IOException | IllegalArgumentException e) {
                return "cannot map the peer's memory: " + e.getMessage();
            }
            rings.unlink();
            RingLink link = from.pipeline().get(SharedMemoryLink.class).link();
            endpoint.listener().onLink(link);
            future.complete(link);
            return null;
        }

        @Override
        public void onRefused(Channel from, String reason) {
            refused(from, reason);
            fail("cannot connect to " + socket + ": " + reason);
        }

        void fail(String message) {
            if (!future.isDone() && failed.compareAndSet(false, true)) {
                counters.countFailedConnect();
                rings.unlink();
                Channel open = channel;
                if (open != null) {
                    open.close();
                }
                future.completeExceptionally(new ConnectException(message));
            }
        }
    }

    private final class ConnectorHello extends ChannelInboundHandlerAdapter {
        private final RingFile rings;

        ConnectorHello(RingFile rings) {
            this.rings = rings;
        }

        @Override
        public void channelActive(ChannelHandlerContext active) {
            sendHello(
                    active.channel(),
                    HelloFlyweight.CALL,
                    context.maxPacket(),
                    context.ringLength(),
                    rings.path().toString());
            active.pipeline().remove(this);
        }
    }

    private void refused(Channel channel, String reason) {
        if (!closed) {
            rejections.rejected(nameOf(channel), reason);
        }
    }

    // ---- life and death of links -------------------------------------------------------------------------------

    /** A doorbell byte has come; by the loop's owner, who is awake, but others may sleep behind the same waiter. */
    void rung() {
        endpoint.waiter().wake();
    }

    /** A link was closed here, or its peer broke the ring; any thread. */
    void linkEnded(SharedMemoryLink side, @Nullable String fault) {
        if (links.remove(side)) {
            counters.countLinkDown();
        }
        if (fault != null) {
            counters.countMalformedFrame();
            rejections.rejected(side.link().toString(), fault);
        }
    }

    /** A peer closed or died; by the loop's owner. */
    void peerGone(SharedMemoryLink side) {
        links.remove(side);
        counters.countLinkDown();
        LOG.info("{}: {}: the peer is gone", endpoint.listener(), side.link());
        endpoint.waiter().wake();
        release.removeDeadSoon();
    }

    /**
     * Nobody here leads to a peer's memory and the rings any more: they are unmapped, off the baton while this side
     * lives.
     */
    void released(SharedMemoryLink side) {
        release.unmapAll(side, closed);
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
        links.forEach(side -> side.link().close());
        channels.forEach(Channel::close);
        release.stop();
    }
}

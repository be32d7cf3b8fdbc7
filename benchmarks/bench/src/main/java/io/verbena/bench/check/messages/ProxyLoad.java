package io.verbena.bench.check.messages;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.verbena.Channel;
import io.verbena.NodeMode;
import io.verbena.fabric.netty.SocketTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A proxy on the node's own event loop, and those who send to it by TCP: several streams on one channel. */
final class ProxyLoad implements ClientLoad {
    /** Bytes of the longest message that is sent to the proxy. */
    static final int MAX_LENGTH = 16 << 10;

    private static final Duration NAP = Duration.ofNanos(100_000);
    private static final int CONNECTIONS = 4;
    private static final int BATCH = 256 << 10;
    private static final int READ_BUFFER = 64 << 10;
    private static final long BIND_NANOS = 10_000_000_000L;

    private final Site site;
    private final SplittableRandom random;
    private final ByteBuf shared = Unpooled.directBuffer(READ_BUFFER);
    private final List<Feeder> feeders = new ArrayList<>();
    private final List<ProxyConnection> connections = new ArrayList<>(); // the loop's
    private @Nullable Channel channel;
    private @Nullable ChannelFuture listener;
    private volatile boolean broken;

    ProxyLoad(Site site) {
        this.site = site;
        this.random = site.random(7);
    }

    @Override
    public void open() {
        Channel to = site.node().connect(site.host().address(HubInbox.SINK.inbox()), Site.TIMEOUT);
        channel = to;
        Class<? extends ServerChannel> type = SocketTransport.best() == SocketTransport.EPOLL
                ? EpollServerSocketChannel.class
                : NioServerSocketChannel.class;
        ChannelFuture bound = new ServerBootstrap()
                .group(site.node().eventLoop())
                .channel(type)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(io.netty.channel.Channel socket) {
                        ProxyConnection connection = new ProxyConnection(site, to);
                        socket.config().setRecvByteBufAllocator(() -> new SharedRead(shared));
                        socket.pipeline().addLast(connection);
                        connections.add(connection);
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener = bound;
        long deadline = System.nanoTime() + BIND_NANOS;
        while (!bound.isDone() && System.nanoTime() - deadline < 0) {
            drive();
        }
        if (!bound.isSuccess()) {
            throw new IllegalStateException("the proxy does not listen", bound.cause());
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            feeders.add(new Feeder((InetSocketAddress) bound.channel().localAddress()));
        }
    }

    private void drive() {
        if (site.mode() != NodeMode.INVOKER) {
            LockSupport.parkNanos(NAP.toNanos());
        } else if (site.node().doWork() == 0) {
            site.node().await(NAP);
        }
    }

    @Override
    public int step(boolean more) {
        Channel to = channel;
        if (to == null || broken) {
            return 0;
        }
        if (!to.isConnected()) {
            broken = true;
            if (!site.host().isDisturbed()) {
                site.unexpected(to.toString(), 0, "an open channel", "closed: " + to.closeReason());
            }
            return 0;
        }
        int done = 0;
        for (Feeder feeder : feeders) {
            done += feeder.step(more);
        }
        return done;
    }

    @Override
    public boolean isSettled() {
        return broken || feeders.stream().allMatch(Feeder::isSettled);
    }

    @Override
    public void close() {
        for (Feeder feeder : feeders) {
            feeder.close();
        }
        if (listener != null) {
            listener.channel().close();
        }
        if (channel != null) {
            channel.close();
            site.tally().add(MessageTally.Count.CLOSES, 1);
        }
    }

    @Override
    public String state() {
        StringBuilder text = new StringBuilder("proxy load");
        Channel to = channel;
        if (to != null) {
            text.append(", ").append(to).append(", outstanding ").append(to.outstanding());
            text.append(", close reason ").append(to.closeReason());
        }
        for (Feeder feeder : feeders) {
            text.append("\n  ").append(feeder);
        }
        return text.toString();
    }

    /** One who sends to the proxy, without waiting. */
    private final class Feeder {
        private final int stream = site.newStream();
        private final SocketChannel socket;
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(BATCH);
        private final UnsafeBuffer view = new UnsafeBuffer(bytes);
        private long sent;
        private long arrived;

        Feeder(InetSocketAddress to) {
            bytes.limit(0);
            try {
                socket = SocketChannel.open(to); // the kernel accepts
                socket.configureBlocking(false);
            } catch (IOException e) {
                throw new IllegalStateException("cannot connect to the proxy at " + to, e);
            }
        }

        int step(boolean more) {
            long now = site.host().received(stream);
            int done = now > arrived ? 1 : 0;
            arrived = now;
            if (!bytes.hasRemaining() && more) {
                compose();
            }
            try {
                done += bytes.hasRemaining() && socket.write(bytes) > 0 ? 1 : 0;
            } catch (IOException e) {
                if (site.findings().isClean()) {
                    site.findings().report("one who sends to a proxy", e);
                }
            }
            return done;
        }

        private void compose() {
            int at = 0;
            int count = 1 + random.nextInt(2000);
            int most = random.nextInt(16) == 0 ? MAX_LENGTH : 300;
            while (count-- > 0) {
                int length = MessageContent.HEADER_LENGTH + random.nextInt(most - MessageContent.HEADER_LENGTH + 1);
                if (at + length > BATCH) {
                    break;
                }
                long identity = MessageContent.identity(HubInbox.SINK.code(), stream, sent++);
                site.content().fill(view, at, identity, length);
                at += length;
                site.tally().add(MessageTally.Count.MESSAGES, 1);
            }
            site.tally().add(MessageTally.Count.BYTES, at);
            bytes.clear().limit(at);
        }

        boolean isSettled() {
            return !bytes.hasRemaining() && arrived == sent;
        }

        void close() {
            if (!broken && site.findings().isClean()) { // a flaw ends the run before all has come
                site.host().finish(HubInbox.SINK, stream, sent);
            }
            try {
                socket.close();
            } catch (IOException e) {
                site.findings().report("one who sends to a proxy", e);
            }
        }

        @Override
        public String toString() {
            return "stream " + stream + ": composed " + sent + ", arrived " + arrived + ", unsent " + bytes.remaining();
        }
    }
}

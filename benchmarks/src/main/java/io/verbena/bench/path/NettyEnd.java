package io.verbena.bench.path;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.verbena.bench.BenchException;
import io.verbena.bench.fabric.SocketDirectory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Raw Netty on epoll, TCP or Unix-domain sockets, at its best for this: the end's thread is the event loop and spins on
 * it, a write comes from that thread, and a decoder cuts the stream into messages without copying.
 */
final class NettyEnd extends End {
    private final ManualIoEventLoop loop;
    private final @Nullable SocketDirectory directory;
    private final @Nullable Channel server;
    private final Channel channel;
    private final boolean domain;
    private @Nullable Channel accepted;
    private @Nullable Throwable failure;
    private int received;

    NettyEnd(Rendezvous rendezvous, boolean near, boolean domain, int length) {
        super(length);
        if (!Epoll.isAvailable()) {
            throw new BenchException("Netty's epoll transport is not available here");
        }
        this.domain = domain;
        loop = new ManualIoEventLoop(Thread.currentThread(), EpollIoHandler.newFactory());
        Runnable turn = loop::runNow;
        if (near) {
            directory = null;
            server = null;
            channel = await(connect(rendezvous.hear(turn)), "connection over Netty");
        } else {
            directory = domain ? new SocketDirectory() : null;
            server = await(listen(), "listening over Netty");
            rendezvous.tell(
                    domain ? socketPath() : String.valueOf(((InetSocketAddress) server.localAddress()).getPort()));
            Deadline deadline = Deadline.ofSeconds(10, "connection over Netty");
            Channel came = accepted;
            while (came == null) {
                loop.runNow();
                deadline.run();
                came = accepted;
            }
            channel = came;
        }
        rendezvous.meet(turn);
    }

    private String socketPath() {
        SocketDirectory used = directory;
        if (used == null) {
            throw new IllegalStateException("no directory of a socket");
        }
        return used.socket().toString();
    }

    private ChannelFuture connect(String address) {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(domain ? EpollDomainSocketChannel.class : EpollSocketChannel.class)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel made) {
                        made.pipeline().addLast(new Messages());
                    }
                });
        if (!domain) {
            bootstrap.option(ChannelOption.TCP_NODELAY, true);
        }
        SocketAddress target = domain
                ? new DomainSocketAddress(address)
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(address));
        return bootstrap.connect(target);
    }

    private ChannelFuture listen() {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop)
                .channel(domain ? EpollServerDomainSocketChannel.class : EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel made) {
                        made.pipeline().addLast(new Messages());
                        accepted = made;
                    }
                });
        if (!domain) {
            bootstrap.childOption(ChannelOption.TCP_NODELAY, true);
        }
        return bootstrap.bind(
                domain
                        ? new DomainSocketAddress(socketPath())
                        : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private Channel await(ChannelFuture future, String what) {
        Deadline deadline = Deadline.ofSeconds(10, what);
        while (!future.isDone()) {
            loop.runNow();
            deadline.run();
        }
        if (!future.isSuccess()) {
            throw new BenchException("no " + what + ": " + future.cause().getMessage(), future.cause());
        }
        return future.channel();
    }

    @Override
    public boolean offer(long number) {
        if (!channel.isWritable()) {
            if (!channel.isActive()) {
                throw new BenchException("the connection over Netty is closed");
            }
            loop.runNow();
            return false;
        }
        ByteBuf buffer = channel.alloc().directBuffer(length);
        buffer.writeLongLE(number).writeZero(length - Long.BYTES);
        channel.write(buffer, channel.voidPromise());
        return true;
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public int poll(int limit) {
        int before = received;
        loop.runNow();
        Throwable cause = failure;
        if (cause != null) {
            throw new BenchException(String.valueOf(cause.getMessage()), cause);
        }
        return received - before;
    }

    @Override
    public void close() {
        channel.close();
        if (server != null) {
            server.close();
        }
        loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
        Deadline deadline = Deadline.ofSeconds(10, "end of Netty's loop");
        while (!loop.isTerminated()) {
            loop.runNow();
            deadline.run();
        }
        SocketDirectory used = directory;
        if (used != null) {
            used.close();
        }
    }

    private final class Messages extends ByteToMessageDecoder {
        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
            while (in.readableBytes() >= length) {
                long number = in.getLongLE(in.readerIndex());
                in.skipBytes(length);
                received++;
                accept(number);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failure = cause;
            context.close();
        }
    }
}

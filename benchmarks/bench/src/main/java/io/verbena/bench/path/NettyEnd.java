package io.verbena.bench.path;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.DomainSocketAddress;
import io.verbena.fabric.security.TlsCredentials;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.LocalTls;
import io.verbena.verification.fabric.SocketDirectory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Raw Netty over TCP or Unix-domain sockets, at its best for this: the end's thread is the event loop and spins on it,
 * a write comes from that thread, one flush sends a batch, and a handler cuts the stream into messages without copying.
 */
final class NettyEnd extends End {
    private static final int MIN_WATER_MARK = 256 << 10;

    /** How messages are told apart and written. */
    enum Form {
        /** Their length is known; a buffer each. */
        PLAIN,
        /** Each behind its length, a buffer each. */
        FRAMED,
        /** Each behind its length, a buffer a batch. */
        BATCHED
    }

    private final NettySocket socket;
    private final @Nullable TlsCredentials credentials;
    private final ManualIoEventLoop loop;
    private final @Nullable SocketDirectory directory;
    private final @Nullable Channel server;
    private final Channel channel;
    private final NettyMessages messages;
    private final NettyCutter cutter;
    private @Nullable Channel accepted;
    private boolean inTurn;

    NettyEnd(Rendezvous rendezvous, boolean near, NettySocket socket, Form form, PathSettings settings) {
        super(settings);
        String missing = socket.unavailable();
        if (missing != null) {
            throw new RunException(missing);
        }
        this.socket = socket;
        this.credentials = socket.isEncrypted() ? LocalTls.credentials() : null;
        cutter = new NettyCutter(length, form != Form.PLAIN, this::accept);
        loop = new ManualIoEventLoop(Thread.currentThread(), socket.handlers());
        Runnable turn = loop::runNow;
        if (near) {
            directory = null;
            server = null;
            channel = await(connect(rendezvous.hear(turn)), "connection over Netty");
        } else {
            directory = socket.isDomain() ? new SocketDirectory() : null;
            server = await(listen(), "listening over Netty");
            rendezvous.tell(
                    socket.isDomain()
                            ? socketPath()
                            : String.valueOf(((InetSocketAddress) server.localAddress()).getPort()));
            WaitLimit deadline = WaitLimit.ofSeconds(10, "connection over Netty");
            Channel came = accepted;
            while (came == null) {
                loop.runNow();
                deadline.run();
                came = accepted;
            }
            channel = came;
        }
        messages = new NettyMessages(channel, length, form != Form.PLAIN, form == Form.BATCHED);
        rendezvous.meet(turn);
    }

    private String socketPath() {
        SocketDirectory used = directory;
        if (used == null) {
            throw new IllegalStateException("no directory of a socket");
        }
        return used.socket().toString();
    }

    private WriteBufferWaterMark waterMark() {
        int high = Math.max(MIN_WATER_MARK, 2 * length);
        return new WriteBufferWaterMark(high / 2, high);
    }

    private ChannelFuture connect(String address) {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channelFactory(socket.channels())
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel made) {
                        TlsCredentials used = credentials;
                        if (used != null) {
                            made.pipeline()
                                    .addLast(used.connecting(
                                            made.alloc(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
                        }
                        made.pipeline().addLast(cutter);
                    }
                });
        if (!socket.isDomain()) {
            bootstrap.option(ChannelOption.TCP_NODELAY, true);
        }
        SocketAddress target = socket.isDomain()
                ? new DomainSocketAddress(address)
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(address));
        return bootstrap.connect(target);
    }

    private ChannelFuture listen() {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop)
                .channelFactory(socket.servers())
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark())
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel made) {
                        TlsCredentials used = credentials;
                        if (used != null) {
                            made.pipeline().addLast(used.accepting(made.alloc()));
                        }
                        made.pipeline().addLast(cutter);
                        accepted = made;
                    }
                });
        if (!socket.isDomain()) {
            bootstrap.childOption(ChannelOption.TCP_NODELAY, true);
        }
        return bootstrap.bind(
                socket.isDomain()
                        ? new DomainSocketAddress(socketPath())
                        : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private Channel await(ChannelFuture future, String what) {
        WaitLimit deadline = WaitLimit.ofSeconds(10, what);
        while (!future.isDone()) {
            loop.runNow();
            deadline.run();
        }
        if (!future.isSuccess()) {
            throw new RunException("no " + what + ": " + future.cause().getMessage(), future.cause());
        }
        return future.channel();
    }

    @Override
    public boolean offer(long number) {
        // An answer within a turn goes in any case: the one who waits for it bounds how many there are.
        if (!inTurn && (!channel.isWritable() || !messages.hasRoom())) {
            turn();
            return false;
        }
        messages.write(number);
        return true;
    }

    @Override
    public void flush() {
        messages.flush();
    }

    @Override
    public boolean await(Duration longest) {
        loop.run(longest.toNanos());
        return true;
    }

    @Override
    int receive(int limit) {
        long before = taken();
        turn();
        return (int) (taken() - before);
    }

    private void turn() {
        inTurn = true;
        try {
            loop.runNow();
        } finally {
            inTurn = false;
        }
        Throwable cause = cutter.failure();
        if (cause != null) {
            throw new RunException(String.valueOf(cause.getMessage()), cause);
        }
    }

    @Override
    public void close() {
        channel.close();
        if (server != null) {
            server.close();
        }
        loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
        WaitLimit deadline = WaitLimit.ofSeconds(10, "end of Netty's loop");
        while (!loop.isTerminated()) {
            loop.runNow();
            deadline.run();
        }
        messages.close();
        SocketDirectory used = directory;
        if (used != null) {
            used.close();
        }
    }
}

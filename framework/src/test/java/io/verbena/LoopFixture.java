package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.verbena.fabric.netty.SocketTransport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** What is on the event loop of a node in the mode INVOKER beside its links, and the drive that both need. */
final class LoopFixture {
    private static final Duration NAP = Duration.ofMillis(1);

    private LoopFixture() {}

    /** Accepts plain TCP connections on a node's event loop; returns the port. */
    static int listen(Node node, Consumer<io.netty.channel.Channel> onAccepted) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(node.eventLoop())
                .channel(
                        SocketTransport.best() == SocketTransport.EPOLL
                                ? EpollServerSocketChannel.class
                                : NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<io.netty.channel.Channel>() {
                    @Override
                    protected void initChannel(io.netty.channel.Channel connection) {
                        onAccepted.accept(connection);
                    }
                });
        var bound = bootstrap.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        await(node, bound::isDone);
        return ((InetSocketAddress) bound.channel().localAddress()).getPort();
    }

    /** Drives a node until a condition holds, which it must in time. */
    static void await(Node node, BooleanSupplier condition) {
        assertThat(drive(node, condition, NodePair.TIMEOUT.toNanos()))
                .as("condition within " + NodePair.TIMEOUT)
                .isTrue();
    }

    /** Drives a node until a condition holds; returns whether it does. */
    static boolean drive(Node node, BooleanSupplier condition, long nanos) {
        long deadline = System.nanoTime() + nanos;
        while (!condition.getAsBoolean() && System.nanoTime() - deadline < 0) {
            if (node.doWork() == 0) {
                node.await(NAP);
            }
        }
        return condition.getAsBoolean();
    }
}

package io.verbena.bench.path;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import org.jspecify.annotations.Nullable;

/** Netty's transports. */
enum NettySocket {
    /** TCP on epoll. */
    EPOLL_TCP,
    /** Mutual TLS over TCP on epoll. */
    EPOLL_TLS_TCP,
    /** Unix-domain sockets on epoll. */
    EPOLL_UDS,
    /** TCP on NIO. */
    NIO_TCP,
    /** TCP on io_uring. */
    URING_TCP;

    boolean isDomain() {
        return this == EPOLL_UDS;
    }

    boolean isEncrypted() {
        return this == EPOLL_TLS_TCP;
    }

    /** Why this machine does not have it, or null if it does. */
    @Nullable
    String unavailable() {
        switch (this) {
            case NIO_TCP:
                return null;
            case URING_TCP:
                return IoUring.isAvailable()
                        ? null
                        : "Netty's io_uring is not available: " + IoUring.unavailabilityCause();
            default:
                return Epoll.isAvailable() ? null : "Netty's epoll is not available: " + Epoll.unavailabilityCause();
        }
    }

    IoHandlerFactory handlers() {
        switch (this) {
            case NIO_TCP:
                return NioIoHandler.newFactory();
            case URING_TCP:
                return IoUringIoHandler.newFactory();
            default:
                return EpollIoHandler.newFactory();
        }
    }

    ChannelFactory<Channel> channels() {
        switch (this) {
            case NIO_TCP:
                return NioSocketChannel::new;
            case URING_TCP:
                return IoUringSocketChannel::new;
            case EPOLL_UDS:
                return EpollDomainSocketChannel::new;
            default:
                return EpollSocketChannel::new;
        }
    }

    ChannelFactory<ServerChannel> servers() {
        switch (this) {
            case NIO_TCP:
                return NioServerSocketChannel::new;
            case URING_TCP:
                return IoUringServerSocketChannel::new;
            case EPOLL_UDS:
                return EpollServerDomainSocketChannel::new;
            default:
                return EpollServerSocketChannel::new;
        }
    }
}

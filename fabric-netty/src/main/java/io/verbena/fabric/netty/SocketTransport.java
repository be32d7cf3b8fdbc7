package io.verbena.fabric.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;

/** What sockets are made of: epoll on Linux, or NIO anywhere. Stateless; any thread. */
public enum SocketTransport {
    /** Linux epoll through Netty's native library. */
    EPOLL {
        @Override
        public boolean isAvailable() {
            return Epoll.isAvailable();
        }

        @Override
        public void ensureAvailable() {
            Epoll.ensureAvailability();
        }

        @Override
        LoopResources newLoopResources() {
            return new LoopResources.OfEpoll();
        }

        @Override
        public ChannelFactory<Channel> channels(boolean domain) {
            return domain ? EpollDomainSocketChannel::new : EpollSocketChannel::new;
        }

        @Override
        ServerChannel bind(SocketAddress address, int backlog, Protection protection) throws IOException {
            boolean domain = isDomain(address);
            Socket socket = domain ? Socket.newSocketDomain() : Socket.newSocketStream();
            try {
                if (!domain) {
                    socket.setReuseAddress(true);
                }
                socket.bind(address);
                protection.protect();
                socket.listen(backlog);
            } catch (IOException | RuntimeException e) {
                socket.close();
                throw e;
            }
            int descriptor = socket.intValue();
            return domain
                    ? new EpollServerDomainSocketChannel(descriptor, true)
                    : new EpollServerSocketChannel(descriptor);
        }

        @Override
        public SocketAddress address(SocketAddress address) {
            return isDomain(address) ? new DomainSocketAddress(path(address)) : address;
        }

        @Override
        void limitUnsent(Bootstrap bootstrap, boolean domain, int bytes) {
            if (domain) {
                bootstrap.option(ChannelOption.SO_SNDBUF, bytes);
            } else {
                bootstrap.option(EpollChannelOption.TCP_NOTSENT_LOWAT, (long) bytes);
            }
        }

        @Override
        void limitUnsent(ServerBootstrap bootstrap, boolean domain, int bytes) {
            if (domain) {
                bootstrap.childOption(ChannelOption.SO_SNDBUF, bytes);
            } else {
                bootstrap.childOption(EpollChannelOption.TCP_NOTSENT_LOWAT, (long) bytes);
            }
        }
    },

    /** Java's own channels. */
    NIO {
        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public void ensureAvailable() {
            // Part of the JDK.
        }

        @Override
        LoopResources newLoopResources() {
            return new LoopResources.OfNio();
        }

        @Override
        public ChannelFactory<Channel> channels(boolean domain) {
            return domain ? NioDomainSocketChannel::new : NioSocketChannel::new;
        }

        @Override
        ServerChannel bind(SocketAddress address, int backlog, Protection protection) throws IOException {
            boolean domain = isDomain(address);
            ServerSocketChannel channel =
                    domain ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open();
            try {
                channel.bind(address, backlog); // which listens, too: who is quicker is known by his credentials
                protection.protect();
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
            return domain ? new NioServerDomainSocketChannel(channel) : new NioServerSocketChannel(channel);
        }

        @Override
        public SocketAddress address(SocketAddress address) {
            return isDomain(address) ? UnixDomainSocketAddress.of(path(address)) : address;
        }

        @Override
        void limitUnsent(Bootstrap bootstrap, boolean domain, int bytes) {
            // Java has no such option; the link's own window bounds what is unsent here, the kernel's buffer the rest.
        }

        @Override
        void limitUnsent(ServerBootstrap bootstrap, boolean domain, int bytes) {
            // As above.
        }
    };

    /** Restricts who may use a socket's file, once there is one. */
    interface Protection {
        void protect() throws IOException;
    }

    /** The best that this machine has. */
    public static SocketTransport best() {
        return EPOLL.isAvailable() ? EPOLL : NIO;
    }

    /** Whether this machine has it. */
    public abstract boolean isAvailable();

    /** Throws an error that names the reason if this machine does not have it. */
    public abstract void ensureAvailable();

    /** What a new loop's I/O handler is made by. */
    abstract LoopResources newLoopResources();

    /**
     * Makes connecting channels.
     *
     * @param domain for Unix-domain sockets rather than TCP
     * @return the factory
     */
    public abstract ChannelFactory<Channel> channels(boolean domain);

    /** Makes a listening channel that is bound already, so that it needs no running loop. */
    abstract ServerChannel bind(SocketAddress address, int backlog, Protection protection) throws IOException;

    /**
     * The address in the class that this transport wants.
     *
     * @param address TCP or Unix-domain, of the JDK or of Netty
     * @return the same address
     */
    public abstract SocketAddress address(SocketAddress address);

    /** Asks the kernel to hold about so many unsent bytes of a connection; of a Unix-domain one, unread by the peer. */
    abstract void limitUnsent(Bootstrap bootstrap, boolean domain, int bytes);

    /** Asks the same for connections that are accepted. */
    abstract void limitUnsent(ServerBootstrap bootstrap, boolean domain, int bytes);

    /** Whether an address is that of a Unix-domain socket. */
    public static boolean isDomain(SocketAddress address) {
        return address instanceof DomainSocketAddress || address instanceof UnixDomainSocketAddress;
    }

    /**
     * The path of a Unix-domain address.
     *
     * @throws IllegalArgumentException if it is no Unix-domain address
     */
    public static String path(SocketAddress address) {
        if (address instanceof DomainSocketAddress domain) {
            return domain.path();
        }
        if (address instanceof UnixDomainSocketAddress domain) {
            return domain.getPath().toString();
        }
        throw new IllegalArgumentException(address + " is not a Unix-domain address");
    }
}

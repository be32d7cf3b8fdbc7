package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a loop's I/O handler and remembers what descriptors belong to it, so that they can be freed after the loop's
 * owner has stopped: Netty itself lets nobody but him.
 */
abstract class LoopResources implements IoHandlerFactory {
    private static final Logger LOG = LoggerFactory.getLogger(LoopResources.class);

    /**
     * Frees everything without the loop; by one thread, after the owner has stopped.
     *
     * @param ended whether the owner's thread has ended: else memory that it might be in is left to the collector
     */
    abstract void abandon(Set<Channel> channels, boolean ended);

    static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            LOG.debug("closing {}: {}", resource, e.getMessage());
        }
    }

    /** Of epoll. */
    static final class OfEpoll extends LoopResources {
        private final IoHandlerFactory factory = EpollIoHandler.newFactory();
        private @Nullable EpollIoHandler handler;

        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
            EpollIoHandler made = (EpollIoHandler) factory.newHandler(executor);
            handler = made;
            return made;
        }

        @Override
        void abandon(Set<Channel> channels, boolean ended) {
            for (Channel channel : channels) {
                if (channel instanceof UnixChannel unix) {
                    closeQuietly(() -> unix.fd().close());
                }
            }
            EpollIoHandler made = handler;
            if (made != null && ended) {
                made.destroy();
            } else if (made != null) {
                made.closeFileDescriptors();
            }
        }
    }

    /** Of Java's selectors. */
    static final class OfNio extends LoopResources {
        private final RememberingProvider provider = new RememberingProvider();
        private final IoHandlerFactory factory = NioIoHandler.newFactory(provider);

        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
            return factory.newHandler(executor);
        }

        @Override
        void abandon(Set<Channel> channels, boolean ended) {
            Selector selector = provider.last;
            if (selector != null && selector.isOpen()) {
                for (SelectionKey key : List.copyOf(selector.keys())) {
                    closeQuietly(key.channel());
                }
                closeQuietly(selector);
            }
        }
    }

    /** The platform's provider, but for remembering the selector that it opened last. */
    private static final class RememberingProvider extends SelectorProvider {
        private final SelectorProvider platform = SelectorProvider.provider();
        private volatile @Nullable Selector last;

        @Override
        public AbstractSelector openSelector() throws IOException {
            AbstractSelector opened = platform.openSelector();
            last = opened;
            return opened;
        }

        @Override
        public DatagramChannel openDatagramChannel() throws IOException {
            return platform.openDatagramChannel();
        }

        @Override
        public DatagramChannel openDatagramChannel(java.net.ProtocolFamily family) throws IOException {
            return platform.openDatagramChannel(family);
        }

        @Override
        public Pipe openPipe() throws IOException {
            return platform.openPipe();
        }

        @Override
        public ServerSocketChannel openServerSocketChannel() throws IOException {
            return platform.openServerSocketChannel();
        }

        @Override
        public SocketChannel openSocketChannel() throws IOException {
            return platform.openSocketChannel();
        }
    }
}

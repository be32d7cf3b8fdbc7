package io.verbena.redis;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes new connections on the first worker's thread and gives them to the workers in turn. */
@Sharable
final class Acceptor extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);
    private static final byte[] TOO_MANY = "-ERR max number of clients reached\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 << 10, 1 << 20);
    private static final long PAUSE_SECONDS = 1;

    private final ProxyServer server;
    private final List<Worker> workers;
    private long nextId = 1;
    private int next;

    Acceptor(ProxyServer server, List<Worker> workers) {
        this.server = server;
        this.workers = workers;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Channel channel = (Channel) message;
        Worker worker = workers.get(next);
        next = (next + 1) % workers.size();
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        channel.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK);
        if (server.settings().admit()) {
            ClientConnection connection = new ClientConnection(worker, channel, nextId++);
            // One allocator a connection: it is what remembers where the socket has to read to.
            channel.config().setRecvByteBufAllocator(connection::receiveBuffer);
            channel.pipeline().addLast(connection);
        } else {
            channel.pipeline().addLast(new Refusal(server));
        }
        EventLoopGroup loop = worker.loop();
        loop.register(channel).addListener(done -> {
            if (!done.isSuccess()) {
                LOG.warn("a connection could not be served: {}", String.valueOf(done.cause()));
                channel.close();
            }
        });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Most likely out of file descriptors: a little later some may be free again.
        LOG.warn("accepting stops for {} s: {}", PAUSE_SECONDS, cause.toString());
        ctx.channel().config().setAutoRead(false);
        ctx.executor().schedule(() -> ctx.channel().config().setAutoRead(true), PAUSE_SECONDS, TimeUnit.SECONDS);
    }

    /** Tells one client too many so, and closes. */
    private static final class Refusal extends ChannelInboundHandlerAdapter {
        private final ProxyServer server;

        Refusal(ProxyServer server) {
            this.server = server;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            server.refused();
            LOG.warn(
                    "client {} closed: {}: maxclients is {}",
                    ctx.channel().remoteAddress(),
                    ClientCloseReason.MAX_CLIENTS.text(),
                    server.settings().maxClients());
            ctx.writeAndFlush(Unpooled.wrappedBuffer(ByteBuffer.wrap(TOO_MANY))).addListener(done -> ctx.close());
        }
    }
}

package io.verbena.bench.check.messages;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.verbena.Channel;
import io.verbena.SendResult;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A connection on a node's own event loop, in the shape of a proxy: what was read into the shared buffer is parsed, and
 * each message is claimed, copied and committed on a channel that all connections share. What finds no room moves to a
 * buffer of the connection's own, and reading stops until it has gone.
 *
 * <p>Each message is judged in the read buffer after its claim: then nothing may have been read over it.
 */
final class ProxyConnection extends ChannelInboundHandlerAdapter {
    private static final long RETRY_MICROS = 200;

    private final Site site;
    private final Channel channel;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private UnsafeBuffer rest = new UnsafeBuffer(new byte[1 << 16]);
    private int restLength;
    private long identity = -1; // of the connection's next message
    private volatile boolean broken;
    private boolean torn;

    ProxyConnection(Site site, Channel channel) {
        this.site = site;
        this.channel = channel;
    }

    /** Whether the channel is closed. Any thread. */
    boolean isBroken() {
        return broken;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        try {
            site.entrance().enter("channelRead of a proxy's connection", () -> read(ctx, buffer));
        } finally {
            buffer.release();
        }
    }

    private void read(ChannelHandlerContext ctx, ByteBuf buffer) {
        int length = buffer.readableBytes();
        ByteBuffer nio = buffer.internalNioBuffer(0, buffer.capacity());
        view.wrap(nio, nio.position(), buffer.capacity());
        int used = 0;
        if (restLength == 0) {
            used = parse(view, length);
        }
        keep(view, used, length - used);
        if (restLength > 0) {
            resume(ctx);
        }
    }

    /** Offers what is complete. @return bytes used */
    private int parse(UnsafeBuffer bytes, int length) {
        int at = 0;
        while (length - at >= MessageContent.HEADER_LENGTH && !torn) {
            int size = bytes.getInt(at + MessageContent.IDENTITY_LENGTH, ByteOrder.LITTLE_ENDIAN);
            if (identity < 0) {
                identity = MessageContent.identity(bytes, at);
            }
            if (size < MessageContent.HEADER_LENGTH || size > ProxyLoad.MAX_LENGTH) {
                tell(
                        "a message of " + MessageContent.HEADER_LENGTH + " to " + ProxyLoad.MAX_LENGTH
                                + " bytes at byte " + at,
                        size + " bytes");
                return length;
            }
            if (length - at < size) {
                break;
            }
            int claim = channel.tryClaim(size);
            int different = site.content().firstDifference(bytes, at, identity, size);
            if (different >= 0) {
                tell(
                        "what was read to stay until it is used, at byte " + at + " of " + length,
                        "other bytes from " + (at + different) + " on"
                                + (claim < 0 ? ", after a claim that found no room" : ", after a claim"));
                if (claim >= 0) {
                    channel.abortClaim();
                }
                return length;
            }
            if (claim < 0) {
                broken = claim == Channel.CLOSED;
                break;
            }
            channel.claimBuffer().putBytes(claim, bytes, at, size);
            broken = channel.commit() == SendResult.CLOSED;
            identity++;
            at += size;
        }
        return at;
    }

    private void tell(String expected, String got) {
        torn = true;
        site.findings()
                .report(new Flaw(
                        FlawKind.TORN,
                        "the shared read buffer of a proxy on the event loop of node '"
                                + site.node().name() + "'",
                        channel.toString(),
                        MessageContent.stream(identity),
                        MessageContent.number(identity),
                        expected,
                        got + site.entrance().entered()));
    }

    private void keep(UnsafeBuffer bytes, int from, int length) {
        if (restLength + length > rest.capacity()) {
            UnsafeBuffer larger = new UnsafeBuffer(new byte[2 * (restLength + length)]);
            larger.putBytes(0, rest, 0, restLength);
            rest = larger;
        }
        rest.putBytes(restLength, bytes, from, length);
        restLength += length;
    }

    /** Goes on with what was kept. */
    private void resume(ChannelHandlerContext ctx) {
        int used = parse(rest, restLength);
        byte[] array = rest.byteArray();
        if (array != null) {
            System.arraycopy(array, used, array, 0, restLength - used);
        }
        restLength -= used;
        boolean waits = !broken && !torn && holdsMessage();
        ctx.channel().config().setAutoRead(!waits);
        if (waits) {
            ctx.executor()
                    .schedule(
                            () -> site.entrance().enter("a retry of a proxy's connection", () -> resume(ctx)),
                            RETRY_MICROS,
                            TimeUnit.MICROSECONDS);
        }
    }

    private boolean holdsMessage() {
        return restLength >= MessageContent.HEADER_LENGTH
                && restLength >= rest.getInt(MessageContent.IDENTITY_LENGTH, ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        site.findings().report("a proxy's connection on node '" + site.node().name() + "'", cause);
        ctx.close();
    }
}

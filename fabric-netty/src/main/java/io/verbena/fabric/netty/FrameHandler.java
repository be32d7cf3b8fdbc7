package io.verbena.fabric.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** The end of a link's pipeline: queues what came. Of the loop's owner alone; never calls the NIC. */
final class FrameHandler extends ChannelInboundHandlerAdapter {
    private final NettyLink link;

    FrameHandler(NettyLink link) {
        this.link = link;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        link.received((ByteBuf) message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        link.broken(null);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        link.broken(cause);
        context.close();
    }
}

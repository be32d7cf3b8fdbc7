package io.verbena.fabric.shm;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.ReferenceCountUtil;
import io.verbena.fabric.security.PeerAttributes;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The socket beside a link between two processes: doorbell bytes out and in, and death as end of file.
 *
 * <p>Concurrency: a handler of the loop's owner; as {@link RingPeer} called by any thread.
 */
final class SharedMemoryLink extends ChannelInboundHandlerAdapter implements RingPeer {
    private final SharedMemoryFabric fabric;
    private final UnixChannel channel;
    private final Doorbell doorbell;
    private final MappedPeerMemory memory;
    private final RingFile rings;
    private final RingLink link;

    SharedMemoryLink(
            SharedMemoryFabric fabric,
            UnixChannel channel,
            long peerNic,
            String remote,
            MappedPeerMemory memory,
            RingFile rings,
            boolean accepted) {
        AtomicBuffer outbound = accepted ? rings.toConnector() : rings.toAcceptor();
        AtomicBuffer inbound = accepted ? rings.toAcceptor() : rings.toConnector();
        this.fabric = fabric;
        this.channel = channel;
        this.memory = memory;
        this.rings = rings;
        this.doorbell = new Doorbell(channel.fd(), outbound, inbound);
        this.link = new RingLink(
                peerNic,
                remote,
                new PacketRingWriter(outbound),
                new PacketRingReader(inbound),
                memory,
                this,
                PeerAttributes.of(channel));
    }

    RingLink link() {
        return link;
    }

    MappedPeerMemory memory() {
        return memory;
    }

    @Override
    public void wake(int engine) {
        doorbell.ring();
    }

    @Override
    public void linkEnded(@Nullable String fault) {
        doorbell.shut();
        channel.close();
        fabric.linkEnded(this, fault);
    }

    @Override
    public void released() {
        memory.letGoOfAll();
        fabric.released(this);
    }

    /** Unmaps the next piece of what nobody here touches any more. Returns whether there may be more. */
    boolean unmapOne() {
        return memory.unmapOne();
    }

    /** Unmaps the rings, last of all. */
    void unmapRings() {
        rings.unmap();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ReferenceCountUtil.release(message);
        doorbell.heard();
        fabric.rung();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            peerGone();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        peerGone();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        peerGone();
    }

    private void peerGone() {
        doorbell.shut();
        channel.close();
        if (link.peerGone()) {
            fabric.peerGone(this);
        }
    }
}

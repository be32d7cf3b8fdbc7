package io.verbena.verification.fabric;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a fabric's link and an engine and hands everything on; a subclass changes what it wants otherwise. As
 * thread-safe as the link; allocates nothing.
 */
public abstract class ForwardingLink implements Link {
    /** The fabric's link. */
    protected final Link inner;

    /** Creates it. */
    protected ForwardingLink(Link inner) {
        this.inner = inner;
    }

    @Override
    public long peerNic() {
        return inner.peerNic();
    }

    @Override
    public Object peerKey() {
        return inner.peerKey();
    }

    @Override
    public State state() {
        return inner.state();
    }

    @Override
    public int maxPacket() {
        return inner.maxPacket();
    }

    @Override
    public int claim(int length) {
        return inner.claim(length);
    }

    @Override
    public MutableDirectBuffer buffer() {
        return inner.buffer();
    }

    @Override
    public void commit() {
        inner.commit();
    }

    @Override
    public void flush() {
        inner.flush();
    }

    /** Packets are to be handed on with this link, which is the one that the engine knows. */
    @Override
    public abstract int poll(PacketHandler handler, int limit);

    @Override
    public boolean hasInbound() {
        return inner.hasInbound();
    }

    @Override
    public int unsent() {
        return inner.unsent();
    }

    @Override
    public int ahead(int limit) {
        return inner.ahead(limit);
    }

    @Override
    public void wakeBelow(int bytes) {
        inner.wakeBelow(bytes);
    }

    @Override
    public int overhead() {
        return inner.overhead();
    }

    @Override
    public boolean isFlushCostly() {
        return inner.isFlushCostly();
    }

    @Override
    public @Nullable PeerMemory peerMemory() {
        return inner.peerMemory();
    }

    /** Packets that leave are announced to a peer that wants it; those that come are looked for each turn. */
    @Override
    public int takeAnnouncement() {
        return inner.takeAnnouncement();
    }

    @Override
    public void wakePeer(int engine) {
        inner.wakePeer(engine);
    }

    @Override
    public void close() {
        inner.close();
    }

    @Override
    public void release() {
        inner.release();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + '[' + inner + ']';
    }
}

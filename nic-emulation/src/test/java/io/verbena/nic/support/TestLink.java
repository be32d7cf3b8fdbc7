package io.verbena.nic.support;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A link to nowhere, on which nothing comes and nothing waits; up until it is closed. A test's own differs in what it
 * is about.
 */
public abstract class TestLink implements Link {
    private final long peerNic;
    private final int maxPacket;
    private final MutableDirectBuffer buffer;

    /** A test may break it. */
    public volatile State state = State.UP;

    /**
     * Creates it.
     *
     * @param peerNic identity of the peer
     * @param maxPacket bytes that a packet may have
     * @param buffer for packets to be sent
     */
    protected TestLink(long peerNic, int maxPacket, MutableDirectBuffer buffer) {
        this.peerNic = peerNic;
        this.maxPacket = maxPacket;
        this.buffer = buffer;
    }

    @Override
    public final long peerNic() {
        return peerNic;
    }

    @Override
    public final State state() {
        return state;
    }

    @Override
    public int maxPacket() {
        return maxPacket;
    }

    @Override
    public final MutableDirectBuffer buffer() {
        return buffer;
    }

    @Override
    public int claim(int length) {
        return 0;
    }

    @Override
    public void commit() {}

    @Override
    public void flush() {}

    @Override
    public int poll(PacketHandler handler, int limit) {
        return 0;
    }

    @Override
    public boolean hasInbound() {
        return false;
    }

    @Override
    public int unsent() {
        return 0;
    }

    @Override
    public @Nullable PeerMemory peerMemory() {
        return null;
    }

    @Override
    public final void wakePeer(int engine) {}

    @Override
    public final void close() {
        state = State.CLOSED;
    }
}

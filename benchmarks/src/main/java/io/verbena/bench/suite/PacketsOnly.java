package io.verbena.bench.suite;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/** A link that does not show the peer's memory: every verb goes as packets. For one thread; allocates nothing. */
final class PacketsOnly implements Link, PacketHandler {
    private final Link inner;
    private @Nullable PacketHandler handler;

    PacketsOnly(Link inner) {
        this.inner = inner;
    }

    @Override
    public int poll(PacketHandler packetHandler, int limit) {
        handler = packetHandler;
        return inner.poll(this, limit);
    }

    @Override
    public void onPacket(Link link, DirectBuffer buffer, int offset, int length) {
        PacketHandler engine = handler;
        if (engine != null) {
            engine.onPacket(this, buffer, offset, length);
        }
    }

    @Override
    public @Nullable PeerMemory peerMemory() {
        return null;
    }

    @Override
    public long peerNic() {
        return inner.peerNic();
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

    @Override
    public boolean hasInbound() {
        return inner.hasInbound();
    }

    @Override
    public int unsent() {
        return inner.unsent();
    }

    @Override
    public void wakePeer(int engine) {
        inner.wakePeer(engine);
    }

    @Override
    public void close() {
        inner.close();
    }
}

package io.verbena.bench.suite;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import io.verbena.verification.fabric.ForwardingLink;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** A link that does not show the peer's memory: every verb goes as packets. For one thread; allocates nothing. */
final class PacketsOnly extends ForwardingLink implements PacketHandler {
    private @Nullable PacketHandler handler;

    PacketsOnly(Link inner) {
        super(inner);
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
}

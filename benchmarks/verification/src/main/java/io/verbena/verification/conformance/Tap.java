package io.verbena.verification.conformance;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import io.verbena.verification.fabric.ForwardingLink;
import org.jspecify.annotations.Nullable;

/** Stands between a fabric's link and an engine, and lets the two {@link Way}s have their say. For one thread. */
final class Tap extends ForwardingLink {
    private final Way out;
    private final Way in;
    private final boolean hidesMemory;
    private int length;
    int sent;
    int arrived;

    Tap(Link inner, Way out, Way in, boolean hidesMemory) {
        super(inner);
        this.out = out;
        this.in = in;
        this.hidesMemory = hidesMemory;
    }

    Link inner() {
        return inner;
    }

    @Override
    public int claim(int bytes) {
        if (!out.hasRoom()) {
            return NO_ROOM;
        }
        length = bytes;
        return inner.claim(bytes);
    }

    @Override
    public void commit() {
        sent++;
        out.sent++;
        out.sentBytes += length;
        inner.commit();
    }

    @Override
    public int poll(PacketHandler handler, int limit) {
        int packets = in.deliverDue(this, handler);
        return packets
                + inner.poll(
                        (link, buffer, offset, bytes) -> {
                            arrived++;
                            in.onPacket(this, handler, buffer, offset, bytes);
                        },
                        limit);
    }

    @Override
    public boolean hasInbound() {
        return in.hasDue() || inner.hasInbound();
    }

    @Override
    public @Nullable PeerMemory peerMemory() {
        return hidesMemory ? null : inner.peerMemory();
    }
}

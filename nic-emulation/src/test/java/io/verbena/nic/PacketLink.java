package io.verbena.nic;

import io.verbena.nic.port.Arrivals;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A link that always has the same packet, or as often as it is told; nothing can be sent on it. */
final class PacketLink implements Link {
    private static final int MAX_PACKET = 32 * 1024;

    private final long peer;
    private final UnsafeBuffer packet;
    private final boolean announces;
    private @Nullable Arrivals arrivals;
    private int number;
    private State state = State.UP;
    private long left = Long.MAX_VALUE;
    private long delivered;

    PacketLink(long peer, UnsafeBuffer packet, boolean announces) {
        this.peer = peer;
        this.packet = packet;
        this.announces = announces;
    }

    @Override
    public long peerNic() {
        return peer;
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public int maxPacket() {
        return MAX_PACKET;
    }

    @Override
    public int claim(int length) {
        return NO_ROOM;
    }

    @Override
    public MutableDirectBuffer buffer() {
        return packet;
    }

    @Override
    public void commit() {}

    @Override
    public void flush() {}

    @Override
    public int poll(PacketHandler handler, int limit) {
        int now = (int) Math.min(limit, left);
        for (int i = 0; i < now; i++) {
            handler.onPacket(this, packet, 0, packet.capacity());
        }
        left -= now;
        delivered += now;
        return now;
    }

    /** It has so many packets from now on. */
    void give(int packets) {
        left = packets;
        Arrivals told = arrivals;
        if (told != null) {
            told.arrived(number);
        }
    }

    long delivered() {
        return delivered;
    }

    @Override
    public boolean hasInbound() {
        return left > 0;
    }

    @Override
    public boolean announceTo(@Nullable Arrivals told, int as) {
        arrivals = told;
        number = as;
        return announces;
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
    public void wakePeer(int engine) {}

    @Override
    public void close() {
        state = State.CLOSED;
    }
}

package io.verbena.nic;

import io.verbena.nic.port.Arrivals;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.support.TestLink;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A link that always has the same packet, or as often as it is told; nothing can be sent on it. */
final class PacketLink extends TestLink {
    private static final int MAX_PACKET = 32 * 1024;

    private final Object peerKey;
    private final UnsafeBuffer packet;
    private final boolean announces;
    private @Nullable Arrivals arrivals;
    private int number;
    private long left = Long.MAX_VALUE;
    private long delivered;

    PacketLink(long peerNic, UnsafeBuffer packet, boolean announces) {
        this(peerNic, peerNic, packet, announces);
    }

    PacketLink(long peerNic, Object peerKey, UnsafeBuffer packet, boolean announces) {
        super(peerNic, MAX_PACKET, packet);
        this.peerKey = peerKey;
        this.packet = packet;
        this.announces = announces;
    }

    @Override
    public Object peerKey() {
        return peerKey;
    }

    @Override
    public int claim(int length) {
        return NO_ROOM;
    }

    @Override
    public int poll(PacketHandler handler, int limit) {
        int now = state == State.CLOSED ? 0 : (int) Math.min(limit, left);
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
}

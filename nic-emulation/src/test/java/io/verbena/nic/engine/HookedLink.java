package io.verbena.nic.engine;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A link whose packets the test brings and takes, and in whose flush, under the baton, it may do something once. */
final class HookedLink implements Link {
    private final long peerNic;
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[16 * 1024]);
    private final Deque<UnsafeBuffer> inbound = new ArrayDeque<>();

    /** What was sent: opcode and PSN of each packet. */
    final List<String> sent = new ArrayList<>();

    volatile State state = State.UP;
    int flushes;
    int released;
    boolean hasRoom = true;
    Runnable onFlush = () -> {};

    HookedLink(long peerNic) {
        this.peerNic = peerNic;
    }

    /** A packet comes with the next poll. */
    void bring(UnsafeBuffer packet) {
        inbound.add(packet);
    }

    @Override
    public long peerNic() {
        return peerNic;
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public int maxPacket() {
        return buffer.capacity();
    }

    @Override
    public int claim(int length) {
        return hasRoom ? 0 : NO_ROOM;
    }

    @Override
    public MutableDirectBuffer buffer() {
        return buffer;
    }

    @Override
    public void commit() {
        sent.add(Opcode.of(BthFlyweight.opcode(buffer, 0)) + " " + BthFlyweight.psn(buffer, 0));
    }

    @Override
    public void flush() {
        flushes++;
        Runnable hook = onFlush;
        onFlush = () -> {};
        hook.run();
    }

    @Override
    public int poll(PacketHandler handler, int limit) {
        int n = 0;
        for (; n < limit && !inbound.isEmpty(); n++) {
            UnsafeBuffer packet = inbound.poll();
            handler.onPacket(this, packet, 0, packet.capacity());
        }
        return n;
    }

    @Override
    public boolean hasInbound() {
        return !inbound.isEmpty();
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

    @Override
    public void release() {
        released++;
    }
}

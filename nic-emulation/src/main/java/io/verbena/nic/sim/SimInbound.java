package io.verbena.nic.sim;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Packets that have arrived at one end of a simulated link and wait for its engine, bounded in bytes. */
final class SimInbound {
    private final ArrayDeque<SimPacket> packets = new ArrayDeque<>();
    private int bytes;

    boolean isEmpty() {
        return packets.isEmpty();
    }

    /**
     * A packet has arrived.
     *
     * @param limit bytes that may wait
     * @return false if it does not fit
     */
    boolean offer(SimPacket packet, int limit) {
        int charge = charge(packet);
        if (bytes + charge > limit) {
            return false;
        }
        bytes += charge;
        packets.add(packet);
        return true;
    }

    @Nullable
    SimPacket poll() {
        SimPacket packet = packets.poll();
        if (packet != null) {
            bytes -= charge(packet);
        }
        return packet;
    }

    private static int charge(SimPacket packet) {
        return Math.max(packet.length, LinkProfile.MIN_PACKET);
    }
}

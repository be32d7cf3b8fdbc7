package io.verbena.verification.conformance;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One direction between two players, whatever the fabric: packets are lost, repeated, held back, rewritten, recorded
 * and made up between the link that delivers them and the engine that takes them. Outlives the links under it.
 */
final class Way {
    /** What becomes of a packet. */
    enum Fate {
        PASS,
        DROP,
        TWICE,
        /** Kept until {@link #release}. */
        HOLD
    }

    /** Decides the fate of a packet, and may rewrite it in place. */
    @FunctionalInterface
    interface Filter {
        Fate onPacket(MutableDirectBuffer packet, int offset, int length);
    }

    private final Simulation simulation;
    private final Deque<byte[]> due = new ArrayDeque<>();
    private final List<byte[]> held = new ArrayList<>();
    final List<byte[]> recorded = new ArrayList<>();
    private @Nullable Filter filter;
    private boolean cut;
    private boolean recording;
    private long delayNanos;
    private long paceNanos;
    private long freeAt;
    private int window = Integer.MAX_VALUE;
    private int delayed;
    int sent;
    long sentBytes;
    int arrived;
    int delivered;
    int lost;
    int repeated;

    Way(Simulation simulation) {
        this.simulation = simulation;
    }

    /** Loses everything, silently, or stops doing so. */
    void cut(boolean apart) {
        cut = apart;
    }

    /** Sets what decides about packets, or null. */
    void filter(@Nullable Filter decides) {
        filter = decides;
    }

    /** Loses the packets of these numbers, counted from the next one as 1. */
    void lose(int... numbers) {
        int[] count = new int[1];
        filter((b, o, l) -> {
            count[0]++;
            for (int number : numbers) {
                if (number == count[0]) {
                    return Fate.DROP;
                }
            }
            return Fate.PASS;
        });
    }

    /** Delivers each packet so much later. */
    void delay(long nanos) {
        delayNanos = nanos;
    }

    /** Delivers one packet at a time, each so long after the one before: a slow medium. */
    void pace(long nanosPerPacket) {
        paceNanos = nanosPerPacket;
    }

    /** Keeps a copy of each packet that arrives from now on. */
    void record() {
        recording = true;
        recorded.clear();
    }

    /** The opcodes that were recorded. */
    List<Opcode> opcodes() {
        List<Opcode> opcodes = new ArrayList<>();
        for (byte[] packet : recorded) {
            Opcode opcode = Opcode.of(BthFlyweight.opcode(new UnsafeBuffer(packet), 0));
            if (opcode != null) {
                opcodes.add(opcode);
            }
        }
        return opcodes;
    }

    /** Most packets under way at a time: beyond them the sender's link has no room. */
    void window(int packets) {
        window = packets;
    }

    /** Delivers what is held back, in the order given. */
    void release() {
        due.addAll(held);
        held.clear();
    }

    int held() {
        return held.size();
    }

    /** Delivers a packet that nobody has sent. */
    void inject(byte[] packet) {
        due.add(packet.clone());
    }

    boolean hasRoom() {
        return sent - arrived + due.size() + delayed < window;
    }

    boolean hasDue() {
        return !due.isEmpty();
    }

    int deliverDue(Link link, PacketHandler handler) {
        int packets = 0;
        while (!due.isEmpty()) {
            hand(link, handler, due.poll());
            packets++;
        }
        return packets;
    }

    void onPacket(Link link, PacketHandler handler, DirectBuffer buffer, int offset, int length) {
        arrived++;
        byte[] packet = new byte[length];
        buffer.getBytes(offset, packet);
        if (recording) {
            recorded.add(packet.clone());
        }
        Fate fate = Fate.PASS;
        Filter decides = filter;
        if (decides != null) {
            fate = decides.onPacket(new UnsafeBuffer(packet), 0, length);
        }
        if (cut || fate == Fate.DROP) {
            lost++;
        } else if (fate == Fate.HOLD) {
            held.add(packet);
        } else if (delayNanos > 0 || paceNanos > 0) {
            delayed++;
            long now = simulation.nowNanos();
            freeAt = Math.max(freeAt, now) + paceNanos;
            simulation.after(freeAt - now + delayNanos, () -> {
                delayed--;
                due.add(packet);
            });
        } else {
            hand(link, handler, packet);
            if (fate == Fate.TWICE) {
                repeated++;
                hand(link, handler, packet);
            }
        }
    }

    private void hand(Link link, PacketHandler handler, byte[] packet) {
        delivered++;
        handler.onPacket(link, new UnsafeBuffer(packet), 0, packet.length);
    }
}

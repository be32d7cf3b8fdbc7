package io.verbena.fabric.shm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.verbena.nic.port.Link;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The two ends of a shared-memory link's ring. */
public class PacketRingStress {
    private static final int CAPACITY = PacketRingDescriptor.MIN_CAPACITY;
    private static final int LARGE = 1000;

    private abstract static class Ring {
        final PacketRingWriter writer;
        final PacketRingReader reader;
        private int seen;

        Ring() {
            AtomicBuffer memory = new UnsafeBuffer(new byte[PacketRingDescriptor.totalLength(CAPACITY)]);
            PacketRingDescriptor.initialize(memory, CAPACITY, LARGE);
            writer = new PacketRingWriter(memory);
            reader = new PacketRingReader(memory);
        }

        boolean write(int number, int length) {
            int at = writer.claim(length);
            if (at == Link.NO_ROOM) {
                return false;
            }
            for (int i = 0; i < length; i += 4) {
                writer.buffer().putInt(at + i, number);
            }
            writer.commit();
            return true;
        }

        /** The number of the next packet, 0 if there is none, -1 if it is torn, -2 if the ring is found corrupt. */
        int read() {
            seen = 0;
            reader.poll(null, this::onPacket, 1);
            return reader.isCorrupt() ? -2 : seen;
        }

        private void onPacket(Link link, DirectBuffer buffer, int offset, int length) {
            seen = buffer.getInt(offset);
            for (int i = 0; i < length; i += 4) {
                if (buffer.getInt(offset + i) != seen) {
                    seen = -1;
                }
            }
        }
    }

    /** Packets arrive whole and in order, also where the ring ends. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 0", "1, 2"},
            expect = ACCEPTABLE,
            desc = "none, one or both, whole and in order")
    @Outcome(expect = FORBIDDEN, desc = "torn, out of order, or a stale length taken for a packet")
    @State
    public static class Order extends Ring {
        /** Leaves less than a packet's room at the end, and old bytes everywhere. */
        public Order() {
            for (int i = 0; i < 7; i++) {
                write(-7, LARGE);
                read();
            }
        }

        /** Two packets, one of them behind padding. */
        @Actor
        public void producer() {
            write(1, 64);
            write(2, LARGE);
        }

        /** Two looks; the second counts only if the first saw something. */
        @Actor
        public void consumer(II_Result r) {
            r.r1 = read();
            if (r.r1 != 0) {
                r.r2 = read();
            }
        }
    }

    /** Room is not written again before its packet was read. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 2"},
            expect = ACCEPTABLE,
            desc = "the packets that were there, whole")
    @Outcome(expect = FORBIDDEN, desc = "written while it was read")
    @State
    public static class Room extends Ring {
        private final int filled;

        /** Fills the ring. */
        public Room() {
            int packets = 0;
            while (write(1, LARGE)) {
                packets++;
            }
            filled = packets;
        }

        /** Writes as soon as there is room. */
        @Actor
        public void producer() {
            write(2, LARGE);
        }

        /** Reads all that was there, and what may have come. */
        @Actor
        public void consumer(II_Result r) {
            r.r1 = 1;
            for (int i = 0; i < filled; i++) {
                int number = read();
                if (number != 1) {
                    r.r1 = number;
                }
            }
            r.r2 = read();
        }
    }
}

package io.verbena.nic.sim;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.LinkListener;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Two bare endpoints on a simulated link, without a NIC: what a test of the link itself needs. */
final class SimPair {
    static final long NIC_A = 0xAL;
    static final long NIC_B = 0xBL;

    final Simulation simulation;
    final End a = new End();
    final End b = new End();
    final SimConnection connection;

    SimPair(long seed, LinkProfile profile) {
        this(new Simulation(seed), profile);
    }

    private SimPair(Simulation simulation, LinkProfile profile) {
        this(simulation, new SimFabric(simulation), profile);
    }

    SimPair(Simulation simulation, SimFabric fabric, LinkProfile profile) {
        this.simulation = simulation;
        connection = fabric.connect(a.endpoint(NIC_A), b.endpoint(NIC_B), profile);
        simulation.add("a", a);
        simulation.add("b", b);
    }

    /** What has arrived: PSN and time. */
    record Arrival(int psn, int length, long atNanos) {}

    final class End implements Actor, LinkListener {
        final List<Link> links = new ArrayList<>();
        final List<Arrival> arrivals = new ArrayList<>();
        final SimWaiter waiter = new SimWaiter();
        final Memory memory = new Memory();

        LinkEndpoint endpoint(long nicId) {
            return new LinkEndpoint(nicId, 0, waiter, memory, this);
        }

        Link link() {
            return links.get(links.size() - 1);
        }

        /** Commits a packet. */
        boolean offer(int psn, int length) {
            int offset = link().claim(length);
            if (offset == Link.NO_ROOM) {
                return false;
            }
            BthFlyweight.encode(link().buffer(), offset, Opcode.SEND_ONLY.code(), 0, 7, psn, 8);
            for (int i = BthFlyweight.LENGTH; i < length; i++) {
                link().buffer().putByte(offset + i, (byte) (psn + i));
            }
            link().commit();
            return true;
        }

        void send(int psn, int length) {
            if (!offer(psn, length)) {
                throw new AssertionError("no room for PSN " + psn);
            }
            link().flush();
        }

        /** Sends PSN 0 to n - 1, as the window allows. */
        void sendMany(int n, int length) {
            for (int i = 0; i < n; i++) {
                while (!offer(i, length)) {
                    link().flush();
                    simulation.runFor(1);
                }
            }
            link().flush();
        }

        @Override
        public int step() {
            return link().poll(this::onPacket, 16);
        }

        private void onPacket(Link link, DirectBuffer buffer, int offset, int length) {
            int psn = BthFlyweight.psn(buffer, offset);
            for (int i = BthFlyweight.LENGTH; i < length; i++) {
                if (buffer.getByte(offset + i) != (byte) (psn + i)) {
                    throw new AssertionError("byte " + i + " of PSN " + psn);
                }
            }
            arrivals.add(new Arrival(psn, length, simulation.nowNanos()));
        }

        List<Integer> psns() {
            return arrivals.stream().map(Arrival::psn).toList();
        }

        @Override
        public void onLink(Link link) {
            links.add(link);
        }

        @Override
        public void onRejected(String remote, String reason) {
            throw new AssertionError(remote + ": " + reason);
        }
    }

    static final class Memory implements MemoryProvider {
        private final AtomicBuffer control = new UnsafeBuffer(new byte[64]);
        private final Map<Integer, AtomicBuffer> segments = new HashMap<>();

        @Override
        public AtomicBuffer allocateControl(int length) {
            return control;
        }

        @Override
        public AtomicBuffer control() {
            return control;
        }

        @Override
        public Segment allocate(int length) {
            Segment segment = new Segment(segments.size() + 1, new UnsafeBuffer(new byte[length]));
            segments.put(segment.id(), segment.buffer());
            return segment;
        }

        @Override
        public void release(Segment segment) {
            segments.remove(segment.id());
        }

        @Override
        public AtomicBuffer segment(int id) {
            return segments.get(id);
        }

        @Override
        public void close() {}
    }
}

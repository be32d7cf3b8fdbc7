package io.verbena.nic.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.ConnectAttributes;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.LinkListener;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimFabric;
import io.verbena.nic.sim.SimWaiter;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.AppendRunFlyweight;
import io.verbena.nic.wire.AtomicEthFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.DethFlyweight;
import io.verbena.nic.wire.IethFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.RethFlyweight;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A NIC with two links: one to a well-behaved NIC, one to a peer that sends what a script of arbitrary bytes says. The
 * NIC's regions lie in larger memory whose other bytes, the guards, must never change.
 */
final class HostileWire implements AutoCloseable {
    private static final long VICTIM = 0x1;
    private static final long HOSTILE = 0x2;
    private static final long FRIEND = 0x3;
    private static final int GUARD = 4096;
    private static final int REGION = 4096;
    private static final int MTU = 512;
    private static final byte CANARY = 0x5A;
    private static final int PSN = 0xFF_FFF0;
    private static final Opcode[] OPCODES = Opcode.values();

    private final Simulation simulation = new Simulation(1);
    private final SimFabric fabric = new SimFabric(simulation);
    private final End victim = new End(simulation.clock(), VICTIM);
    private final End friend = new End(simulation.clock(), FRIEND);
    private final Peer peer = new Peer();
    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(3 * GUARD + 2 * REGION, 64);
    private final MemoryRegion open;
    private final MemoryRegion closed;
    private final MemoryRegion friends;
    private final AppendQueue appendQueue;
    private final QueuePair attacked;
    private final QueuePair served;
    private final QueuePair serves;
    private final UnsafeBuffer packet = new UnsafeBuffer(new byte[8192]);
    private final SendRequest request = new SendRequest();

    HostileWire() {
        UnsafeBuffer all = new UnsafeBuffer(memory);
        all.setMemory(0, all.capacity(), CANARY);
        open = victim.pd.register(memory.slice(GUARD, REGION), Access.ALL);
        closed = victim.pd.register(memory.slice(2 * GUARD + REGION, REGION), Access.LOCAL_WRITE);
        friends = friend.pd.allocate(REGION, Access.ALL);
        appendQueue = victim.pd.createAppendQueue(new AppendQueueAttributes()
                .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .maxMessage(4096));
        attacked = victim.newQueuePair();
        served = victim.newQueuePair();
        serves = friend.newQueuePair();
        fabric.connect(victim.nic.engine(0).endpoint(), peer.endpoint(), new LinkProfile());
        fabric.connect(victim.nic.engine(0).endpoint(), friend.nic.engine(0).endpoint(), new LinkProfile());
        simulation.add("victim", victim);
        simulation.add("friend", friend);
        simulation.add("peer", peer);
        simulation.runFor(1000);
        // A timeout of 1 s, so that a script of some milliseconds sees no retransmissions but those that it asks for.
        ConnectAttributes attributes = new ConnectAttributes()
                .pathMtu(MTU)
                .timeout(18)
                .sendPsn(PSN)
                .receivePsn(PSN)
                .minRnrTimer(1);
        attacked.connect(HOSTILE, 77, attributes);
        served.connect(FRIEND, serves.number(), attributes);
        serves.connect(VICTIM, served.number(), attributes);
    }

    /** One byte says what to do, the following ones how; what is missing at the end reads as zero. */
    void play(byte[] script) {
        Script s = new Script(script);
        for (int steps = 0; s.hasNext() && steps < 64; steps++) {
            int what = s.u8();
            switch (what & 7) {
                case 0 -> raw(s);
                case 1, 2, 3 -> halfRight(s);
                case 4 -> post(s);
                case 5 -> attacked.postReceive(1, (s.u8() & 1) == 0 ? open.key() : closed.key(), s.u8() * 16L, s.u16());
                case 6 -> simulation.runFor(1 + s.u16() * 100L);
                default -> reset(s);
            }
        }
        simulation.runFor(20_000_000);
    }

    private void raw(Script s) {
        int length = s.u8();
        for (int i = 0; i < length; i++) {
            packet.putByte(i, (byte) s.u8());
        }
        peer.send(packet, length);
    }

    /** A packet of a known opcode whose fields are right unless the script says otherwise. */
    private void halfRight(Script s) {
        Opcode opcode = OPCODES[s.u8() % OPCODES.length];
        int choice = s.u8();
        int psn = PSN + s.i8();
        int destination = (choice & 1) == 0 ? attacked.number() : (choice & 2) == 0 ? served.number() : s.u16();
        int source = (choice & 4) == 0 ? 77 : s.u16();
        packet.setMemory(0, opcode.headerLength(), (byte) 0);
        BthFlyweight.encode(packet, 0, opcode.code(), choice >>> 6 & BthFlyweight.FLAGS, destination, psn, source);
        int key = (choice & 8) == 0 ? open.key() : (choice & 16) == 0 ? closed.key() : s.i32();
        long offset = (choice & 32) == 0 ? s.u16() : s.i64();
        int length = (choice & 32) == 0 ? s.u16() : s.i32();
        if (opcode.dethOffset() != Opcode.ABSENT) {
            DethFlyweight.encode(packet, opcode.dethOffset(), key, source);
        }
        if (opcode.rethOffset() != Opcode.ABSENT) {
            RethFlyweight.encode(packet, opcode.rethOffset(), offset, key, length);
        }
        if (opcode.atomicEthOffset() != Opcode.ABSENT) {
            AtomicEthFlyweight.encode(packet, opcode.atomicEthOffset(), offset, key, s.u8(), s.u8());
        }
        if (opcode.appendEthOffset() != Opcode.ABSENT) {
            boolean right = (choice & 24) == 0;
            int id = right ? appendQueue.id() : s.i8();
            int queueKey = right ? appendQueue.key() : key;
            if (opcode == Opcode.APPEND_RUN) {
                AppendEthFlyweight.encodeRun(packet, opcode.appendEthOffset(), id, queueKey, length, s.u8(), choice);
            } else {
                int stream = (choice & 32) == 0 ? 0 : s.u16();
                AppendEthFlyweight.encode(packet, opcode.appendEthOffset(), id, queueKey, length, stream, choice);
            }
        }
        if (opcode.aethOffset() != Opcode.ABSENT) {
            AethFlyweight.encode(packet, opcode.aethOffset(), s.u8() & 0x7F, s.u8());
        }
        if (opcode.iethOffset() != Opcode.ABSENT) {
            IethFlyweight.encode(packet, opcode.iethOffset(), key);
        }
        int payload = opcode.hasPayload() ? Math.min((s.u8() & 3) == 0 ? s.u16() : MTU, 4096) : 0;
        packet.setMemory(opcode.headerLength(), payload, (byte) s.u8());
        if (opcode == Opcode.APPEND_RUN && (choice & 4) == 0) {
            payload = soundRun(s);
        }
        peer.send(packet, opcode.headerLength() + payload);
    }

    /** The payload of a run that is what its header says. Returns its bytes. */
    private int soundRun(Script s) {
        int messages = 1 + (s.u8() & 7);
        int headers = Opcode.APPEND_RUN.headerLength();
        int bytes = 0;
        for (int i = 0; i < messages; i++) {
            int message = s.u8() & 63;
            AppendRunFlyweight.encode(packet, headers + bytes, message, s.u8(), s.u8());
            bytes += AppendRunFlyweight.alignedLength(message);
        }
        int eth = Opcode.APPEND_RUN.appendEthOffset();
        AppendEthFlyweight.encodeRun(packet, eth, appendQueue.id(), appendQueue.key(), bytes, messages, 1);
        return bytes;
    }

    /** A request of the NIC itself, which the peer may answer as it likes. */
    private void post(Script s) {
        int what = s.u8();
        int length = s.u16() % (REGION + 1);
        switch (what % 6) {
            case 0 -> request.send().local(open.key(), 0, length);
            case 1 -> request.write(s.i32(), s.i64()).local(open.key(), 0, length);
            case 2 -> request.read(s.i32(), s.i64()).local(open.key(), 0, length);
            case 3 -> request.fetchAdd(s.i32(), s.u8() * 8L, 1).local(open.key(), 8, 8);
            case 4 -> request.compareSwap(s.i32(), s.u8() * 8L, 1, 2).local(open.key(), 16, 8);
            default -> request.append(s.u8(), s.i32()).local(open.key(), 0, length);
        }
        if ((what & 64) != 0) {
            request.fence();
        }
        attacked.postSend(request);
    }

    /** Begins anew with the same peer, which need not notice. */
    private void reset(Script s) {
        if (attacked.state() != QpState.ERR && (s.u8() & 1) == 0) {
            return;
        }
        attacked.modify(new io.verbena.nic.QpAttributes().state(QpState.RESET));
        attacked.connect(
                HOSTILE,
                77,
                new ConnectAttributes()
                        .pathMtu(MTU)
                        .timeout(18)
                        .sendPsn(PSN)
                        .receivePsn(PSN)
                        .minRnrTimer(1));
    }

    /** Nothing outside the regions has changed, and nothing in the one that no peer may write to but by a receive. */
    void assertGuardsHold() {
        for (int guard = 0; guard < 3; guard++) {
            for (int i = guard * (GUARD + REGION); i < guard * (GUARD + REGION) + GUARD; i++) {
                if (memory.get(i) != CANARY) {
                    throw new AssertionError("guard " + guard + " was written at " + i);
                }
            }
        }
    }

    /** The queue pair to the well-behaved NIC has noticed nothing, and works. */
    void assertOthersAreServed() {
        assertThat(served.state()).isEqualTo(QpState.RTS);
        victim.statuses.clear();
        friend.statuses.clear();
        for (int i = 0; i < REGION; i++) {
            friends.buffer().putByte(i, (byte) (i * 7));
        }
        serves.postSend(request.write(open.key(), 0).local(friends.key(), 0, REGION));
        friends.buffer().putByte(0, (byte) 0);
        simulation.runUntil(() -> friend.statuses.size() >= 1, 60_000_000_000L);
        for (int i = 1; i < REGION; i++) {
            assertThat(open.buffer().getByte(i)).as("byte %d of a WRITE", i).isEqualTo((byte) (i * 7));
        }
        served.postReceive(2, open.key(), 0, 64);
        serves.postSend(request.send().local(friends.key(), 64, 64));
        serves.postSend(request.read(open.key(), 64).local(friends.key(), 2048, 64));
        serves.postSend(request.fetchAdd(open.key(), 8, 0).local(friends.key(), 8, 8));
        served.postSend(request.read(friends.key(), 128).local(open.key(), 128, 64));
        simulation.runUntil(() -> friend.statuses.size() >= 4 && victim.statuses.size() >= 2, 60_000_000_000L);
        assertThat(friend.statuses).containsOnly(WcStatus.SUCCESS).hasSize(4);
        assertThat(victim.statuses).containsOnly(WcStatus.SUCCESS).hasSize(2);
        assertThat(open.buffer().getByte(5)).isEqualTo((byte) (69 * 7));
    }

    @Override
    public void close() {
        victim.nic.close();
        friend.nic.close();
    }

    /** A NIC with a domain and a completion queue, driven by the simulation. */
    private static final class End implements Actor {
        final Nic nic;
        final ProtectionDomain pd;
        final CompletionQueue completions;
        final List<WcStatus> statuses = new ArrayList<>();

        End(org.agrona.concurrent.NanoClock clock, long id) {
            nic = Nic.open(new NicContext()
                    .id(id)
                    .mode(EngineMode.INVOKER)
                    .maxQueuePairs(16)
                    .maxMemoryRegions(16)
                    .maxAppendQueues(2)
                    .backgroundThread(false)
                    .memory(new DirectMemoryProvider())
                    .clock(clock)
                    .waiters(new SimWaiter()));
            pd = nic.allocateProtectionDomain();
            completions = nic.createCompletionQueue(256);
        }

        QueuePair newQueuePair() {
            return pd.createQueuePair(new QueuePairAttributes()
                    .completionQueue(completions)
                    .maxSend(16)
                    .maxReceive(16));
        }

        @Override
        public int step() {
            int work = nic.engine(0).doWork() + nic.backgroundWork();
            work += completions.poll(c -> statuses.add(c.status()), 64);
            while (nic.pollAsyncEvent() != null) {
                work++;
            }
            return work;
        }

        @Override
        public long nextDeadlineNanos() {
            return nic.engine(0).nextDeadlineNanos();
        }
    }

    /** The hostile side: a link, and nobody behind it. */
    private static final class Peer implements Actor, LinkListener {
        private final SimWaiter waiter = new SimWaiter();
        private Link link;

        LinkEndpoint endpoint() {
            DirectMemoryProvider none = new DirectMemoryProvider();
            none.allocateControl(64);
            return new LinkEndpoint(HOSTILE, 0, waiter, none, this);
        }

        void send(UnsafeBuffer bytes, int length) {
            int at = length == 0 || length > link.maxPacket() ? Link.NO_ROOM : link.claim(length);
            if (at != Link.NO_ROOM) {
                link.buffer().putBytes(at, bytes, 0, length);
                link.commit();
                link.flush();
            }
        }

        @Override
        public int step() {
            return link == null ? 0 : link.poll((from, buffer, offset, length) -> {}, 64);
        }

        @Override
        public void onLink(Link newLink) {
            link = newLink;
        }

        @Override
        public void onRejected(String remote, String reason) {
            throw new AssertionError(remote + ": " + reason);
        }
    }

    /** The bytes of a script as numbers. */
    private static final class Script {
        private final byte[] bytes;
        private int at;

        Script(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean hasNext() {
            return at < bytes.length;
        }

        int i8() {
            return at < bytes.length ? bytes[at++] : 0;
        }

        int u8() {
            return i8() & 0xFF;
        }

        int u16() {
            return u8() | u8() << 8;
        }

        int i32() {
            return u16() | u16() << 16;
        }

        long i64() {
            return (i32() & 0xFFFF_FFFFL) | (long) i32() << 32;
        }
    }
}

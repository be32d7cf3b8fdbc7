package io.verbena.nic.sim;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.sim.SimTrace.Fate;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One end of a simulated link. What is committed waits for {@link #flush}, goes out at the link's rate, meets its
 * faults when the last bit has left, and arrives after the delay; {@link #unsent} counts until the last bit has left.
 *
 * <p>The end owns the direction away from it: its profile, its counters, its chance. Not thread-safe. Steady state
 * allocates nothing: packets come from a pool that grows to what was in flight at most.
 */
public final class SimLink implements Link {
    private final Simulation simulation;
    private final String way;
    private final SimConnection.End local;
    private final SimConnection.End remote;
    private final LinkProfile profile;
    private final SimWire wire;
    private final LinkCounters counters = new LinkCounters();
    private final ArrayDeque<SimPacket> pool = new ArrayDeque<>();
    private final ArrayDeque<SimPacket> committed = new ArrayDeque<>();
    private final SimInbound inbound = new SimInbound();
    private final @Nullable PeerMemory peerMemory;

    private @Nullable SimLink peer;
    private State state = State.UP;
    private @Nullable SimPacket claimed;
    private @Nullable Tamper tamper;
    private boolean cut;
    private boolean peerClosed;
    private boolean peerDied;
    private int unsent;
    private int wakeBelow;

    SimLink(Simulation simulation, String way, SimConnection.End from, SimConnection.End to, LinkProfile profile) {
        this.simulation = simulation;
        this.way = way;
        this.local = from;
        this.remote = to;
        this.profile = profile;
        wire = new SimWire(profile, simulation.newRandom());
        Runnable stepper = from.stepper();
        peerMemory = !profile.direct
                ? null
                : stepper == null
                        ? new MappedMemory(remote.endpoint().memory(), () -> peerDied)
                        : SteppedMemory.peer(remote.endpoint().memory(), stepper, () -> peerDied);
    }

    void join(SimLink other) {
        peer = other;
    }

    /** What this direction is like; rate, delay and faults may be changed at any time. */
    public LinkProfile profile() {
        return profile;
    }

    /** What became of the packets that this end has sent. */
    public LinkCounters counters() {
        return counters;
    }

    /**
     * Lets a tamper decide over the packets that this end sends.
     *
     * @param decides looks at each packet; null lets go
     */
    public void tamper(@Nullable Tamper decides) {
        tamper = decides;
    }

    /** The direction's name in the trace. */
    public String way() {
        return way;
    }

    /** Calls of {@link #wakePeer} so far. */
    public long wakes() {
        return counters.wakes;
    }

    /** Cuts this direction, or lets packets through again. Packets that have departed still arrive. */
    void cut(boolean apart) {
        cut = apart;
    }

    @Override
    public long peerNic() {
        return remote.nicId();
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public int maxPacket() {
        return profile.maxPacket;
    }

    @Override
    public void wakeBelow(int bytes) {
        wakeBelow = bytes;
    }

    @Override
    public int overhead() {
        return profile.overheadBytes;
    }

    @Override
    public int claim(int length) {
        if (length < 1 || length > profile.maxPacket) {
            throw new IllegalArgumentException("packet of " + length + " bytes outside 1.." + profile.maxPacket);
        }
        if (claimed != null) {
            recycle(claimed);
            claimed = null;
        }
        if (state != State.UP || (unsent > 0 && unsent + length > profile.window)) {
            counters.noRoom++;
            return NO_ROOM;
        }
        claimed = take(length);
        return SimPacket.GUARD;
    }

    @Override
    public MutableDirectBuffer buffer() {
        if (claimed == null) {
            throw new IllegalStateException("nothing is claimed");
        }
        return claimed.buffer;
    }

    @Override
    public void commit() {
        SimPacket packet = claimed;
        if (packet == null) {
            throw new IllegalStateException("nothing is claimed");
        }
        claimed = null;
        packet.checkGuards();
        unsent += packet.length;
        committed.add(packet);
    }

    @Override
    public void flush() {
        for (SimPacket p = committed.poll(); p != null; p = committed.poll()) {
            if (state == State.UP) {
                simulation.schedule(p, departure(p));
            } else {
                recycle(p);
            }
        }
    }

    @Override
    public int poll(PacketHandler handler, int limit) {
        int polled = 0;
        while (polled < limit) {
            SimPacket p = inbound.poll();
            if (p == null) {
                break;
            }
            polled++;
            p.sender.counters.delivered++;
            simulation.trace().packet(now(), p.sender.way, Fate.DELIVERED, p.buffer, SimPacket.GUARD, p.length);
            try {
                handler.onPacket(this, p.buffer, SimPacket.GUARD, p.length);
            } finally {
                p.sender.recycle(p);
            }
        }
        if (peerClosed && inbound.isEmpty()) {
            lose(State.DOWN);
        }
        return polled;
    }

    @Override
    public boolean hasInbound() {
        return !inbound.isEmpty();
    }

    @Override
    public int unsent() {
        return unsent;
    }

    @Override
    public @Nullable PeerMemory peerMemory() {
        return peerMemory;
    }

    @Override
    public void wakePeer(int engine) {
        counters.wakes++;
        simulation.after(profile.delayNanos, () -> remote.wake());
    }

    /** Closes this end; what it has flushed still arrives, then the peer's end goes down. */
    @Override
    public void close() {
        if (state == State.CLOSED) {
            return;
        }
        end(State.CLOSED);
        SimLink other = peer;
        if (other != null) {
            // By way of the time at which the last bit leaves, so that it comes behind the last packet.
            simulation.after(Math.max(wire.freeAtNanos() - now(), 0), () -> {
                long arrival = Math.max(now() + profile.delayNanos, wire.lastArrivalNanos());
                simulation.after(arrival - now(), () -> other.peerHasClosed());
            });
        }
    }

    /**
     * Puts a packet on the wire that no engine made: the bytes arrive after the delay, without faults, whatever they
     * are.
     *
     * @param source holds the bytes
     * @param offset of the first
     * @param length 1 to {@link #maxPacket}
     */
    public void inject(DirectBuffer source, int offset, int length) {
        if (length < 1 || length > profile.maxPacket) {
            throw new IllegalArgumentException("packet of " + length + " bytes outside 1.." + profile.maxPacket);
        }
        SimPacket packet = take(length);
        packet.buffer.putBytes(SimPacket.GUARD, source, offset, length);
        packet.stage = SimPacket.ARRIVES;
        simulation.trace().packet(now(), way, Fate.INJECTED, packet.buffer, SimPacket.GUARD, length);
        simulation.schedule(packet, now() + profile.delayNanos);
    }

    /** The peer's end of stream: this end goes down when all that came before has been polled. */
    private void peerHasClosed() {
        peerClosed = true;
        if (inbound.isEmpty()) {
            lose(State.DOWN);
        }
    }

    /** The link breaks, as this end sees it; what was under way to this end and from it is lost. */
    void lose(State to) {
        if (state != State.UP) {
            return;
        }
        peerDied = to == State.DEAD;
        end(to);
        for (SimPacket p = inbound.poll(); p != null; p = inbound.poll()) {
            p.sender.counters.cut++;
            p.sender.recycle(p);
        }
        local.wake();
    }

    private void end(State to) {
        state = to;
        simulation.note(way + " is " + to);
        unsent = 0;
        for (SimPacket p = committed.poll(); p != null; p = committed.poll()) {
            counters.cut++;
            recycle(p);
        }
    }

    /** When a packet's last bit has left, exactly: fractions of a nanosecond are carried over to the next packet. */
    private long departure(SimPacket packet) {
        int length = packet.length;
        NicModel nic = local.nic();
        long now = nic == null ? now() : nic.send(now(), packet.buffer, SimPacket.GUARD, length, profile.overheadBytes);
        return wire.departure(now, length);
    }

    /** The last bit has left: the window opens, and chance strikes. */
    void departed(SimPacket packet) {
        if (state == State.DOWN || state == State.DEAD) {
            drop(packet, Fate.CUT);
            return;
        }
        if (state == State.UP) {
            unsent -= packet.length;
            if (unsent < wakeBelow) {
                wakeBelow = 0;
                local.wake();
            }
        }
        counters.sent++;
        counters.sentBytes += packet.length;
        Tamper.Verdict verdict =
                tamper == null ? Tamper.Verdict.PASS : tamper.onPacket(packet.buffer, SimPacket.GUARD, packet.length);
        boolean byChance = verdict == Tamper.Verdict.PASS;
        if (cut) {
            drop(packet, Fate.CUT);
        } else if (verdict == Tamper.Verdict.DROP || (byChance && wire.loses())) {
            drop(packet, Fate.LOST);
        } else if (byChance && wire.corrupts()) {
            drop(packet, Fate.CORRUPTED);
        } else {
            boolean twice = verdict == Tamper.Verdict.DUPLICATE || (byChance && wire.duplicates());
            if (twice) {
                counters.duplicated++;
                SimPacket copy = take(packet.length);
                copy.buffer.putBytes(SimPacket.GUARD, packet.buffer, SimPacket.GUARD, packet.length);
                copy.stage = SimPacket.ARRIVES;
                trace(copy, Fate.DUPLICATED);
                send(copy, false);
            }
            send(packet, verdict == Tamper.Verdict.HOLD);
        }
    }

    private void send(SimPacket packet, boolean hold) {
        long arrival = wire.arrival(now());
        if (hold || wire.reorders()) {
            counters.reordered++;
            trace(packet, Fate.REORDERED);
            arrival += wire.lateness(hold);
        } else {
            arrival = wire.inOrder(arrival);
            trace(packet, Fate.SENT);
        }
        simulation.schedule(packet, arrival);
    }

    /** A packet that this end has sent reaches the peer's NIC. */
    void arrived(SimPacket packet) {
        NicModel nic = remote.nic();
        if (nic == null) {
            received(packet);
        } else {
            simulation.schedule(
                    packet, nic.receive(now(), packet.buffer, SimPacket.GUARD, packet.length, profile.overheadBytes));
        }
    }

    /** A packet that this end has sent reaches the peer's engine. */
    void received(SimPacket packet) {
        SimLink to = peer;
        if (to == null || to.state != State.UP) {
            drop(packet, Fate.CUT);
        } else if (!to.inbound.offer(packet, profile.inbound)) {
            drop(packet, Fate.OVERRUN);
        } else {
            to.local.wake();
        }
    }

    private void drop(SimPacket packet, Fate fate) {
        switch (fate) {
            case CUT:
                counters.cut++;
                break;
            case LOST:
                counters.lost++;
                break;
            case CORRUPTED:
                counters.corrupted++;
                break;
            default:
                counters.overrun++;
                break;
        }
        trace(packet, fate);
        recycle(packet);
    }

    private void trace(SimPacket packet, Fate fate) {
        simulation.trace().packet(now(), way, fate, packet.buffer, SimPacket.GUARD, packet.length);
    }

    private SimPacket take(int length) {
        SimPacket packet = pool.poll();
        if (packet == null) {
            packet = new SimPacket(this, profile.maxPacket);
        }
        packet.claim(length);
        return packet;
    }

    private void recycle(SimPacket packet) {
        packet.forget();
        pool.push(packet);
    }

    private long now() {
        return simulation.nowNanos();
    }

    @Override
    public String toString() {
        return way + ' ' + state + ", unsent " + unsent + ", " + counters;
    }

    /** The other end's memory, reached without a wire. */
    private record MappedMemory(MemoryProvider memory, BooleanSupplier gone) implements PeerMemory {
        @Override
        public AtomicBuffer control() {
            return memory.control();
        }

        @Override
        public @Nullable AtomicBuffer segment(int segmentId) {
            return memory.segment(segmentId);
        }

        @Override
        public BooleanSupplier gone() {
            return gone;
        }
    }
}

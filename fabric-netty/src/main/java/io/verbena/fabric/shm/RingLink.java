package io.verbena.fabric.shm;

import io.verbena.fabric.security.AuthenticatedLink;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.nic.port.Arrivals;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A link over a pair of packet rings, one a direction, in this process or in a file that two processes map.
 *
 * <p>A committed packet is with the peer at once, so {@link #unsent} is always 0 and {@link #flush} has next to nothing
 * to do. It does not wake a sleeping peer: whoever flushed looks at the peer's park word and calls {@link #wakePeer}.
 *
 * <p>Concurrency: as {@link Link} says. The rings are reached under the baton; the state is volatile. A close leaves
 * the memory of the rings where it is, under whoever polls; it goes with {@link #release}, or with this object.
 */
public final class RingLink implements AuthenticatedLink {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(RingLink.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long peerNic;
    private final String remote;
    private final PacketRingWriter outbound;
    private final PacketRingReader inbound;
    private final @Nullable PeerMemory peerMemory;
    private final RingPeer peer;
    private final PeerIdentity identity;
    private volatile State state = State.UP;
    private boolean flushed; // since the last announcement

    // Written under the baton, read by whoever ends the link.
    private volatile @Nullable Arrivals arrivals;
    private volatile int number;

    RingLink(
            long peerNic,
            String remote,
            PacketRingWriter outbound,
            PacketRingReader inbound,
            @Nullable PeerMemory peerMemory,
            RingPeer peer,
            PeerIdentity identity) {
        this.peerNic = peerNic;
        this.remote = remote;
        this.outbound = outbound;
        this.inbound = inbound;
        this.peerMemory = peerMemory;
        this.peer = peer;
        this.identity = identity;
    }

    @Override
    public long peerNic() {
        return peerNic;
    }

    @Override
    public PeerIdentity peer() {
        return identity;
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public int maxPacket() {
        return outbound.maxPacket();
    }

    @Override
    public int claim(int length) {
        int at = state == State.UP ? outbound.claim(length) : NO_ROOM;
        if (at == NO_ROOM) {
            String fault = outbound.fault();
            if (fault != null) {
                end(fault);
            }
        }
        return at;
    }

    @Override
    public MutableDirectBuffer buffer() {
        return outbound.buffer();
    }

    @Override
    public void commit() {
        outbound.commit();
    }

    @Override
    public void flush() {
        flushed |= outbound.publishPosition();
    }

    /**
     * Delivers packets that have arrived. What a peer committed before it died is still delivered; after {@link #close}
     * nothing is.
     */
    @Override
    public int poll(PacketHandler handler, int limit) {
        if (state == State.CLOSED) {
            return 0;
        }
        int delivered = inbound.poll(this, handler, limit);
        if (inbound.isCorrupt()) { // also behind packets: nobody would look again
            end("ring with a record that no producer writes, at position " + inbound.position());
        }
        return delivered;
    }

    @Override
    public boolean hasInbound() {
        return inbound.hasNext() && state != State.CLOSED;
    }

    @Override
    public boolean announceTo(@Nullable Arrivals told, int as) {
        number = as;
        arrivals = told;
        inbound.announceUnder(told == null ? -1 : as);
        return true;
    }

    @Override
    public int takeAnnouncement() {
        if (!flushed) {
            return -1;
        }
        flushed = false;
        return outbound.announcedUnder();
    }

    @Override
    public int unsent() {
        return 0;
    }

    @Override
    public int ahead(int limit) {
        return outbound.ahead();
    }

    @Override
    public @Nullable PeerMemory peerMemory() {
        return peerMemory;
    }

    @Override
    public void wakePeer(int engine) {
        if (state == State.UP) {
            peer.wake(engine);
        }
    }

    @Override
    public void close() {
        State before = (State) STATE.getAndSet(this, State.CLOSED);
        arrived();
        if (before == State.UP) {
            peer.linkEnded(null);
        }
    }

    @Override
    public void release() {
        peer.released();
    }

    /** The peer closed its end or its process ended; by any thread. Returns whether the link was up until now. */
    boolean peerGone() {
        boolean wasUp = STATE.compareAndSet(this, State.UP, State.DEAD);
        arrived();
        return wasUp;
    }

    private void arrived() {
        Arrivals told = arrivals;
        if (told != null) {
            told.arrived(number);
        }
    }

    private void end(String fault) {
        if (STATE.compareAndSet(this, State.UP, State.DOWN)) {
            arrived();
            peer.linkEnded(fault);
        }
    }

    @Override
    public String toString() {
        return "link to " + remote + ", " + state;
    }
}

package io.verbena.fabric.shm;

import io.verbena.fabric.security.PeerIdentity;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.PeerMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.BufferUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Links two NICs of one process: a packet ring a direction, and each side's memory open to the other.
 *
 * <pre>
 *      a ── RingLink ══ ring ══▶ RingLink ── b
 *        ◀═════════════ ring ═══
 *        ── PeerMemory ─────────▶ b's MemoryProvider, and the other way round
 * </pre>
 *
 * <p>Stateless; any thread. A closed side turns the other's link {@link Link.State#DEAD}.
 */
public final class LocalFabric {
    /** Bytes of a ring unless said otherwise: 256 KiB. */
    public static final int DEFAULT_RING_LENGTH = 256 * 1024;

    /** Largest packet unless said otherwise: 16 KiB of payload and 128 bytes of headers. */
    public static final int DEFAULT_MAX_PACKET = 16 * 1024 + 128;

    private static final int CACHE_LINE_PAIR = 128;

    private LocalFabric() {}

    /**
     * Links two endpoints with the default ring length and packet size.
     *
     * @param a one side
     * @param b the other
     */
    public static void connect(LinkEndpoint a, LinkEndpoint b) {
        connect(a, b, DEFAULT_RING_LENGTH, DEFAULT_MAX_PACKET);
    }

    /**
     * Links two endpoints; both listeners have their link when this returns. If both are the same endpoint, its
     * listener gets a single link that leads back to it.
     *
     * @param a one side
     * @param b the other, or the same
     * @param ringLength bytes of a ring, a power of two
     * @param maxPacket bytes of the largest packet; the ring must hold at least 4
     * @throws IllegalArgumentException if the ring or packet size is out of range
     */
    public static void connect(LinkEndpoint a, LinkEndpoint b, int ringLength, int maxPacket) {
        if (a.equals(b)) {
            Rings own = new Rings(1, 1, ringLength, maxPacket);
            LocalPeer self = new LocalPeer(a, own);
            RingLink link = newLink(a, own.ring(0), own.ring(0), self);
            self.other = link;
            a.listener().onLink(link);
            return;
        }
        Rings rings = new Rings(2, 2, ringLength, maxPacket);
        LocalPeer peerOfA = new LocalPeer(b, rings);
        LocalPeer peerOfB = new LocalPeer(a, rings);
        RingLink linkOfA = newLink(b, rings.ring(0), rings.ring(1), peerOfA);
        RingLink linkOfB = newLink(a, rings.ring(1), rings.ring(0), peerOfB);
        peerOfA.other = linkOfB;
        peerOfB.other = linkOfA;
        a.listener().onLink(linkOfA);
        b.listener().onLink(linkOfB);
    }

    /** The rings of a connection, in one piece of memory that goes when the last of its ends is released. */
    private static final class Rings {
        private final ByteBuffer memory;
        private final AtomicBuffer[] rings;
        private final AtomicInteger ends;

        Rings(int count, int ends, int ringLength, int maxPacket) {
            PacketRingDescriptor.checkCapacity(ringLength, maxPacket);
            int each = PacketRingDescriptor.totalLength(ringLength);
            this.ends = new AtomicInteger(ends);
            this.rings = new AtomicBuffer[count];
            this.memory = ByteBuffer.allocateDirect(Math.addExact(Math.multiplyExact(count, each), CACHE_LINE_PAIR));
            int first = -(int) BufferUtil.address(memory) & (CACHE_LINE_PAIR - 1);
            for (int i = 0; i < count; i++) {
                rings[i] = new UnsafeBuffer(memory, first + i * each, each);
                PacketRingDescriptor.initialize(rings[i], ringLength, maxPacket);
            }
        }

        AtomicBuffer ring(int index) {
            return rings[index];
        }

        void endReleased() {
            if (ends.decrementAndGet() == 0) {
                for (AtomicBuffer ring : rings) {
                    ring.wrap(0, 0);
                }
                BufferUtil.free(memory);
            }
        }
    }

    private static RingLink newLink(LinkEndpoint peer, AtomicBuffer out, AtomicBuffer in, LocalPeer wakes) {
        return new RingLink(
                peer.nicId(),
                "another node of this process",
                new PacketRingWriter(out),
                new PacketRingReader(in),
                new LocalPeerMemory(peer.memory()),
                wakes,
                PeerIdentity.SAME_PROCESS);
    }

    /** The other side, as one side's link sees it. */
    private static final class LocalPeer implements RingPeer {
        private final LinkEndpoint endpoint;
        private final Rings rings;
        private volatile @Nullable RingLink other;

        LocalPeer(LinkEndpoint endpoint, Rings rings) {
            this.endpoint = endpoint;
            this.rings = rings;
        }

        @Override
        public void wake(int engine) {
            endpoint.waiter().wake();
        }

        @Override
        public void linkEnded(@Nullable String fault) {
            RingLink link = other;
            if (link != null && link.peerGone()) {
                endpoint.waiter().wake();
            }
            if (fault != null) {
                endpoint.listener().onRejected("another node of this process", fault);
            }
        }

        @Override
        public void released() {
            rings.endReleased();
        }
    }

    /** A NIC's memory as a peer in the same process sees it. */
    private static final class LocalPeerMemory implements PeerMemory {
        private final MemoryProvider provider;
        private final SegmentCache segments;

        LocalPeerMemory(MemoryProvider provider) {
            this.provider = provider;
            this.segments = new SegmentCache(provider::segment, id -> provider.segment(id) == null);
        }

        @Override
        public AtomicBuffer control() {
            return provider.control();
        }

        @Override
        public @Nullable AtomicBuffer segment(int segmentId) {
            return segments.find(segmentId);
        }
    }
}

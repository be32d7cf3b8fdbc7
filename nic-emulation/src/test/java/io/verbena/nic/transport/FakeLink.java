package io.verbena.nic.transport;

import io.verbena.nic.port.PacketHandler;
import io.verbena.nic.port.PeerMemory;
import io.verbena.nic.support.TestLink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a link in a test's hands: keeps what is committed until it is taken, and loses what the test says.
 */
final class FakeLink extends TestLink {
    /** Packets lie here, not at 0: a position that is forgotten in a sum shows. */
    private static final int CLAIM_OFFSET = 64;

    private final LongSupplier clock;
    private final Deque<Packet> onTheWay = new ArrayDeque<>();
    private int claimed;

    /** Every packet that was committed, in order, also those that were lost. */
    final List<Packet> log = new ArrayList<>();

    int maxPacket = 32 * 1024;

    /** Packets that it still takes. */
    int room = Integer.MAX_VALUE;

    /** Bytes that the medium has not taken, as it says. */
    int unsent;

    /** Bytes that a packet would be behind, as it says; negative: as {@link #unsent}. */
    int ahead = -1;

    /** Whether it says that more packets have arrived. */
    boolean inbound;

    int overhead;
    boolean flushCostly;

    /** Claims whose payload it was given by reference. */
    int references;

    /** What is lost. */
    Predicate<Packet> loses = packet -> false;

    @Nullable
    PeerMemory peerMemory;

    FakeLink(long peerNic, LongSupplier clock) {
        super(peerNic, 32 * 1024, new UnsafeBuffer(new byte[256 * 1024]));
        this.clock = clock;
    }

    /** The oldest packet on the way, or null. */
    @Nullable
    Packet take() {
        return onTheWay.poll();
    }

    /** Loses all that is on the way. */
    void lose() {
        onTheWay.clear();
    }

    boolean isEmpty() {
        return onTheWay.isEmpty();
    }

    /** Loses the first packets of a PSN, so many. */
    void lose(int psn, int times) {
        int[] left = {times};
        loses = packet -> packet.psn == psn && left[0]-- > 0;
    }

    /** When packets were sent since the last call of {@link #sent}, in nanoseconds after a time. */
    List<Long> times(long since) {
        return log.stream().map(packet -> packet.sentAt - since).toList();
    }

    /** What was committed since the last call, as text. */
    List<String> sent() {
        List<String> all = log.stream().map(Packet::toString).toList();
        log.clear();
        return all;
    }

    @Override
    public int maxPacket() {
        return maxPacket;
    }

    @Override
    public int claim(int length) {
        if (length < 1 || length > maxPacket) {
            throw new AssertionError("claim of " + length + " bytes");
        }
        if (state != State.UP) {
            throw new AssertionError("claim on a link that is " + state);
        }
        if (room == 0) {
            return NO_ROOM;
        }
        claimed = length;
        buffer().setMemory(CLAIM_OFFSET, length, (byte) 0x5A); // what a sender leaves out is not 0 by chance
        return CLAIM_OFFSET;
    }

    @Override
    public int claim(int headerLength, DirectBuffer payload, int payloadOffset, int payloadLength) {
        int at = super.claim(headerLength, payload, payloadOffset, payloadLength);
        references += at == NO_ROOM ? 0 : 1;
        return at;
    }

    @Override
    public void commit() {
        if (claimed == 0) {
            throw new AssertionError("nothing is claimed");
        }
        byte[] bytes = new byte[claimed];
        buffer().getBytes(CLAIM_OFFSET, bytes);
        claimed = 0;
        room -= room == Integer.MAX_VALUE ? 0 : 1;
        Packet packet = new Packet(bytes);
        packet.sentAt = clock.getAsLong();
        log.add(packet);
        if (!loses.test(packet)) {
            onTheWay.add(packet);
        }
    }

    @Override
    public boolean isFlushCostly() {
        return flushCostly;
    }

    @Override
    public int poll(PacketHandler handler, int limit) {
        throw new AssertionError("the pair delivers packets");
    }

    @Override
    public boolean hasInbound() {
        return inbound;
    }

    @Override
    public int unsent() {
        return unsent;
    }

    @Override
    public int ahead(int limit) {
        return ahead < 0 ? unsent : ahead;
    }

    @Override
    public int overhead() {
        return overhead;
    }

    @Override
    public @Nullable PeerMemory peerMemory() {
        return peerMemory;
    }
}

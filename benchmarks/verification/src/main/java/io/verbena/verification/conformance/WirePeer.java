package io.verbena.verification.conformance;

import io.verbena.nic.port.Link;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.LinkListener;
import io.verbena.nic.port.Waiter;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.AtomicAckEthFlyweight;
import io.verbena.nic.wire.AtomicEthFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.ImmDtFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import io.verbena.nic.wire.RethFlyweight;
import io.verbena.nic.wire.SkipEthFlyweight;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A peer without a NIC: speaks the wire by hand, so that a test can say what no correct peer would, and sees each
 * packet that the NIC under test sends.
 */
final class WirePeer implements Actor, LinkListener {
    /** Number of its queue pair. */
    static final int QP = 77;

    /** First PSN in both directions: the first packets wrap around. */
    static final int FIRST_PSN = 0xFF_FFFD;

    private final LinkEndpoint endpoint;
    private final Way out;
    private final Way in;
    private final ExpandableArrayBuffer scratch = new ExpandableArrayBuffer(8192);
    final List<Packet> packets = new ArrayList<>();
    private @Nullable Tap link;
    private boolean paused;
    int destinationQp;
    int sourceQp = QP;

    /**
     * Creates a peer in the place of a NIC that is never driven.
     *
     * @param endpoint of that NIC: its identity, memory and waiter
     * @param out what it sends goes this way
     * @param in what it receives comes this way
     * @param destinationQp the queue pair that it speaks to
     */
    WirePeer(LinkEndpoint endpoint, Way out, Way in, int destinationQp) {
        this.endpoint = endpoint;
        this.out = out;
        this.in = in;
        this.destinationQp = destinationQp;
    }

    /** The PSN so many after the first. */
    static int psn(int index) {
        return Psn.add(FIRST_PSN, index);
    }

    /** A packet that came from the NIC under test. */
    @SuppressWarnings("ArrayRecordComponent")
    record Packet(Opcode opcode, int flags, int psn, byte[] bytes) {
        int syndrome() {
            return AethFlyweight.syndrome(new UnsafeBuffer(bytes), opcode.aethOffset());
        }

        int msn() {
            return AethFlyweight.msn(new UnsafeBuffer(bytes), opcode.aethOffset());
        }

        long original() {
            return AtomicAckEthFlyweight.original(new UnsafeBuffer(bytes), opcode.atomicAckEthOffset());
        }

        long remoteOffset() {
            return RethFlyweight.remoteOffset(new UnsafeBuffer(bytes), opcode.rethOffset());
        }

        int length() {
            return RethFlyweight.length(new UnsafeBuffer(bytes), opcode.rethOffset());
        }

        byte[] payload() {
            byte[] payload = new byte[bytes.length - opcode.headerLength()];
            System.arraycopy(bytes, opcode.headerLength(), payload, 0, payload.length);
            return payload;
        }
    }

    LinkEndpoint endpoint() {
        return new LinkEndpoint(endpoint.nicId(), 0, endpoint.waiter(), endpoint.memory(), this);
    }

    Link link() {
        Link now = link;
        if (now == null) {
            throw new IllegalStateException("no link yet");
        }
        return now;
    }

    @Nullable
    Tap tap() {
        return link;
    }

    boolean isLinked() {
        return link != null;
    }

    /** The only packet of an opcode that has come. */
    Packet only(Opcode opcode) {
        List<Packet> found = all(opcode);
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " packets of " + opcode + " among " + packets);
        }
        return found.get(0);
    }

    List<Packet> all(Opcode opcode) {
        return packets.stream().filter(p -> p.opcode() == opcode).toList();
    }

    void forget() {
        packets.clear();
    }

    /** SEND, MIDDLE and LAST packets: no header but the BTH (and immediate 0). */
    void plain(Opcode opcode, int psn, byte[] payload) {
        start(opcode, psn);
        finish(opcode, payload);
    }

    void immediate(Opcode opcode, int psn, int immediate, byte[] payload) {
        start(opcode, psn);
        ImmDtFlyweight.encode(scratch, opcode.immOffset(), immediate);
        finish(opcode, payload);
    }

    void reth(Opcode opcode, int psn, int rkey, long remoteOffset, int length, byte[] payload) {
        start(opcode, psn);
        RethFlyweight.encode(scratch, opcode.rethOffset(), remoteOffset, rkey, length);
        finish(opcode, payload);
    }

    void atomic(Opcode opcode, int psn, int rkey, long remoteOffset, long swapOrAdd, long compare) {
        start(opcode, psn);
        AtomicEthFlyweight.encode(scratch, opcode.atomicEthOffset(), remoteOffset, rkey, swapOrAdd, compare);
        finish(opcode, new byte[0]);
    }

    void append(Opcode opcode, int psn, int queueId, int queueKey, int messageLength, byte[] payload) {
        append(opcode, psn, queueId, queueKey, messageLength, 0, payload);
    }

    void append(Opcode opcode, int psn, int queueId, int queueKey, int messageLength, int stream, byte[] payload) {
        start(opcode, psn);
        AppendEthFlyweight.encode(scratch, opcode.appendEthOffset(), queueId, queueKey, messageLength, stream, 1);
        finish(opcode, payload);
    }

    void skip(int psn, int next, boolean abandons) {
        start(Opcode.SKIP, psn);
        SkipEthFlyweight.encode(scratch, Opcode.SKIP.skipEthOffset(), next, abandons);
        finish(Opcode.SKIP, new byte[0]);
    }

    void acknowledge(int psn, int syndrome, int msn) {
        start(Opcode.ACKNOWLEDGE, psn);
        AethFlyweight.encode(scratch, Opcode.ACKNOWLEDGE.aethOffset(), syndrome, msn);
        finish(Opcode.ACKNOWLEDGE, new byte[0]);
    }

    void atomicAcknowledge(int psn, int msn, long original) {
        start(Opcode.ATOMIC_ACKNOWLEDGE, psn);
        AethFlyweight.encode(scratch, Opcode.ATOMIC_ACKNOWLEDGE.aethOffset(), 0x1F, msn);
        AtomicAckEthFlyweight.original(scratch, Opcode.ATOMIC_ACKNOWLEDGE.atomicAckEthOffset(), original);
        finish(Opcode.ATOMIC_ACKNOWLEDGE, new byte[0]);
    }

    void readResponse(Opcode opcode, int psn, byte[] payload) {
        start(opcode, psn);
        if (opcode.aethOffset() != Opcode.ABSENT) {
            AethFlyweight.encode(scratch, opcode.aethOffset(), 0x1F, 0);
        }
        finish(opcode, payload);
    }

    /** Sends bytes as they are. */
    void raw(DirectBuffer bytes, int offset, int length) {
        Link to = link();
        int at = to.claim(length);
        if (at == Link.NO_ROOM) {
            throw new AssertionError("no room for " + length + " bytes");
        }
        to.buffer().putBytes(at, bytes, offset, length);
        to.commit();
        to.flush();
    }

    private void start(Opcode opcode, int psn) {
        scratch.setMemory(0, opcode.headerLength(), (byte) 0);
        BthFlyweight.encode(scratch, 0, opcode.code(), BthFlyweight.ACK_REQUEST, destinationQp, psn, sourceQp);
    }

    private void finish(Opcode opcode, byte[] payload) {
        scratch.putBytes(opcode.headerLength(), payload);
        raw(scratch, 0, opcode.headerLength() + payload.length);
    }

    boolean isPaused() {
        return paused;
    }

    /** Lets what comes lie. */
    void pause() {
        paused = true;
    }

    /** Looks at what comes again. */
    void resume() {
        paused = false;
    }

    @Override
    public int step() {
        if (paused) {
            return 0;
        }
        Waiter waiter = endpoint.waiter();
        int work = waiter.poll();
        Link from = link;
        return from == null ? work : work + from.poll(this::onPacket, 64);
    }

    private void onPacket(Link from, DirectBuffer buffer, int offset, int length) {
        int headers = Opcode.check(buffer, offset, length);
        if (headers < 0) {
            throw new AssertionError("the NIC sent a packet that " + Opcode.describe(headers));
        }
        byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        packets.add(new Packet(
                Objects.requireNonNull(Opcode.of(BthFlyweight.opcode(buffer, offset))),
                BthFlyweight.flags(buffer, offset),
                BthFlyweight.psn(buffer, offset),
                bytes));
    }

    @Override
    public void onLink(Link newLink) {
        link = new Tap(newLink, out, in, true);
    }

    @Override
    public void onRejected(String remote, String reason) {
        throw new AssertionError(remote + ": " + reason);
    }
}

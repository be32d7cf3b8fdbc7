package io.verbena.nic.transport;

import io.verbena.nic.port.Link;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of an unreliable connection, and of datagrams: a request is complete when its last packet is on the
 * link. Nothing is answered and nothing is sent again. Without a link packets are dropped, and counted; so they are
 * when the link has had no room for {@link #LIFETIME_NANOS}, as a switch's head-of-queue lifetime has it.
 *
 * <p>Pure state: used under the engine's baton.
 */
final class UnreliableRequester extends QpRequester {
    /** Largest datagram's payload in bytes; less where the link carries less. */
    static final int DATAGRAM_MTU = 8192;

    private static final long LIFETIME_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final boolean datagrams;
    private @Nullable Path destination; // of the current datagram
    private int nextPsn;
    private long giveUpAt = Long.MAX_VALUE; // when a link without room is given up
    private long dropBelow; // requests below this index, along the path that was given up, are dropped
    private @Nullable Path dropTo;

    UnreliableRequester(QpContext qp, TransportServices services) {
        super(qp, services);
        this.datagrams = qp.type() == QpType.UD;
    }

    @Override
    void reset(int psn) {
        nextPsn = psn & Psn.MASK;
        offset = 0;
        started = false;
        giveUpAt = Long.MAX_VALUE;
        dropBelow = 0;
        dropTo = null;
    }

    @Override
    boolean isUnderWay() {
        return started && offset > 0;
    }

    @Override
    Path path() {
        Path to = destination;
        return datagrams && to != null ? to : super.path();
    }

    @Override
    int transmit(int budget) {
        int spent = 0;
        outcome = QpContext.MORE;
        while (spent < budget) {
            QpState state = qp.state();
            if (state != QpState.RTS && !(state == QpState.SQD && isUnderWay())) {
                outcome = notSending();
                break;
            }
            if (!ring.hasNext()) {
                outcome = QpContext.IDLE;
                break;
            }
            int slot = ring.slot(ring.next());
            int kind = wqes.getByte(slot + SendWqeDescriptor.OPCODE);
            if (isLocal(kind)) {
                if (executeHere(slot, kind)) {
                    continue;
                }
                outcome = QpContext.IDLE;
                break;
            }
            int sent = started || begin(slot, kind) ? sendPacket(slot, kind) : STOPPED;
            if (sent == STOPPED) {
                break;
            }
            spent += sent;
            if (qp.sendsOnePacket()) {
                if (!started && !ring.hasNext()) {
                    outcome = QpContext.IDLE;
                }
                break;
            }
        }
        ring.releaseConsumed();
        return spent;
    }

    /** Checks a request before its first byte is sent. */
    private boolean begin(int slot, int kind) {
        int mtu = qp.pathMtu();
        if (datagrams) {
            AddressTable.Address address =
                    services.addresses().find(wqes.getInt(slot + SendWqeDescriptor.ADDRESS), qp.pd());
            if (address == null) {
                return refuse(WcStatus.LOC_QP_OP_ERR);
            }
            Path to = services.path(address.peerNic());
            destination = to;
            Link link = to.link();
            mtu = link == null ? DATAGRAM_MTU : Math.min(DATAGRAM_MTU, link.maxPacket() - Opcode.MAX_HEADER_LENGTH);
        }
        if ((datagrams || kind == APPEND) && wqes.getInt(slot + SendWqeDescriptor.LENGTH) > mtu) {
            return refuse(WcStatus.LOC_LEN_ERR);
        }
        if ((wqes.getByte(slot + SendWqeDescriptor.FLAGS) & SendWqeDescriptor.INLINE) == 0 && !entriesHold(slot, 0)) {
            return refuse(WcStatus.LOC_PROT_ERR);
        }
        started = true;
        return true;
    }

    private boolean refuse(WcStatus status) {
        fail(status);
        outcome = QpContext.IDLE;
        return false;
    }

    private boolean isGivenUp(Path path) {
        return ring.next() < dropBelow && path == dropTo;
    }

    private int sendPacket(int slot, int kind) {
        Path path = path();
        Link link = path.link();
        int flags = wqes.getByte(slot + SendWqeDescriptor.FLAGS);
        int length = wqes.getInt(slot + SendWqeDescriptor.LENGTH);
        int payload = datagrams ? length : Math.min(length - offset, qp.pathMtu());
        boolean last = offset + payload == length;
        Opcode opcode = packet(kind, flags, last);
        int bytes = opcode.headerLength() + payload;
        if (link == null || link.state() != Link.State.UP || isGivenUp(path)) {
            services.count(NicCounter.PACKETS_DROPPED);
        } else if (bytes > link.maxPacket()) {
            refuse(WcStatus.LOC_LEN_ERR); // a link that carries less than the path's MTU
            return STOPPED;
        } else {
            if (offset > 0 && (flags & SendWqeDescriptor.INLINE) == 0 && !entriesHold(slot, 0)) {
                refuse(WcStatus.LOC_PROT_ERR); // a region has gone since the start
                return STOPPED;
            }
            int at = link.claim(bytes);
            if (at == Link.NO_ROOM) {
                awaitsRoom();
                started = offset > 0; // what waits is looked at once more before it goes
                return STOPPED;
            }
            int bthFlags = last && (flags & SendWqeDescriptor.SOLICITED) != 0 ? BthFlyweight.SOLICITED : 0;
            int to = datagrams ? wqes.getInt(slot + SendWqeDescriptor.DESTINATION_QP) : qp.peerQp();
            encode(link.buffer(), at, slot, opcode, bthFlags, to, nextPsn, payload);
            link.commit();
            services.touch(path);
            giveUpAt = Long.MAX_VALUE;
        }
        nextPsn = Psn.next(nextPsn);
        offset += payload;
        if (last) {
            completeHead(WcStatus.SUCCESS);
            if (qp.state() == QpState.SQD) {
                services.event(AsyncEventType.SQ_DRAINED, qp.number());
            }
        }
        return bytes + path.overhead();
    }

    @Override
    void flush() {
        super.flush();
        giveUpAt = Long.MAX_VALUE;
        dropBelow = 0;
        dropTo = null;
    }

    @Override
    public void awaitsRoom() {
        if (ring.hasNext()) {
            outcome = QpContext.BLOCKED;
            if (giveUpAt == Long.MAX_VALUE) {
                giveUpAt = services.now() + LIFETIME_NANOS;
                services.arm(qp, giveUpAt);
            }
        }
    }

    @Override
    void onTimer(long now) {
        if (giveUpAt <= now) {
            giveUpAt = Long.MAX_VALUE;
            if (outcome == QpContext.BLOCKED) {
                dropBelow = ring.published();
                dropTo = path();
                services.schedule(qp); // its visit finds them dropped
            }
        }
    }

    @Override
    long deadline() {
        return giveUpAt;
    }

    @Override
    public void onResponse(Opcode opcode, DirectBuffer b, int at, int length, int headers) {
        services.count(NicCounter.UNEXPECTED_RESPONSES); // nothing was asked
    }

    @Override
    public void peerDied() {
        // Nothing was promised: what is sent from now on is dropped, and counted.
    }
}

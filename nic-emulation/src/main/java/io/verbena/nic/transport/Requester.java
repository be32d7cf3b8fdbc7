package io.verbena.nic.transport;

import io.verbena.nic.QpState;
import io.verbena.nic.WcOpcode;
import io.verbena.nic.WcStatus;
import io.verbena.nic.memory.Access;
import io.verbena.nic.port.Link;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.AtomicEthFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.ImmDtFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import io.verbena.nic.wire.RethFlyweight;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The sending half of a queue pair: cuts packets from the request at its fetch offset until the budget is spent, or
 * executes the request on the peer's mapped memory ({@link DirectPath}).
 *
 * <p>A request gets its PSNs when it is first sent and keeps them; going back to an earlier PSN moves the cursor only.
 * Pure state: used under the engine's baton.
 */
public final class Requester {
    private static final int SEND = WcOpcode.SEND.ordinal();
    private static final int WRITE = WcOpcode.WRITE.ordinal();
    private static final int READ = WcOpcode.READ.ordinal();
    private static final int COMPARE_SWAP = WcOpcode.COMPARE_SWAP.ordinal();
    private static final int FETCH_ADD = WcOpcode.FETCH_ADD.ordinal();
    private static final int APPEND = WcOpcode.APPEND.ordinal();

    /** An acknowledgement is asked for at least so often, so that a long message's timer runs for a part of it. */
    private static final int ACKNOWLEDGED_BYTES = 16 * 1024;

    // By WcOpcode: only, first, middle, last, then only and last with immediate.
    private static final Opcode[][] PACKETS = new Opcode[WcOpcode.values().length][];
    private static final int ONLY = 0;
    private static final int FIRST = 1;
    private static final int MIDDLE = 2;
    private static final int LAST = 3;
    private static final int WITH_IMMEDIATE = 4;

    static {
        PACKETS[SEND] = new Opcode[] {
            Opcode.SEND_ONLY, Opcode.SEND_FIRST, Opcode.SEND_MIDDLE, Opcode.SEND_LAST,
            Opcode.SEND_ONLY_IMMEDIATE, Opcode.SEND_FIRST, Opcode.SEND_MIDDLE, Opcode.SEND_LAST_IMMEDIATE
        };
        PACKETS[WRITE] = new Opcode[] {
            Opcode.WRITE_ONLY, Opcode.WRITE_FIRST, Opcode.WRITE_MIDDLE, Opcode.WRITE_LAST,
            Opcode.WRITE_ONLY_IMMEDIATE, Opcode.WRITE_FIRST, Opcode.WRITE_MIDDLE, Opcode.WRITE_LAST_IMMEDIATE
        };
        PACKETS[APPEND] = new Opcode[] {
            Opcode.APPEND_ONLY, Opcode.APPEND_FIRST, Opcode.APPEND_MIDDLE, Opcode.APPEND_LAST,
            Opcode.APPEND_ONLY_IMMEDIATE, Opcode.APPEND_FIRST, Opcode.APPEND_MIDDLE, Opcode.APPEND_LAST_IMMEDIATE
        };
        PACKETS[READ] = new Opcode[] {Opcode.READ_REQUEST};
        PACKETS[COMPARE_SWAP] = new Opcode[] {Opcode.COMPARE_SWAP};
        PACKETS[FETCH_ADD] = new Opcode[] {Opcode.FETCH_ADD};
    }

    private final QpContext qp;
    private final TransportServices services;
    private final SendRing ring;
    private final UnsafeBuffer wqes;
    private final Completer completer;
    private final DirectPath direct;

    private int outcome;
    private int nextPsn;
    private long assigned; // requests below this index have their PSNs
    private int offset; // bytes of the current request that were sent
    private boolean started; // the current request has been checked
    private boolean directly; // and is executed on mapped memory
    private boolean justChecked; // its entries, and the direct path, have been checked in this turn
    private int unrequested; // bytes sent since an acknowledgement was asked for
    private boolean packetsOnly; // the current request was refused by the direct path: the peer shall answer it
    private int readsOutstanding;

    Requester(QpContext qp, TransportServices services) {
        this.qp = qp;
        this.services = services;
        this.ring = qp.sendRing();
        this.wqes = ring.buffer();
        this.completer = new Completer(qp, services, this);
        this.direct = new DirectPath(qp, services);
    }

    /** What takes the peer's answers. */
    public Completer completer() {
        return completer;
    }

    /** Why the last {@link #transmit} ended, as in {@link QpContext}. */
    int outcome() {
        return outcome;
    }

    boolean hasWork() {
        return ring.hasNext();
    }

    long deadline() {
        return completer.deadline();
    }

    void onTimer(long now) {
        completer.onTimer(now);
    }

    void reset(int psn) {
        nextPsn = psn & Psn.MASK;
        assigned = ring.head();
        offset = 0;
        started = false;
        directly = false;
        packetsOnly = false;
        readsOutstanding = 0;
        completer.reset(nextPsn);
    }

    /** Index of the first request without PSNs. */
    long assigned() {
        return assigned;
    }

    /** Whether requests were sent as packets and are not answered. */
    boolean hasUnanswered() {
        return ring.head() < assigned;
    }

    /** Whether a request has been sent in part. */
    boolean isStarted() {
        return started;
    }

    /** Whether the peer owes something: an answer, or a link that takes packets. What merely waits its turn does not count. */
    boolean awaitsPeer() {
        return hasUnanswered() || (outcome == QpContext.BLOCKED && qp.state() == QpState.RTS && ring.hasNext());
    }

    int nextPsn() {
        return nextPsn;
    }

    int transmit(int budget) {
        int spent = 0;
        outcome = QpContext.MORE;
        justChecked = false;
        while (spent < budget) {
            if (qp.state() != QpState.RTS && !(qp.state() == QpState.SQD && (started || ring.next() < assigned))) {
                outcome = notSending();
                break;
            }
            if (!ring.hasNext()) {
                outcome = QpContext.IDLE;
                break;
            }
            if (completer.isHeldBack()) {
                outcome = QpContext.WAITING;
                break;
            }
            int slot = ring.slot(ring.next());
            if (!started && !begin(slot)) {
                break;
            }
            int sent = directly ? executeDirectly(slot, budget - spent) : sendPacket(slot);
            if (sent < 0) {
                break;
            }
            spent += sent;
        }
        ring.releaseConsumed();
        return spent;
    }

    private int notSending() {
        if (qp.state() == QpState.ERR) {
            qp.flushPosted();
            return QpContext.IDLE;
        }
        return ring.hasNext() ? QpContext.WAITING : QpContext.IDLE;
    }

    /** Checks a request before its first byte is sent. Sets the outcome where it returns false. */
    private boolean begin(int slot) {
        int opcode = wqes.getByte(slot + SendWqeDescriptor.OPCODE);
        int flags = wqes.getByte(slot + SendWqeDescriptor.FLAGS);
        boolean reads = opcode == READ || opcode == COMPARE_SWAP || opcode == FETCH_ADD;
        boolean nothingUnanswered = ring.head() == ring.next();
        Path path = qp.path();
        directly = !packetsOnly
                && path != null
                && path.remoteKeys() != null
                && DirectPath.offers(opcode, flags)
                && direct.isOpen(path);
        if ((directly && !nothingUnanswered)
                || (reads && !directly && readsOutstanding >= qp.maxRdAtomic())
                || ((flags & SendWqeDescriptor.FENCE) != 0 && readsOutstanding > 0)) {
            if (reads && qp.maxRdAtomic() == 0) {
                return refuse(WcStatus.LOC_QP_OP_ERR, nothingUnanswered);
            }
            outcome = QpContext.WAITING;
            return false;
        }
        if (ring.next() >= assigned && !directly && !hasPsnsFor(packets(slot))) {
            if (nothingUnanswered) {
                return refuse(WcStatus.LOC_LEN_ERR, true);
            }
            outcome = QpContext.WAITING;
            return false;
        }
        if ((flags & SendWqeDescriptor.INLINE) == 0) {
            if (!entriesHold(slot, reads)) {
                if (opcode != READ) {
                    return refuse(WcStatus.LOC_PROT_ERR, nothingUnanswered);
                }
                // The peer looks first: where both keys are bad, a READ reports the remote one. The completer looks
                // again.
                directly = false;
            }
            if (opcode != READ && reads && wqes.getInt(slot + SendWqeDescriptor.LENGTH) != Long.BYTES) {
                return refuse(WcStatus.LOC_LEN_ERR, nothingUnanswered);
            }
        }
        started = true;
        justChecked = true;
        return true;
    }

    private boolean entriesHold(int slot, boolean reads) {
        return ScatterGather.check(
                services,
                wqes,
                slot + SendWqeDescriptor.DATA,
                wqes.getByte(slot + SendWqeDescriptor.SGE_COUNT),
                qp.pd(),
                reads ? Access.LOCAL_WRITE : 0);
    }

    /** Whether so many more PSNs can be outstanding: numbers compare only while fewer than 2^23 are. */
    private boolean hasPsnsFor(int packets) {
        int outstanding = hasUnanswered() ? Psn.diff(nextPsn, completer.headPsn()) : 0;
        return outstanding + packets < Psn.HALF;
    }

    /** PSNs that a request takes: its packets, or those of a READ's answer. */
    private int packets(int slot) {
        int kind = wqes.getByte(slot + SendWqeDescriptor.OPCODE);
        if (kind == COMPARE_SWAP || kind == FETCH_ADD) {
            return 1;
        }
        int length = wqes.getInt(slot + SendWqeDescriptor.LENGTH);
        return Math.max(1, (int) ((length + (long) qp.pathMtu() - 1) / qp.pathMtu()));
    }

    private boolean refuse(WcStatus status, boolean nothingUnanswered) {
        if (nothingUnanswered) {
            fail(status);
            outcome = QpContext.IDLE;
        } else {
            outcome = QpContext.WAITING; // earlier requests complete first
        }
        return false;
    }

    private int executeDirectly(int slot, int budget) {
        Path path = qp.path();
        if (path == null) {
            throw new IllegalStateException("a queue pair in " + qp.state() + " has no path");
        }
        // The look at the peer's queue pair counts for this turn.
        int result =
                justChecked || direct.isOpen(path) ? direct.execute(path, slot, offset, budget) : DirectPath.AS_PACKETS;
        if (result >= 0) {
            offset += result;
            if (direct.isDone()) {
                offset = 0;
                started = false;
                completer.completeHead(WcStatus.SUCCESS);
                completer.progress();
                assigned = ring.head();
                completer.drained();
            }
            return result + DirectPath.OVERHEAD;
        }
        started = false;
        if (result == DirectPath.RECEIVER_NOT_READY) {
            outcome = QpContext.WAITING;
            completer.receiverNotReady(direct.notReadyDelay());
        } else if (result == DirectPath.LOCAL_ERROR) {
            fail(WcStatus.LOC_PROT_ERR);
            outcome = QpContext.IDLE;
        } else {
            packetsOnly = true; // the peer judges it, answers and raises its events
            offset = 0;
            outcome = QpContext.MORE;
            return begin(slot) ? 0 : -1;
        }
        return -1;
    }

    private int sendPacket(int slot) {
        Path path = qp.path();
        Link link = path == null ? null : path.link();
        if (path == null || link == null || link.state() != Link.State.UP) {
            outcome = QpContext.BLOCKED;
            completer.sent(); // its timer runs although nothing can be sent
            return -1;
        }
        int kind = wqes.getByte(slot + SendWqeDescriptor.OPCODE);
        int flags = wqes.getByte(slot + SendWqeDescriptor.FLAGS);
        int length = wqes.getInt(slot + SendWqeDescriptor.LENGTH);
        boolean reads = kind == READ || kind == COMPARE_SWAP || kind == FETCH_ADD;
        int payload = reads ? 0 : Math.min(length - offset, qp.pathMtu());
        boolean last = reads || offset + payload == length;
        boolean immediate = (flags & SendWqeDescriptor.IMMEDIATE) != 0;
        Opcode[] packets = PACKETS[kind];
        int position = last ? (reads || offset == 0 ? ONLY : LAST) : offset == 0 ? FIRST : MIDDLE;
        Opcode opcode = packets[immediate ? position + WITH_IMMEDIATE : position];
        int headers = opcode.headerLength();
        if (headers + payload > link.maxPacket()) {
            return stop(WcStatus.LOC_LEN_ERR); // a link that carries less than the path's MTU
        }
        if (payload > 0 && !justChecked && (flags & SendWqeDescriptor.INLINE) == 0 && !entriesHold(slot, false)) {
            return stop(WcStatus.LOC_PROT_ERR); // a region has gone since the request was started
        }
        int at = link.claim(headers + payload);
        if (at == Link.NO_ROOM) {
            outcome = QpContext.BLOCKED;
            completer.sent();
            return -1;
        }
        boolean first = !hasUnanswered();
        int psn = offset == 0 ? firstPsn(slot) : psnAt(slot);
        MutableDirectBuffer b = link.buffer();
        unrequested = last ? 0 : unrequested + payload;
        boolean wantsAnswer = last || unrequested >= ACKNOWLEDGED_BYTES;
        if (wantsAnswer) {
            unrequested = 0;
        }
        int bthFlags = (wantsAnswer ? BthFlyweight.ACK_REQUEST : 0)
                | (last && (flags & SendWqeDescriptor.SOLICITED) != 0 ? BthFlyweight.SOLICITED : 0);
        BthFlyweight.encode(b, at, opcode.code(), bthFlags, qp.peerQp(), psn, qp.number());
        long remote = wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET);
        int remoteKey = wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY);
        if (opcode.rethOffset() != Opcode.ABSENT) {
            int done = kind == READ ? offset : 0; // a READ goes on where its answers stopped
            RethFlyweight.encode(b, at + opcode.rethOffset(), remote + done, remoteKey, length - done);
        } else if (opcode.appendEthOffset() != Opcode.ABSENT) {
            AppendEthFlyweight.encode(b, at + opcode.appendEthOffset(), (int) remote, remoteKey, length);
        } else if (opcode.atomicEthOffset() != Opcode.ABSENT) {
            AtomicEthFlyweight.encode(
                    b,
                    at + opcode.atomicEthOffset(),
                    remote,
                    remoteKey,
                    wqes.getLong(slot + SendWqeDescriptor.SWAP_OR_ADD),
                    wqes.getLong(slot + SendWqeDescriptor.COMPARE));
        }
        if (opcode.immOffset() != Opcode.ABSENT) {
            ImmDtFlyweight.immediate(b, at + opcode.immOffset(), wqes.getInt(slot + SendWqeDescriptor.IMMEDIATE_DATA));
        }
        if (payload > 0) {
            gather(slot, flags, offset, payload, b, at + headers);
        }
        link.commit();
        services.touch(path);
        justChecked = false;
        offset += payload;
        if (last) {
            offset = 0;
            started = false;
            packetsOnly = false;
            ring.advanceNext();
            if (reads) {
                readsOutstanding++;
            }
        }
        if (first) {
            completer.startTimer();
        } else {
            completer.sent();
        }
        return headers + payload;
    }

    /** The current request cannot go on: it fails when those before it are complete. */
    private int stop(WcStatus status) {
        refuse(status, ring.head() == ring.next());
        return -1;
    }

    /** Gathers a part of a request's message; its entries have been checked. */
    private void gather(int slot, int flags, int from, int bytes, MutableDirectBuffer target, int at) {
        if ((flags & SendWqeDescriptor.INLINE) != 0) {
            target.putBytes(at, wqes, slot + SendWqeDescriptor.DATA + from, bytes);
        } else if (!ScatterGather.gather(services, wqes, slot + SendWqeDescriptor.DATA, from, bytes, target, at)) {
            // Deregistered by another thread between the check and the copy: zeros go out, and nothing of this one's.
            target.setMemory(at, bytes, (byte) 0);
        }
    }

    /** The PSN of a request's first packet; assigns its PSNs the first time. */
    private int firstPsn(int slot) {
        if (ring.next() < assigned) {
            return wqes.getInt(slot + SendWqeDescriptor.FIRST_PSN);
        }
        int packets = packets(slot);
        int first = nextPsn;
        wqes.putInt(slot + SendWqeDescriptor.FIRST_PSN, first);
        wqes.putInt(slot + SendWqeDescriptor.LAST_PSN, Psn.add(first, packets - 1));
        nextPsn = Psn.add(first, packets);
        assigned = ring.next() + 1;
        return first;
    }

    private int psnAt(int slot) {
        return Psn.add(wqes.getInt(slot + SendWqeDescriptor.FIRST_PSN), offset / qp.pathMtu());
    }

    /** Goes back to a PSN that was sent: the next packet will be that one. */
    void rewind(int psn) {
        long index = ring.head();
        readsOutstanding = 0;
        while (index < assigned) {
            int slot = ring.slot(index);
            int first = wqes.getInt(slot + SendWqeDescriptor.FIRST_PSN);
            int last = wqes.getInt(slot + SendWqeDescriptor.LAST_PSN);
            int kind = wqes.getByte(slot + SendWqeDescriptor.OPCODE);
            boolean reads = kind == READ || kind == COMPARE_SWAP || kind == FETCH_ADD;
            if (!Psn.after(psn, last)) {
                offset = reads && kind != READ ? 0 : Math.max(0, Psn.diff(psn, first)) * qp.pathMtu();
                started = offset > 0;
                directly = false;
                ring.rewind(index);
                return;
            }
            if (reads) {
                readsOutstanding++;
            }
            index++;
        }
    }

    /** The oldest request is complete and gone from the ring; the cursor may have stood on it. */
    void completed(boolean wasSentRead, boolean wasCurrent) {
        if (wasSentRead) {
            readsOutstanding--;
        }
        if (wasCurrent) {
            offset = 0;
            started = false;
            packetsOnly = false;
        }
    }

    /** Ends the oldest request in an error, which puts the queue pair in ERR. */
    void fail(WcStatus status) {
        completer.completeHead(status);
        qp.error();
        ring.releaseConsumed();
    }

    /** Flushes every published request. */
    void flush() {
        while (ring.head() < ring.next() || ring.hasNext()) {
            completer.completeHead(WcStatus.WR_FLUSH_ERR);
        }
        ring.releaseConsumed();
        assigned = ring.head();
        offset = 0;
        started = false;
        directly = false;
        packetsOnly = false;
        readsOutstanding = 0;
        completer.disarm();
    }
}

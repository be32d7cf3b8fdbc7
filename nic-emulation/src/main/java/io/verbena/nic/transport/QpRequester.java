package io.verbena.nic.transport;

import io.verbena.nic.memory.Access;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.AtomicEthFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.DethFlyweight;
import io.verbena.nic.wire.IethFlyweight;
import io.verbena.nic.wire.ImmDtFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.RethFlyweight;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a queue pair: cuts packets from the request at its fetch offset until the budget is spent. What
 * is the same on all transports is here: the request under way, its packets' layout, requests that are done on this
 * side alone.
 *
 * <p>Pure state: used under the engine's baton.
 */
public abstract class QpRequester {
    static final int SEND = WcOpcode.SEND.ordinal();
    static final int WRITE = WcOpcode.WRITE.ordinal();
    static final int READ = WcOpcode.READ.ordinal();
    static final int COMPARE_SWAP = WcOpcode.COMPARE_SWAP.ordinal();
    static final int FETCH_ADD = WcOpcode.FETCH_ADD.ordinal();
    static final int APPEND = WcOpcode.APPEND.ordinal();
    static final int BIND_WINDOW = WcOpcode.BIND_WINDOW.ordinal();
    static final int LOCAL_INVALIDATE = WcOpcode.LOCAL_INVALIDATE.ordinal();

    /** In place of bytes: nothing was sent, {@link #outcome} says why. */
    static final int STOPPED = -1;

    // By WcOpcode: only, first, middle, last; then the same with immediate, and with a key to invalidate.
    private static final Opcode[][] PACKETS = new Opcode[WcOpcode.values().length][];
    private static final int ONLY = 0;
    private static final int FIRST = 1;
    private static final int MIDDLE = 2;
    private static final int LAST = 3;
    private static final int WITH_IMMEDIATE = 4;
    private static final int WITH_INVALIDATE = 8;

    static {
        PACKETS[SEND] = new Opcode[] {
            Opcode.SEND_ONLY, Opcode.SEND_FIRST, Opcode.SEND_MIDDLE, Opcode.SEND_LAST,
            Opcode.SEND_ONLY_IMMEDIATE, Opcode.SEND_FIRST, Opcode.SEND_MIDDLE, Opcode.SEND_LAST_IMMEDIATE,
            Opcode.SEND_ONLY_INVALIDATE, Opcode.SEND_FIRST, Opcode.SEND_MIDDLE, Opcode.SEND_LAST_INVALIDATE
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

    final QpContext qp;
    final TransportServices services;
    final SendRing ring;
    final UnsafeBuffer wqes;
    final @Nullable MessageSlicer slicer; // what fills the ring; null if it is the poster

    int outcome;
    int offset; // bytes of the current request that were sent
    boolean started; // the current request has been checked

    QpRequester(QpContext qp, TransportServices services) {
        this.qp = qp;
        this.services = services;
        this.ring = qp.requests();
        this.wqes = ring.buffer();
        this.slicer = qp.slicer();
    }

    /** Sends up to a budget; {@link #outcome} says why it ended. Returns the bytes that were sent. */
    abstract int transmit(int budget);

    /**
     * Executes a request as it is posted, if the peer's memory is at hand: cut-through. It lies in the ring's next free
     * slot; no request is before it, and if it has been executed it never becomes one.
     *
     * @param slot of the ring
     * @param data its inline data, which is not in the slot yet
     * @param longest most bytes of data
     * @return bytes charged, or {@link #STOPPED}: nothing has happened, it goes the way of all requests
     */
    int executeNow(int slot, InlineData data, int longest) {
        return STOPPED;
    }

    /** Whether the next request is one that mapped memory offers, and so takes no room on the link. */
    boolean isNextDirect() {
        return false;
    }

    /** Starts anew: the next packet has this PSN. */
    abstract void reset(int psn);

    /** The timer is due. */
    abstract void onTimer(long now);

    /** When the next look is needed, or {@link Long#MAX_VALUE}. */
    abstract long deadline();

    /** Whether requests were sent, in part or whole, that are not complete. */
    abstract boolean isUnderWay();

    /** The link has had no room for long: if there is work, the time runs after which it is given up. */
    public abstract void awaitsRoom();

    /** A response packet has come; its structure has been checked. */
    public abstract void onResponse(Opcode opcode, DirectBuffer b, int at, int length, int headers);

    /** The path has a new link: what was sent on the one before and is not answered may be lost. */
    public void linkReplaced() {}

    /** The path's peer is gone for good. */
    public abstract void peerDied();

    /** The way that the current request takes, or null before RTR. */
    Path path() {
        Path path = qp.path();
        if (path == null) {
            throw new IllegalStateException("a queue pair in " + qp.state() + " has no path");
        }
        return path;
    }

    /** Whether it waits because the receiver was not ready; any thread, a hint. */
    boolean awaitsReceiver() {
        return false;
    }

    /** Why the last {@link #transmit} ended, as in {@link QpContext}. */
    final int outcome() {
        return outcome;
    }

    boolean hasWork() {
        return ring.hasNext() || (slicer != null && slicer.hasUncut());
    }

    /** Whether a message is sent in part: a slice of it is to be sent yet, or to be cut. */
    final boolean isMessageUnderWay() {
        return slicer != null && (slicer.isPartlyCut() || (ring.hasNext() && slicer.goesOn(ring.slot(ring.next()))));
    }

    /** Whether there are requests that are not complete. */
    final boolean hasRequests() {
        return ring.head() < ring.next() || ring.hasNext();
    }

    /** The state does not allow sending: flushes where it says so. */
    final int notSending() {
        if (qp.state() == QpState.ERR) {
            qp.flushPosted();
            return QpContext.IDLE;
        }
        if (qp.state() == QpState.SQE) {
            flush();
            return QpContext.IDLE;
        }
        return ring.hasNext() ? QpContext.WAITING : QpContext.IDLE;
    }

    // ---- requests that are done here --------------------------------------------------------------------------------

    static boolean isLocal(int kind) {
        return kind == BIND_WINDOW || kind == LOCAL_INVALIDATE;
    }

    /** Whether the peer answers it with data. */
    static boolean isRead(int kind) {
        return kind == READ || kind == COMPARE_SWAP || kind == FETCH_ADD;
    }

    /** Binds or invalidates, and completes the request; it is the oldest one. Returns whether it succeeded. */
    final boolean executeHere(int slot, int kind) {
        int key = wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY);
        if (kind == LOCAL_INVALIDATE) {
            if (!services.regions().invalidate(key, qp.pd(), qp.number())) {
                fail(WcStatus.LOC_QP_OP_ERR);
                return false;
            }
        } else if (!services.regions()
                .bind(
                        key,
                        (int) wqes.getLong(slot + SendWqeDescriptor.REGION_KEY),
                        wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET),
                        wqes.getLong(slot + SendWqeDescriptor.WINDOW_LENGTH),
                        wqes.getInt(slot + SendWqeDescriptor.IMMEDIATE_DATA),
                        qp.pd(),
                        qp.number())) {
            fail(WcStatus.MW_BIND_ERR);
            return false;
        }
        completeHead(WcStatus.SUCCESS);
        qp.endedWithoutPacket();
        return true;
    }

    // ---- packets ----------------------------------------------------------------------------------------------------

    /**
     * The opcode of the packet that starts at the fetch offset.
     *
     * @param last whether it is the request's last, which is a part of a message or all of it
     */
    final Opcode packet(int kind, int flags, boolean last) {
        boolean begins = offset == 0 && (flags & SendWqeDescriptor.CONTINUES) == 0;
        boolean ends = last && (flags & SendWqeDescriptor.UNFINISHED) == 0;
        int position = ends ? (begins || kind == READ ? ONLY : LAST) : begins ? FIRST : MIDDLE;
        if ((flags & (SendWqeDescriptor.IMMEDIATE | SendWqeDescriptor.INVALIDATE)) != 0) {
            position += (flags & SendWqeDescriptor.IMMEDIATE) != 0 ? WITH_IMMEDIATE : WITH_INVALIDATE;
        }
        if (qp.type() == QpType.UD) {
            boolean immediate = (flags & SendWqeDescriptor.IMMEDIATE) != 0;
            return kind == SEND
                    ? immediate ? Opcode.UD_SEND_ONLY_IMMEDIATE : Opcode.UD_SEND_ONLY
                    : immediate ? Opcode.UD_APPEND_ONLY_IMMEDIATE : Opcode.UD_APPEND_ONLY;
        }
        return PACKETS[kind][position];
    }

    /** Writes the packet that starts at the fetch offset. */
    final void encode(
            MutableDirectBuffer b,
            int at,
            int slot,
            Opcode opcode,
            int bthFlags,
            int destinationQp,
            int psn,
            int payload) {
        BthFlyweight.encode(b, at, opcode.code(), bthFlags, destinationQp, psn, qp.number());
        if (opcode.headerLength() > BthFlyweight.LENGTH) {
            encodeExtended(b, at, slot, opcode);
        }
        if (payload > 0) {
            ScatterGather.copy(services, wqes, slot, offset, payload, b, at + opcode.headerLength());
        }
    }

    /** Writes the headers that only some packets have. */
    private void encodeExtended(MutableDirectBuffer b, int at, int slot, Opcode opcode) {
        long remote = wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET);
        int remoteKey = wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY);
        boolean isPart = (wqes.getByte(slot + SendWqeDescriptor.FLAGS) & SendWqeDescriptor.PART) != 0;
        int length = wqes.getInt(slot + (isPart ? SendWqeDescriptor.MESSAGE_LENGTH : SendWqeDescriptor.LENGTH));
        if (opcode.dethOffset() != Opcode.ABSENT) {
            DethFlyweight.encode(b, at + opcode.dethOffset(), wqes.getInt(slot + SendWqeDescriptor.QKEY), qp.number());
        }
        if (opcode.rethOffset() != Opcode.ABSENT) {
            int done = opcode == Opcode.READ_REQUEST ? offset : 0; // a READ goes on where its answers stopped
            RethFlyweight.encode(b, at + opcode.rethOffset(), remote + done, remoteKey, length - done);
        } else if (opcode.appendEthOffset() != Opcode.ABSENT) {
            AppendEthFlyweight.encode(
                    b,
                    at + opcode.appendEthOffset(),
                    (int) remote,
                    remoteKey,
                    length,
                    (int) (remote >>> Integer.SIZE),
                    qp.group().weight());
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
        } else if (opcode.iethOffset() != Opcode.ABSENT) {
            IethFlyweight.encode(b, at + opcode.iethOffset(), wqes.getInt(slot + SendWqeDescriptor.IMMEDIATE_DATA));
        }
    }

    /** Whether the keys, ranges and permissions of a request's entries hold. */
    final boolean entriesHold(int slot, int neededAccess) {
        return ScatterGather.check(
                services,
                wqes,
                slot + SendWqeDescriptor.DATA,
                wqes.getByte(slot + SendWqeDescriptor.SGE_COUNT),
                qp.pd(),
                neededAccess);
    }

    static int accessToOwn(boolean reads) {
        return reads ? Access.LOCAL_WRITE : 0;
    }

    // ---- completions ------------------------------------------------------------------------------------------------

    /** Completes the oldest request. */
    final void completeHead(WcStatus status) {
        int slot = ring.slot(ring.head());
        completeHead(status, slot, wqes.getLong(slot + SendWqeDescriptor.HEADER));
    }

    /** Completes the oldest request, whose slot and header are known. */
    void completeHead(WcStatus status, int slot, long header) {
        if (((SendWqeDescriptor.flags(header) & SendWqeDescriptor.SIGNALED) != 0 || isReported(status))
                && (slicer == null || !slicer.isReported())) {
            qp.completeSend(
                    wqes.getLong(slot + SendWqeDescriptor.WR_ID),
                    status,
                    SendWqeDescriptor.opcode(header),
                    slicer == null ? SendWqeDescriptor.length(header) : slicer.messageLength(slot));
        }
        if (slicer != null) {
            slicer.completed(slot, status);
        }
        if (ring.next() == ring.head()) {
            offset = 0;
            started = false;
        }
        ring.advanceHead();
    }

    /** Whether a request that is not signaled completes visibly; a source hears of what is flushed by itself. */
    private boolean isReported(WcStatus status) {
        return status != WcStatus.SUCCESS
                && (status != WcStatus.WR_FLUSH_ERR || !qp.sendRing().isFed());
    }

    /** Ends the oldest request in an error, which stops the queue pair: ERR on RC, SQE on the others. */
    final void fail(WcStatus status) {
        completeHead(status);
        qp.endedWithoutPacket();
        qp.sendFailed();
        ring.releaseConsumed();
    }

    /** Flushes every published request. */
    void flush() {
        while (hasRequests()) {
            completeHead(WcStatus.WR_FLUSH_ERR);
            qp.endedWithoutPacket();
        }
        if (slicer != null) {
            slicer.flush();
        }
        ring.releaseConsumed();
        offset = 0;
        started = false;
    }
}

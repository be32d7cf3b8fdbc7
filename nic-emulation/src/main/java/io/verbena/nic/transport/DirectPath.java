package io.verbena.nic.transport;

import io.verbena.nic.NicCounter;
import io.verbena.nic.QpState;
import io.verbena.nic.WcOpcode;
import io.verbena.nic.append.Appender;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.memory.RemoteKeys;
import io.verbena.nic.queue.SendWqeDescriptor;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Executes one-sided requests and appends on a peer's mapped memory: one copy, one CPU atomic, or claim, copy and commit.
 *
 * <p>Before each slice the in-flight slot is published, then the peer's queue pair word and the key are looked at. What
 * does not hold there is not judged here: the request then travels as a packet, and the peer answers it, raises its
 * events and goes to ERR as it would for any other.
 *
 * <p>Pure state: used under the engine's baton.
 */
final class DirectPath {
    /** Bytes charged for an operation on top of its data. */
    static final int OVERHEAD = 32;

    /** Result of {@link #execute}: try again after {@link #notReadyDelay}. */
    static final int RECEIVER_NOT_READY = -1;
    /** Result: one of the request's own keys does not hold. */
    static final int LOCAL_ERROR = -2;
    /** Result: to be sent as packets. */
    static final int AS_PACKETS = -3;

    private static final long SHORTEST_DELAY = 5_000;
    private static final long LONGEST_DELAY = 500_000;

    private static final int WRITE = WcOpcode.WRITE.ordinal();
    private static final int READ = WcOpcode.READ.ordinal();
    private static final int COMPARE_SWAP = WcOpcode.COMPARE_SWAP.ordinal();
    private static final int FETCH_ADD = WcOpcode.FETCH_ADD.ordinal();
    private static final int APPEND = WcOpcode.APPEND.ordinal();

    private final QpContext qp;
    private final TransportServices services;
    private final UnsafeBuffer wqes;
    private final UnsafeBuffer value = new UnsafeBuffer(new byte[Long.BYTES]);
    private boolean done;
    private long delay = SHORTEST_DELAY;

    DirectPath(QpContext qp, TransportServices services) {
        this.qp = qp;
        this.services = services;
        this.wqes = qp.sendRing().buffer();
    }

    /** Whether a kind of request can be executed on mapped memory at all. */
    static boolean offers(int kind, int flags) {
        return kind == APPEND
                || kind == READ
                || kind == COMPARE_SWAP
                || kind == FETCH_ADD
                || (kind == WRITE && (flags & SendWqeDescriptor.IMMEDIATE) == 0);
    }

    /** Whether the peer's queue pair takes requests from this one now. */
    boolean isOpen(Path path) {
        ControlBlock control = path.peerControl();
        if (control == null || !path.isUp()) {
            return false;
        }
        long word = control.qpWord(qp.peerQp());
        return QpState.of(QueuePairWord.state(word)).receives() && QueuePairWord.peerQp(word) == qp.number();
    }

    /** Whether the last {@link #execute} finished its request. */
    boolean isDone() {
        return done;
    }

    /** Nanoseconds after which a receiver that was not ready is asked again; grows until something succeeds. */
    long notReadyDelay() {
        long now = delay;
        delay = Math.min(delay * 2, LONGEST_DELAY);
        return now;
    }

    /**
     * Executes a request, or its next slice, on a path that {@link #isOpen}.
     *
     * @param offset bytes of the message that are done
     * @param budget most bytes to move, at least 1; an append is never sliced
     * @return bytes moved, or one of the results below zero
     */
    int execute(Path path, int slot, int offset, int budget) {
        done = false;
        ControlBlock control = path.peerControl();
        if (control == null) {
            return AS_PACKETS;
        }
        int kind = wqes.getByte(slot + SendWqeDescriptor.OPCODE);
        int result = kind == APPEND ? append(path, slot) : access(path, control, kind, slot, offset, budget);
        if (done) {
            delay = SHORTEST_DELAY;
            services.count(NicCounter.DIRECT_OPERATIONS);
        }
        return result;
    }

    private int append(Path path, int slot) {
        Appender appender = path.remoteAppender();
        ControlBlock control = path.peerControl();
        if (appender == null || control == null) {
            return AS_PACKETS;
        }
        int queueId = (int) wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET);
        if (!appender.isReachable(queueId, QueuePairWord.pd(control.qpWord(qp.peerQp())))) {
            return AS_PACKETS;
        }
        int length = wqes.getInt(slot + SendWqeDescriptor.LENGTH);
        int claimed = appender.claim(queueId, wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY), length, qp.peerQp());
        if (claimed != Appender.OK) {
            return claimed == Appender.RNR ? RECEIVER_NOT_READY : AS_PACKETS;
        }
        long claim = appender.claimed();
        int flags = wqes.getByte(slot + SendWqeDescriptor.FLAGS);
        AtomicBuffer target = appender.buffer();
        int at = appender.payloadOffset();
        if ((flags & SendWqeDescriptor.INLINE) != 0) {
            target.putBytes(at, wqes, slot + SendWqeDescriptor.DATA, length);
        } else if (!ScatterGather.gather(services, wqes, slot + SendWqeDescriptor.DATA, 0, length, target, at)) {
            appender.abort(claim);
            return LOCAL_ERROR;
        }
        boolean immediate = (flags & SendWqeDescriptor.IMMEDIATE) != 0;
        int data = immediate ? wqes.getInt(slot + SendWqeDescriptor.IMMEDIATE_DATA) : 0;
        if (!appender.commit(claim, qp.peerQp(), data, immediate)) {
            return AS_PACKETS; // the owner took us for dead and closed the hole; nothing was delivered
        }
        services.touch(path);
        done = true;
        return length;
    }

    private int access(Path path, ControlBlock control, int kind, int slot, int offset, int budget) {
        RemoteKeys keys = path.remoteKeys();
        if (keys == null) {
            return AS_PACKETS;
        }
        int length = wqes.getInt(slot + SendWqeDescriptor.LENGTH);
        if (length == 0) {
            done = true; // no key is looked at
            return 0;
        }
        int key = wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY);
        long remote = wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET);
        int needed = kind == WRITE ? Access.REMOTE_WRITE : kind == READ ? Access.REMOTE_READ : Access.REMOTE_ATOMIC;
        control.beginAccess(qp.peerQp(), key);
        try {
            long word = control.qpWord(qp.peerQp());
            if ((QueuePairWord.access(word) & needed) == 0
                    || QueuePairWord.peerQp(word) != qp.number()
                    || keys.resolve(key, QueuePairWord.pd(word), remote, length, needed) != RemoteKeys.OK) {
                return AS_PACKETS;
            }
            if (needed == Access.REMOTE_ATOMIC) {
                boolean aligned = (remote & 7) == 0 && Atomics.isAligned(keys.buffer(), keys.index());
                return aligned ? atomic(kind, slot, keys) : AS_PACKETS;
            }
            int bytes = Math.min(length - offset, budget);
            boolean held = kind == WRITE
                    ? write(slot, offset, bytes, keys.buffer(), keys.index() + offset)
                    : ScatterGather.scatter(
                            services,
                            wqes,
                            slot + SendWqeDescriptor.DATA,
                            offset,
                            bytes,
                            keys.buffer(),
                            keys.index() + offset);
            if (!held) {
                return LOCAL_ERROR;
            }
            done = offset + bytes == length;
            return bytes;
        } finally {
            control.endAccess(qp.peerQp());
        }
    }

    private boolean write(int slot, int offset, int bytes, AtomicBuffer target, int at) {
        if ((wqes.getByte(slot + SendWqeDescriptor.FLAGS) & SendWqeDescriptor.INLINE) != 0) {
            ScatterGather.place(target, at, wqes, slot + SendWqeDescriptor.DATA + offset, bytes);
            return true;
        }
        if (wqes.getByte(slot + SendWqeDescriptor.SGE_COUNT) == 1) {
            int entry = slot + SendWqeDescriptor.DATA;
            @Nullable MemoryRegion region = services.region(wqes.getInt(entry + SendWqeDescriptor.SGE_KEY));
            if (region == null) {
                return false;
            }
            int from = (int) wqes.getLong(entry + SendWqeDescriptor.SGE_OFFSET) + offset;
            ScatterGather.place(target, at, region.buffer(), from, bytes);
            return true;
        }
        return ScatterGather.gather(services, wqes, slot + SendWqeDescriptor.DATA, offset, bytes, target, at);
    }

    private int atomic(int kind, int slot, RemoteKeys keys) {
        long operand = wqes.getLong(slot + SendWqeDescriptor.SWAP_OR_ADD);
        long original = Atomics.execute(
                kind == FETCH_ADD,
                keys.buffer(),
                keys.index(),
                operand,
                wqes.getLong(slot + SendWqeDescriptor.COMPARE));
        value.putLong(0, original);
        if (!ScatterGather.scatter(services, wqes, slot + SendWqeDescriptor.DATA, 0, Long.BYTES, value, 0)) {
            return LOCAL_ERROR;
        }
        done = true;
        return Long.BYTES;
    }
}

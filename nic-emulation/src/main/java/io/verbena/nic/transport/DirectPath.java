package io.verbena.nic.transport;

import io.verbena.nic.append.Appender;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.memory.RemoteKeys;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcOpcode;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Executes one-sided requests and appends on a peer's mapped memory: one copy, one CPU atomic, or claim, copy and
 * commit.
 *
 * <p>For each slice the in-flight slot is taken by compare-and-set, then the peer's queue pair word is looked at, and
 * the key. Either that look says that the connection has ended, or the owner finds the slot taken before it gives the
 * queue pair to another initiator, which then may not execute directly for so long: one that stands still in between
 * does nothing in another's name. What does not hold is not judged here: the request then travels as a packet, and the
 * peer answers it, raises its events and goes to ERR as it would for any other.
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

    private static final long NOT_HELD = 0; // no record's word

    private static final long MIN_DELAY = 5_000;
    private static final long MAX_DELAY = 500_000;

    private static final int WRITE = WcOpcode.WRITE.ordinal();
    private static final int READ = WcOpcode.READ.ordinal();
    private static final int COMPARE_SWAP = WcOpcode.COMPARE_SWAP.ordinal();
    private static final int FETCH_ADD = WcOpcode.FETCH_ADD.ordinal();
    private static final int APPEND = WcOpcode.APPEND.ordinal();

    private final QpContext qp;
    private final TransportServices services;
    private final SendRing ring;
    private final UnsafeBuffer wqes;
    private final AppendRun run;
    private final UnsafeBuffer value = new UnsafeBuffer(new byte[Long.BYTES]);
    private int done; // requests
    private int put; // messages of the last run
    private int payload; // their bytes
    private long peerWord; // of the peer's queue pair, when it was last looked at
    private boolean open; // it said so, and nothing has failed since
    private long delay = MIN_DELAY;
    private long connection; // as the peer must name it

    DirectPath(QpContext qp, TransportServices services, AppendRun run) {
        this.qp = qp;
        this.services = services;
        this.ring = qp.requests();
        this.wqes = ring.buffer();
        this.run = run;
    }

    /** A connection begins, with a PSN. */
    void begin(int psn) {
        open = false;
        connection = QueuePairWord.connection(services.nicId(), qp.number(), psn);
    }

    /** Whether a kind of request can be executed on mapped memory at all: not a part, which the peer gathers. */
    static boolean offers(int kind, int flags) {
        return (kind == APPEND && (flags & SendWqeDescriptor.PART) == 0)
                || kind == READ
                || kind == COMPARE_SWAP
                || kind == FETCH_ADD
                || (kind == WRITE && (flags & SendWqeDescriptor.IMMEDIATE) == 0);
    }

    /** Whether a request can: not an append that is known to be too long for a chunk of the peer's. */
    boolean offers(@Nullable Path path, int slot, long header) {
        int kind = SendWqeDescriptor.opcode(header);
        return offers(kind, SendWqeDescriptor.flags(header)) && !isTooLong(path, slot, kind, header);
    }

    private boolean isTooLong(@Nullable Path path, int slot, int kind, long header) {
        int length = SendWqeDescriptor.length(header);
        if (kind != APPEND || length <= Appender.MAX_RUN || path == null) {
            return false;
        }
        Appender appender = path.remoteAppender();
        return appender != null
                && appender.isTooLongForChunk((int) wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET), length);
    }

    /**
     * Whether the peer's queue pair takes requests from this one, as far as is known: {@link #execute} looks again in
     * any case, and does nothing on one that has closed since.
     */
    boolean isOpen(Path path) {
        ControlBlock control = path.peerControl();
        if (control == null || !path.isUp()) {
            return false;
        }
        if (!open) {
            peerWord = control.qpWord(qp.peerQp());
            open = takesRequests(peerWord);
        }
        return open;
    }

    /**
     * Whether a word says that the peer's queue pair is in a state that takes requests, and takes them from this one.
     */
    private boolean takesRequests(long word) {
        return QpState.receives(QueuePairWord.state(word)) && QueuePairWord.connection(word) == connection;
    }

    /** Requests that the last {@link #execute} finished: the current one and, of appends, some behind it. */
    int done() {
        return done;
    }

    /** Nanoseconds after which a receiver that was not ready is asked again; grows until something succeeds. */
    long notReadyDelay() {
        long now = delay;
        delay = Math.min(delay * 2, MAX_DELAY);
        return now;
    }

    /**
     * Executes a request, or its next slice, on a path that {@link #isOpen}.
     *
     * @param header the first word of its element
     * @param inline the inline data of a request that is not in the ring yet, and has none behind it; null for one that
     *     is there
     * @param offset bytes of the message that are done
     * @param budget most bytes to move, at least 1; an append is never sliced
     * @return bytes moved, or one of the results below zero
     */
    int execute(Path path, int slot, long header, @Nullable InlineData inline, int offset, int budget) {
        done = 0;
        ControlBlock control = path.peerControl();
        if (control == null) {
            return AS_PACKETS;
        }
        int result = SendWqeDescriptor.opcode(header) == APPEND
                ? append(path, control, slot, header, inline)
                : access(path, control, slot, header, inline, offset, budget);
        if (done > 0) {
            delay = MIN_DELAY;
            services.count(NicCounter.DIRECT_OPERATIONS, done);
        } else if (result < 0) {
            open = false; // as it may be
        }
        return result;
    }

    /**
     * Appends the request and those behind it that go with it ({@link AppendRun}) by one claim and one commit; the
     * copies go to their place at once.
     *
     * <p>One method on purpose: it is longer than what HotSpot inlines (325 bytecodes), so what it calls is inlined
     * from here. As parts, the calls between a post and a store are more than it inlines (15 levels), and the stores
     * are calls: 40 ns a message.
     */
    private int append(Path path, ControlBlock control, int slot, long header, @Nullable InlineData inline) {
        Appender appender = path.remoteAppender();
        if (appender == null) {
            return AS_PACKETS;
        }
        int length = SendWqeDescriptor.length(header);
        if (inline == null) {
            run.find(slot, length, Appender.MAX_RUN);
        } else {
            run.single(length);
        }
        int claimed = claim(appender, slot);
        if (claimed != Appender.OK && run.messages() > 1) { // what does not hold for all of them may hold for the first
            run.single(length);
            claimed = claim(appender, slot);
        }
        if (claimed != Appender.OK) {
            return claimed == Appender.RNR ? RECEIVER_NOT_READY : AS_PACKETS;
        }
        // Read after the claim: if it is as it was, the place in the queue is of this connection.
        if (control.qpWord(qp.peerQp()) != peerWord) {
            appender.commitRun(RecordDescriptor.padding(run.bytes()));
            return AS_PACKETS;
        }
        long first = NOT_HELD;
        try {
            first = putRun(appender.roomBuffer(), appender.room(), slot, header, inline);
        } finally {
            if (first == NOT_HELD) { // what was claimed is not left open: it would hold up the whole queue
                appender.commitRun(RecordDescriptor.padding(run.bytes()));
            }
        }
        if (first == NOT_HELD) {
            return LOCAL_ERROR;
        }
        if (!appender.commitRun(first)) {
            return AS_PACKETS; // the owner took us for dead and closed the hole; nothing was delivered
        }
        if (control.isAnyParked()) {
            services.touch(path);
        }
        done = put;
        if (put > 1) {
            services.count(NicCounter.MERGED_APPENDS, put - 1);
        }
        return payload;
    }

    /**
     * Writes the records of a run into its room, all but the word of the first, which commits them; sets {@link #put}
     * and {@link #payload}.
     *
     * @return that word; NOT_HELD if a region of the first has gone
     */
    private long putRun(AtomicBuffer room, int begin, int slot, long header, @Nullable InlineData inline) {
        int end = begin + run.bytes();
        int at = begin;
        payload = SendWqeDescriptor.length(header);
        put = 1;
        long first = putRecord(room, at, slot, header, inline);
        at += RecordDescriptor.alignedLength(payload);
        for (; first != NOT_HELD && put < run.messages(); put++) {
            int follower = ring.slot(ring.next() + put);
            long followerHeader = wqes.getLong(follower + SendWqeDescriptor.HEADER);
            long word = putRecord(room, at, follower, followerHeader, null);
            if (word == NOT_HELD) {
                room.putLong(at, RecordDescriptor.padding(end - at)); // it fails when its turn comes
                break;
            }
            room.putLong(at, word);
            payload += SendWqeDescriptor.length(followerHeader);
            at += RecordDescriptor.alignedLength(SendWqeDescriptor.length(followerHeader));
        }
        return first;
    }

    private int claim(Appender appender, int slot) {
        int queueId = (int) wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET);
        int queueKey = wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY);
        return appender.claimRun(
                queueId, queueKey, QueuePairWord.pd(peerWord), run.longest(), run.bytes(), qp.peerQp());
    }

    /** Writes a record but for its word, which is returned; NOT_HELD if a region has gone. */
    private long putRecord(AtomicBuffer room, int at, int slot, long header, @Nullable InlineData inline) {
        int flags = SendWqeDescriptor.flags(header);
        int length = SendWqeDescriptor.length(header);
        int payload = at + RecordDescriptor.PAYLOAD_OFFSET;
        if ((flags & SendWqeDescriptor.INLINE) != 0) {
            if (inline != null) {
                inline.copyTo(room, payload);
            } else {
                room.putBytes(payload, wqes, slot + SendWqeDescriptor.DATA, length);
            }
        } else if (!ScatterGather.gather(services, wqes, slot + SendWqeDescriptor.DATA, 0, length, room, payload)) {
            return NOT_HELD;
        }
        boolean immediate = (flags & SendWqeDescriptor.IMMEDIATE) != 0;
        int data = immediate ? wqes.getInt(slot + SendWqeDescriptor.IMMEDIATE_DATA) : 0;
        room.putLong(at + RecordDescriptor.QP_NUMBER_OFFSET, RecordDescriptor.source(qp.peerQp(), data));
        return RecordDescriptor.committed(
                length,
                (immediate ? RecordDescriptor.HAS_IMMEDIATE : 0)
                        | RecordDescriptor.streamFlags(wqes.getInt(slot + SendWqeDescriptor.STREAM)));
    }

    private int access(
            Path path,
            ControlBlock control,
            int slot,
            long header,
            @Nullable InlineData inline,
            int offset,
            int budget) {
        RemoteKeys keys = path.remoteKeys();
        if (keys == null) {
            return AS_PACKETS;
        }
        int kind = SendWqeDescriptor.opcode(header);
        int length = SendWqeDescriptor.length(header);
        if (length == 0) {
            done = 1; // no key is looked at
            return 0;
        }
        int key = wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY);
        long remote = wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET);
        int needed = kind == WRITE ? Access.REMOTE_WRITE : kind == READ ? Access.REMOTE_READ : Access.REMOTE_ATOMIC;
        if (!control.beginAccess(qp.peerQp(), key)) {
            return AS_PACKETS;
        }
        try {
            long word = control.qpWord(qp.peerQp());
            if ((word != peerWord && !takesRequests(word))
                    || (QueuePairWord.access(word) & needed) == 0
                    || keys.resolve(key, QueuePairWord.pd(word), remote, length, needed) != RemoteKeys.OK) {
                return AS_PACKETS;
            }
            if (needed == Access.REMOTE_ATOMIC) {
                boolean aligned = (remote & 7) == 0 && Atomics.isAligned(keys.buffer(), keys.index());
                return aligned ? atomic(kind, slot, keys) : AS_PACKETS;
            }
            int bytes = Math.min(length - offset, budget);
            boolean held = kind == WRITE
                    ? write(slot, header, inline, offset, bytes, keys.buffer(), keys.index() + offset)
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
            done = offset + bytes == length ? 1 : 0;
            return bytes;
        } finally {
            control.endAccess(qp.peerQp());
        }
    }

    private boolean write(
            int slot, long header, @Nullable InlineData inline, int offset, int bytes, AtomicBuffer target, int at) {
        if ((SendWqeDescriptor.flags(header) & SendWqeDescriptor.INLINE) != 0) {
            if (inline != null) {
                inline.copyTo(target, at, offset, bytes);
            } else {
                ScatterGather.place(target, at, wqes, slot + SendWqeDescriptor.DATA + offset, bytes);
            }
            return true;
        }
        if (SendWqeDescriptor.entries(header) == 1) {
            int entry = slot + SendWqeDescriptor.DATA;
            @Nullable MemoryRegion region = services.region(wqes.getInt(entry + SendWqeDescriptor.SGE_KEY));
            if (region == null) {
                return false;
            }
            int start = (int) wqes.getLong(entry + SendWqeDescriptor.SGE_OFFSET) + offset;
            ScatterGather.place(target, at, region.buffer(), start, bytes);
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
        done = 1;
        return Long.BYTES;
    }
}

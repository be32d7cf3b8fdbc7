package io.verbena.kv.server;

import io.verbena.Channel;
import io.verbena.SendResult;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.store.ClientTransfers;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One client of a shard: its replies, sent as they come, and what it transfers in pieces. What the client does not take
 * yet waits in a backlog of its own, so that it holds up nobody else.
 *
 * <p>Requests that wait for the shard's overflow are {@linkplain WaitingRequests kept apart}. When the backlog, the
 * replies held for it or the requests that wait exceed a bound, its further requests are parked, in order, until it
 * has taken enough:
 *
 * <pre>
 *   request ── backlog full ──▶ parked reads (READ_STREAM, CLOSE_STREAM) ── backlog drained ───────────────▶ executed
 *           ── or held full ──▶ parked requests (all others)             ── and held replies were fetched ──▶ executed
 *   UPLOAD, UPLOAD_REQUEST and DISCARD_UPLOAD have no replies and are never parked.
 * </pre>
 *
 * <p>What is parked is copied: a message held where it lies would keep its whole chunk of an inbox that all clients
 * share. A client that has more parked than the limit, and still takes nothing, is disconnected.
 *
 * <p>Used by the shard's owner alone.
 */
final class ReplyTarget {
    /** Greatest backlog in bytes: twice that and a message still have offsets of 31 bits. */
    static final int MAX_BACKLOG = 896 << 20;
    /** Backlog in bytes above which requests are parked, unless half the limit is less. */
    static final int PARKING_BACKLOG = 8 << 20;
    /** Bytes of held replies above which requests are parked. */
    static final long PARKING_HELD = 64L << 20;

    final Channel channel;
    final ClientTransfers transfers;
    final int inbox; // number of the one that its requests come to
    private final long maxBacklog;
    private final long parkingBacklog;
    private final RecordQueue backlog = new RecordQueue();
    private final RecordQueue parkedReads = new RecordQueue();
    private final RecordQueue parkedRequests = new RecordQueue();
    final WaitingRequests overflowed;
    boolean unflushed; // is in the runner's list of those with replies to flush
    boolean waiting; // is in the runner's list of those with a backlog
    boolean parking; // is in the runner's list of those with parked requests
    private boolean gone;

    ReplyTarget(Channel channel, ClientTransfers transfers, int inbox, long maxBacklog) {
        this.channel = channel;
        this.transfers = transfers;
        this.overflowed = new WaitingRequests(transfers);
        this.inbox = inbox;
        this.maxBacklog = maxBacklog;
        this.parkingBacklog = Math.min(PARKING_BACKLOG, maxBacklog / 2);
    }

    /** Whether replies wait here. */
    boolean isStalled() {
        return !backlog.isEmpty();
    }

    /** Whether nothing comes from it and goes to it any more. */
    boolean isGone() {
        return gone;
    }

    /** Sends a reply, or keeps it. @return false if the client is too far behind */
    boolean send(ReplyEncoder reply) {
        if (gone || (!isStalled() && offer(reply) != SendResult.BACK_PRESSURED)) {
            return true; // sent, or closed: then there is nobody to keep it for
        }
        if (!hasRoom(reply.length())) {
            return false;
        }
        backlog.add(
                reply.buffer(),
                0,
                reply.length() - reply.tailLength(),
                reply.tail(),
                reply.tailOffset(),
                reply.tailLength());
        return true;
    }

    private SendResult offer(ReplyEncoder reply) {
        int tail = reply.tailLength();
        return tail == 0
                ? channel.enqueue(reply.buffer(), 0, reply.length())
                : channel.offer(reply.buffer(), 0, reply.length() - tail, reply.tail(), reply.tailOffset(), tail);
    }

    private boolean keep(RecordQueue queue, DirectBuffer buffer, int offset, int length) {
        if (!hasRoom(length)) {
            return false;
        }
        queue.add(buffer, offset, length);
        return true;
    }

    /** Whether a request may wait for the shard's overflow: pieces of uploads only while they leave room for others. */
    boolean mayOverflow(DirectBuffer buffer, int offset, int length) {
        boolean leavesRoom = overflowed.bytes() + length <= maxBacklog / 2
                && overflowed.ofUploads() < WaitingRequests.MAX_OF_UPLOADS
                && hasRoom(length);
        return leavesRoom || !overflowed.isPieceOfUpload(buffer, offset, length);
    }

    /** Has a request wait for the shard's overflow. @return false if the client is too far behind */
    boolean overflow(DirectBuffer buffer, int offset, int length, long deadlineMillis) {
        if (!hasRoom(length) || overflowed.ofUploads() >= 2 * WaitingRequests.MAX_OF_UPLOADS) {
            return false;
        }
        overflowed.add(buffer, offset, length, deadlineMillis);
        return true;
    }

    private boolean hasRoom(int length) {
        long waiting = (long) backlog.bytes() + parkedReads.bytes() + parkedRequests.bytes() + overflowed.bytes();
        return waiting + RecordQueue.recordLength(length) <= maxBacklog;
    }

    /** Sends what was kept. @return replies sent */
    int drain() {
        int sent = 0;
        while (!backlog.isEmpty()
                && channel.enqueue(backlog.buffer(), backlog.offset(), backlog.length()) != SendResult.BACK_PRESSURED) {
            backlog.remove();
            sent++;
        }
        if (sent > 0) {
            channel.flush();
        }
        return sent;
    }

    private boolean isBacklogFull() {
        return backlog.bytes() > parkingBacklog;
    }

    /** Whether it has so many replies to take that nothing that makes more is to be executed. */
    boolean isBehind() {
        return isBacklogFull() || transfers.heldBytes() > PARKING_HELD;
    }

    private boolean isFull() {
        return isBehind() || overflowed.isFull();
    }

    /** Whether a request of that operation must wait. */
    boolean mustPark(int opCode) {
        if (parkedReads.isEmpty() && parkedRequests.isEmpty() && !isFull()) {
            return false;
        }
        if (isOfUpload(opCode)) {
            return false;
        }
        return !isRead(opCode) || !parkedReads.isEmpty() || isBacklogFull();
    }

    private static boolean isOfUpload(int opCode) {
        return opCode == KvOp.UPLOAD.code()
                || opCode == KvOp.UPLOAD_REQUEST.code()
                || opCode == KvOp.DISCARD_UPLOAD.code();
    }

    private static boolean isRead(int opCode) {
        return opCode == KvOp.READ_STREAM.code() || opCode == KvOp.CLOSE_STREAM.code();
    }

    /** Parks a request. @return false if the client is too far behind */
    boolean park(int opCode, DirectBuffer buffer, int offset, int length) {
        return keep(isRead(opCode) ? parkedReads : parkedRequests, buffer, offset, length);
    }

    /** Whether requests are parked. */
    boolean hasParked() {
        return !parkedReads.isEmpty() || !parkedRequests.isEmpty();
    }

    /** The queue whose first request can be executed now, or null if there is none. */
    @Nullable
    RecordQueue runnable() {
        if (!parkedReads.isEmpty() && !isBacklogFull()) {
            return parkedReads;
        }
        return !parkedRequests.isEmpty() && !isFull() ? parkedRequests : null;
    }

    /** The client has gone: frees all that it has left. Idempotent. */
    void close() {
        if (!gone) {
            gone = true;
            transfers.close();
            backlog.close();
            parkedReads.close();
            parkedRequests.close();
            overflowed.clear();
        }
    }
}

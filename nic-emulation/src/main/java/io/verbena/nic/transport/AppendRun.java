package io.verbena.nic.transport;

import io.verbena.nic.append.Appender;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.QpState;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends to one queue that stand one behind the other in the send ring and can go together: RDMAbox's adjacent requests
 * (3.1). On mapped memory they share a claim and a commit, on a link a packet.
 *
 * <p>Pure state: used under the engine's baton.
 */
final class AppendRun {
    private final QpContext qp;
    private final TransportServices services;
    private final SendRing ring;
    private final UnsafeBuffer wqes;
    private int messages;
    private int bytes;
    private int longest;

    AppendRun(QpContext qp, TransportServices services) {
        this.qp = qp;
        this.services = services;
        this.ring = qp.sendRing();
        this.wqes = ring.buffer();
    }

    /** How many requests the last run has, the first of them included. */
    int messages() {
        return messages;
    }

    /** Bytes that they take as records of an append queue. */
    int bytes() {
        return bytes;
    }

    /** Payload bytes of the longest. */
    int longest() {
        return longest;
    }

    /** A run of one request, of so many bytes. */
    void single(int length) {
        messages = 1;
        longest = length;
        bytes = RecordDescriptor.alignedLength(length);
    }

    /**
     * Finds the run that begins with the current request, which has been checked.
     *
     * @param slot of the current request
     * @param length its payload bytes
     * @param limit most bytes of records, as far as they are more than one
     */
    void find(int slot, int length, int limit) {
        single(length);
        int most = Math.min(limit, Appender.MAX_RUN);
        long queueId = wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET);
        int queueKey = wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY);
        int count = 1;
        int total = bytes;
        int greatest = longest;
        while (ring.isSeen(ring.next() + count)) {
            int next = followerLength(ring.slot(ring.next() + count), queueId, queueKey);
            if (next < 0 || total > most - RecordDescriptor.alignedLength(next)) {
                break;
            }
            greatest = Math.max(greatest, next);
            total += RecordDescriptor.alignedLength(next);
            count++;
        }
        messages = count;
        bytes = total;
        longest = greatest;
    }

    /** Payload bytes of a request that may go with the one before it, or -1. */
    private int followerLength(int slot, long queueId, int queueKey) {
        long header = wqes.getLong(slot + SendWqeDescriptor.HEADER);
        int flags = SendWqeDescriptor.flags(header);
        int length = SendWqeDescriptor.length(header);
        boolean goes = SendWqeDescriptor.opcode(header) == Requester.APPEND
                && length <= Appender.MAX_RUN
                && (flags & SendWqeDescriptor.FENCE) == 0
                && wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET) == queueId
                && wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY) == queueKey
                && qp.state() == QpState.RTS
                && ((flags & SendWqeDescriptor.INLINE) != 0
                        || ScatterGather.check(
                                services,
                                wqes,
                                slot + SendWqeDescriptor.DATA,
                                SendWqeDescriptor.entries(header),
                                qp.pd(),
                                0));
        return goes ? length : -1;
    }
}

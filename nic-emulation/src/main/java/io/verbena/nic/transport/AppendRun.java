package io.verbena.nic.transport;

import io.verbena.nic.append.Appender;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.port.Link;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.AppendRunFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends to one queue that stand one behind the other in the send ring and can go together: RDMAbox's adjacent
 * requests (IV-A). On mapped memory they share a claim and a commit, on a link a packet.
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
        this.ring = qp.requests();
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

    /** A run of one request, of this many bytes. */
    void single(int length) {
        messages = 1;
        longest = length;
        bytes = RecordDescriptor.alignedLength(length);
    }

    /**
     * Whether the current request, of which nothing is sent, may take others with it in its packet. What is sent again
     * need not go as it went before: each message has its PSN, and the peer leaves out those that it has done.
     */
    boolean mayStart(int kind, int flags, Path path) {
        return kind == QpRequester.APPEND
                && (flags & SendWqeDescriptor.PART) == 0
                && qp.state() == QpState.RTS
                && path.remoteKeys() == null
                && ring.isSeen(ring.next() + 1);
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
        int queueId = wqes.getInt(slot + SendWqeDescriptor.REMOTE_OFFSET);
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

    /** Bytes that its messages take in a packet, behind the packet's headers. */
    private int packetBytes() {
        return bytes - messages * (RecordDescriptor.HEADER_LENGTH - AppendRunFlyweight.HEADER_LENGTH);
    }

    /**
     * Sends the run, in one packet with the PSNs of all its messages.
     *
     * @param slot of the current request
     * @return bytes of the packet, or {@link Link#NO_ROOM}
     */
    int send(Link link, Path path, int slot, PsnWindow psns) {
        int length = Opcode.APPEND_RUN.headerLength() + packetBytes();
        int at = link.claim(length);
        if (at == Link.NO_ROOM) {
            return Link.NO_ROOM;
        }
        int psn = write(link.buffer(), at, slot, psns);
        link.commit();
        services.touch(path);
        services.count(NicCounter.MERGED_APPENDS, messages - 1);
        psns.sentRun(Psn.add(psn, messages));
        return length;
    }

    /**
     * Writes the run into a packet that was claimed for it: its requests get their PSNs, and the next request is the
     * one behind them.
     *
     * @return the PSN of the first
     */
    private int write(MutableDirectBuffer b, int at, int slot, PsnWindow psns) {
        int psn = psns.first(slot);
        BthFlyweight.encode(b, at, Opcode.APPEND_RUN.code(), BthFlyweight.ACK_REQUEST, qp.peerQp(), psn, qp.number());
        AppendEthFlyweight.encodeRun(
                b,
                at + Opcode.APPEND_RUN.appendEthOffset(),
                (int) wqes.getLong(slot + SendWqeDescriptor.REMOTE_OFFSET),
                wqes.getInt(slot + SendWqeDescriptor.REMOTE_KEY),
                packetBytes(),
                messages,
                qp.group().weight());
        int message = at + Opcode.APPEND_RUN.headerLength();
        for (int i = 0; i < messages; i++) {
            int follower = ring.slot(ring.next());
            psns.first(follower);
            message += writeMessage(b, message, follower);
            ring.advanceNext();
        }
        return psn;
    }

    /** Writes a message. Returns the bytes that it takes. */
    private int writeMessage(MutableDirectBuffer b, int at, int slot) {
        long header = wqes.getLong(slot + SendWqeDescriptor.HEADER);
        int length = SendWqeDescriptor.length(header);
        int stream = wqes.getInt(slot + SendWqeDescriptor.STREAM);
        if ((SendWqeDescriptor.flags(header) & SendWqeDescriptor.IMMEDIATE) != 0) {
            AppendRunFlyweight.encode(b, at, length, stream, wqes.getInt(slot + SendWqeDescriptor.IMMEDIATE_DATA));
        } else {
            AppendRunFlyweight.encode(b, at, length, stream);
        }
        if (length > 0) {
            ScatterGather.copy(services, wqes, slot, 0, length, b, at + AppendRunFlyweight.HEADER_LENGTH);
        }
        return AppendRunFlyweight.alignedLength(length);
    }

    /** Payload bytes of a request that may go with the one before it, or -1. */
    private int followerLength(int slot, int queueId, int queueKey) {
        long header = wqes.getLong(slot + SendWqeDescriptor.HEADER);
        int flags = SendWqeDescriptor.flags(header);
        int length = SendWqeDescriptor.length(header);
        boolean goes = SendWqeDescriptor.opcode(header) == QpRequester.APPEND
                && length <= Appender.MAX_RUN
                && (flags & (SendWqeDescriptor.FENCE | SendWqeDescriptor.PART)) == 0
                && wqes.getInt(slot + SendWqeDescriptor.REMOTE_OFFSET) == queueId
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

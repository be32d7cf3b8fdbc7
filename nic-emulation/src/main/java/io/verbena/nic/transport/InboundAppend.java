package io.verbena.nic.transport;

import io.verbena.nic.append.Appender;
import io.verbena.nic.append.DynamicThreshold;
import io.verbena.nic.append.LargeAppender;
import io.verbena.nic.append.PeerShare;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.ImmDtFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.RnrTimer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The appends that a queue pair receives as packets: those that are whole in one, and the one that comes in parts,
 * which the timer gives up if its sender falls silent. Those that are whole may come between the parts. There is one in
 * parts at a time, so what a sender can leave unfinished is a message a queue pair, and no packet waits for room that
 * only packets behind it can free.
 *
 * <p>Pure state: used under the engine's baton.
 */
final class InboundAppend {
    private final QpContext qp;
    private final TransportServices services;
    // What the last message was for, which a packet without a header is for.
    private DynamicThreshold share = new PeerShare().of(0, 1); // of the queue
    private DynamicThreshold shareOfRun = share;
    private boolean isNamed;
    private int queueId;
    private int queueKey;
    private int stream;

    // The message in parts.
    private boolean appending;
    private int announced; // bytes of the message
    private int received;
    private DynamicThreshold shareOfParts = share;
    private long claim;
    private @Nullable AtomicBuffer target;
    private boolean progressed; // something has come since the timer has looked
    private long timeoutNanos;
    private long looksAt;

    InboundAppend(QpContext qp, TransportServices services) {
        this.qp = qp;
        this.services = services;
    }

    /** Takes a packet of an append. Returns its result. */
    int receive(Opcode opcode, DirectBuffer b, int offset, int payload, int headers) {
        progressed = true;
        if (opcode.startsMessage()) {
            int begun = begin(opcode, b, offset, payload, headers);
            if (begun != QpResponder.DONE || opcode.endsMessage()) {
                return begun;
            }
        }
        AtomicBuffer room = target;
        if (room == null) {
            return AethSyndrome.REMOTE_ABORTED; // the timer has given it up
        }
        if (opcode.endsMessage() ? payload != announced - received : payload >= announced - received) {
            abandon();
            return AethSyndrome.INVALID_REQUEST;
        }
        room.putBytes(received, b, offset + headers, payload);
        if (opcode.endsMessage()) {
            boolean immediate = opcode.hasImmediate();
            int data = immediate ? ImmDtFlyweight.immediate(b, offset + opcode.immOffset()) : 0;
            Appender appender = services.appender();
            appender.from(shareOfParts);
            int committed = appender.large().commit(claim, qp.number(), data, immediate);
            if (committed == Appender.RNR) {
                return QpResponder.NOT_READY; // the same packet comes again
            }
            appending = false;
            target = null;
            return committed == Appender.OK ? QpResponder.DONE : refusal(committed);
        }
        received += payload;
        return QpResponder.DONE;
    }

    /** The first packet of an append: does it if it is whole, else claims what its parts are gathered in. */
    private int begin(Opcode opcode, DirectBuffer b, int offset, int payload, int headers) {
        int length = payload;
        if (opcode.appendEthOffset() != Opcode.ABSENT) {
            length = name(opcode, b, offset + opcode.appendEthOffset(), payload);
        }
        if (!isNamed) {
            return AethSyndrome.INVALID_REQUEST;
        }
        services.appender().from(share);
        if (opcode.endsMessage()) {
            boolean immediate = opcode.hasImmediate();
            int data = immediate ? ImmDtFlyweight.immediate(b, offset + opcode.immOffset()) : 0;
            return whole(queueId, queueKey, b, offset + headers, payload, stream, immediate, data);
        }
        // What comes in parts is kept apart until it is whole: a sender that stops holds up nobody else.
        int bytes = RecordDescriptor.alignedLength(length);
        if (!take(bytes)) {
            return overQuota(bytes);
        }
        LargeAppender large = services.appender().large();
        int claimed = large.claim(queueId, queueKey, qp.pd(), length, qp.number(), againNanos());
        if (claimed != Appender.OK) {
            qp.senderQuota().giveBack(bytes);
            return refusal(claimed);
        }
        large.charge(qp.senderQuota());
        large.stream(stream);
        claim = large.claimed();
        target = large.buffer();
        announced = length;
        received = 0;
        shareOfParts = share;
        appending = true;
        timeoutNanos = large.timeoutNanos();
        looksAt = later(services.now(), timeoutNanos);
        services.arm(qp, looksAt);
        return QpResponder.DONE;
    }

    /** Takes in what a header names, if it is sound. Returns the length of the message. */
    private int name(Opcode opcode, DirectBuffer b, int eth, int payload) {
        int length = AppendEthFlyweight.messageLength(b, eth);
        stream = AppendEthFlyweight.stream(b, eth);
        isNamed = stream <= AppendEthFlyweight.MAX_STREAM
                && (opcode.endsMessage() ? length == payload : length >= payload);
        if (isNamed) {
            queueId = AppendEthFlyweight.queueId(b, eth);
            queueKey = AppendEthFlyweight.queueKey(b, eth);
            share = share(queueId, AppendEthFlyweight.weight(b, eth));
        }
        return length;
    }

    /** The connection begins anew: nothing is named. */
    void reset() {
        isNamed = false;
    }

    /** The run that comes now is for that queue, of a group of the peer's that has that weight now. */
    void run(int queueId, int weight) {
        progressed = true;
        shareOfRun = share(queueId, weight);
        services.appender().from(shareOfRun);
    }

    /** A message of the run was appended: it has named its queue and stream, as any message does. */
    void ran(int queueId, int queueKey, int stream) {
        this.queueId = queueId;
        this.queueKey = queueKey;
        this.stream = stream;
        share = shareOfRun;
        isNamed = true;
    }

    private DynamicThreshold share(int queueId, int weight) {
        Path path = qp.path();
        return path != null && services.appender().mayHave(queueId)
                ? path.share(queueId).of(qp.peerGroup(), weight)
                : share;
    }

    /** Appends a message that is here whole. Returns the result of its packet. */
    int whole(
            int queueId,
            int queueKey,
            DirectBuffer b,
            int at,
            int length,
            int stream,
            boolean immediate,
            int immediateData) {
        Appender appender = services.appender();
        int bytes = RecordDescriptor.alignedLength(length);
        if (!take(bytes)) {
            return overQuota(bytes);
        }
        int claimed = appender.claimRun(queueId, queueKey, qp.pd(), length, bytes, Appender.OWNER);
        if (claimed == Appender.LARGE_MESSAGE) {
            return large(appender.large(), queueId, queueKey, b, at, length, stream, immediate, immediateData);
        }
        if (claimed != Appender.OK) {
            qp.senderQuota().giveBack(bytes);
            return refusal(claimed);
        }
        AtomicBuffer room = appender.roomBuffer();
        int record = appender.room();
        room.putBytes(record + RecordDescriptor.PAYLOAD_OFFSET, b, at, length);
        room.putLong(record + RecordDescriptor.QP_NUMBER_OFFSET, RecordDescriptor.source(qp.number(), immediateData));
        appender.commitRun(RecordDescriptor.committed(length, recordFlags(stream, immediate)));
        return QpResponder.DONE;
    }

    /**
     * Takes a message's bytes of the sender's quota. What comes between the parts of another does not wait for the
     * bytes of that one, which ends only behind it.
     */
    boolean take(int bytes) {
        return qp.senderQuota().tryTake(bytes, appending ? RecordDescriptor.alignedLength(announced) : 0);
    }

    /** Flags of a record that came by this queue pair. */
    int recordFlags(int stream, boolean immediate) {
        return (immediate ? RecordDescriptor.HAS_IMMEDIATE : 0)
                | RecordDescriptor.streamFlags(stream)
                | qp.senderQuota().flags();
    }

    /** The sender's messages have to be taken first; one that is longer than its whole quota never fits. */
    private int overQuota(int bytes) {
        services.count(NicCounter.SENDER_QUOTA_REFUSALS);
        return bytes > qp.senderQuota().limit() ? AethSyndrome.INVALID_REQUEST : QpResponder.NOT_READY;
    }

    /** Its bytes are taken of the quota. */
    private int large(
            LargeAppender large,
            int queueId,
            int queueKey,
            DirectBuffer b,
            int at,
            int length,
            int stream,
            boolean immediate,
            int immediateData) {
        int status = large.claim(queueId, queueKey, qp.pd(), length, qp.number(), againNanos());
        if (status != Appender.OK) {
            qp.senderQuota().giveBack(RecordDescriptor.alignedLength(length));
        } else {
            large.charge(qp.senderQuota());
            large.stream(stream);
            large.buffer().putBytes(0, b, at, length);
            status = large.commit(large.claimed(), qp.number(), immediateData, immediate);
            if (status == Appender.RNR) {
                large.postpone(large.claimed()); // the message comes again, and finds its mapping
            }
        }
        return status == Appender.OK ? QpResponder.DONE : refusal(status);
    }

    private static long later(long now, long nanos) {
        return nanos < Long.MAX_VALUE - now ? now + nanos : Long.MAX_VALUE;
    }

    /** The engine's timer may be due: a message in parts that has stood still for long is given up. */
    void onTimer(long now) {
        if (!appending || now < looksAt) {
            return;
        }
        if (progressed) {
            progressed = false;
            looksAt = later(now, timeoutNanos);
        } else {
            services.count(NicCounter.UNFINISHED_APPENDS);
            abandon();
        }
    }

    /** When the timer has to look at a message in parts, or {@link Long#MAX_VALUE}. */
    long deadline() {
        return appending ? looksAt : Long.MAX_VALUE;
    }

    /** When a sender that is answered RNR tries again. */
    private long againNanos() {
        return qp.type() == QpType.RC ? RnrTimer.longest(qp.retries().minRnrTimer()) : LargeAppender.NEVER;
    }

    /** The result of a packet whose claim was not granted. */
    private static int refusal(int claimed) {
        switch (claimed) {
            case Appender.RNR:
                return QpResponder.NOT_READY;
            case Appender.BAD_KEY:
                return AethSyndrome.REMOTE_ACCESS_ERROR;
            case Appender.NO_MEMORY:
                return AethSyndrome.REMOTE_OPERATIONAL_ERROR;
            default:
                return AethSyndrome.INVALID_REQUEST;
        }
    }

    void abandon() {
        if (appending) {
            appending = false;
            target = null;
            services.appender().large().abort(claim);
        }
    }
}

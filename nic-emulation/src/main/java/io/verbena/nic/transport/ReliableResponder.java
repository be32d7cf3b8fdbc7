package io.verbena.nic.transport;

import io.verbena.nic.append.Appender;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.AppendRunFlyweight;
import io.verbena.nic.wire.AtomicEthFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import io.verbena.nic.wire.RethFlyweight;
import io.verbena.nic.wire.SkipEthFlyweight;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

/**
 * The answering half of a reliable connection. Each request is checked in this order: PSN, opcode sequence, then as
 * {@link QpResponder} says; it is executed, once; then it is answered.
 *
 * <p>READs and atomics keep a {@link ResponderResources responder resource}, so that a duplicate is answered from what
 * was saved. Pure state: used under the engine's baton.
 */
final class ReliableResponder extends QpResponder {
    /** Times that an acknowledgement waits at most: a stream does not hold it up. */
    private static final int MAX_DEFERRED = 2;

    private final ResponderResources resources = new ResponderResources();

    private int expectedPsn;
    private int messages; // MSN
    private boolean acknowledgementDue;
    private int deferred; // times that the acknowledgement has waited for packets that were there already
    private int nakSyndrome; // 0: none due
    private int nakPsn;
    private boolean failing; // goes to ERR when the answers that are due and the NAK are sent
    private int streamOfRun; // of the message that was copied last
    private boolean nakked; // nothing but the expected PSN is answered until it comes

    ReliableResponder(QpContext qp, TransportServices services) {
        super(qp, services);
    }

    @Override
    void reset(int receivePsn) {
        super.reset(receivePsn);
        expectedPsn = receivePsn & Psn.MASK;
        messages = 0;
        acknowledgementDue = false;
        deferred = 0;
        nakSyndrome = 0;
        nakked = false;
        failing = false;
        resources.reset(qp.connection().maxDestRdAtomic());
    }

    @Override
    void abandon() {
        failing = false;
        super.abandon();
        resources.reset(0);
    }

    @Override
    public boolean hasResponses() {
        return resources.hasPending();
    }

    @Override
    int outcome() {
        return resources.outcome();
    }

    @Override
    int transmit(int budget) {
        int sent = resources.transmit(qp, services, budget, messages);
        if (!resources.hasPending() && (acknowledgementDue || nakSyndrome != 0)) {
            services.acknowledge(qp);
        }
        return sent;
    }

    @Override
    public void onRequest(long sourceNic, Opcode opcode, DirectBuffer b, int offset, int length, int headers) {
        if (!qp.state().receives()) {
            return;
        }
        int psn = BthFlyweight.psn(b, offset);
        int ahead = Psn.diff(psn, expectedPsn);
        int done = 0; // messages of a run
        if (ahead < 0 && opcode == Opcode.APPEND_RUN) {
            int messagesOfRun = AppendEthFlyweight.messages(b, offset + opcode.appendEthOffset());
            if (-ahead < messagesOfRun) {
                done = -ahead; // before: it goes on behind them
                ahead = 0;
            }
        }
        if (failing && ahead >= 0) {
            services.acknowledge(qp); // the NAK may have gone with its link
            return;
        }
        if (ahead != 0) {
            outOfSequence(ahead, opcode, psn, b, offset);
            return;
        }
        nakked = false;
        nakSyndrome = 0;
        communicationEstablished();
        if (opcode == Opcode.SKIP) {
            skip(b, offset + opcode.skipEthOffset());
            return;
        }
        boolean between = opcode.mayInterrupt(previous);
        boolean follows = between || opcode.mayFollow(previous);
        int result = follows
                ? answer(sourceNic, opcode, b, offset, length - headers, headers, done)
                : AethSyndrome.INVALID_REQUEST;
        if (result == DONE) {
            if (!between) {
                previous = opcode.endsMessage() ? null : opcode;
            }
            if (opcode.family() != Opcode.Family.READ) {
                expectedPsn = Psn.next(expectedPsn);
            }
            if (opcode.endsMessage()) {
                messages = messages + 1 & AethFlyweight.MSN_MASK;
            }
            if (BthFlyweight.ackRequest(b, offset)
                    && opcode.family() != Opcode.Family.READ
                    && opcode.family() != Opcode.Family.ATOMIC) {
                acknowledgementDue = true;
                services.acknowledge(qp);
            }
        } else if (result == NOT_READY) {
            nak(AethSyndrome.rnrNak(qp.retries().minRnrTimer()));
        } else if (follows
                && opcode.family() == Opcode.Family.APPEND
                && qp.sendRing().isFed()) {
            services.count(NicCounter.APPENDS_REFUSED);
            nak(AethSyndrome.refusal(result)); // others send by this queue pair too
        } else {
            refuse(result);
        }
    }

    /** What was not taken, and what came behind it, will not come again ({@link TakeBack}). */
    private void skip(DirectBuffer b, int eth) {
        int next = SkipEthFlyweight.next(b, eth);
        if (Psn.diff(next, expectedPsn) <= 0 || (previous != null && previous.family() != Opcode.Family.APPEND)) {
            refuse(AethSyndrome.INVALID_REQUEST);
            return;
        }
        if (SkipEthFlyweight.abandons(b, eth)) {
            append.abandon();
            previous = null;
        }
        expectedPsn = next;
        acknowledgementDue = true;
        services.acknowledge(qp);
    }

    /** A request is not the next one: it came before, or one before it is missing. */
    private void outOfSequence(int ahead, Opcode opcode, int psn, DirectBuffer b, int offset) {
        if (ahead > 0) {
            services.count(NicCounter.OUT_OF_SEQUENCE);
            if (!nakked) {
                nak(AethSyndrome.PSN_SEQUENCE_ERROR);
            }
        } else {
            services.count(NicCounter.DUPLICATE_REQUESTS);
            duplicate(opcode, psn, b, offset);
        }
    }

    /** A request cannot be executed: the queue pair goes to ERR when all that came before is answered. */
    private void refuse(int syndrome) {
        nak(syndrome);
        services.event(
                syndrome == AethSyndrome.REMOTE_ACCESS_ERROR ? AsyncEventType.QP_ACCESS_ERR : AsyncEventType.QP_REQ_ERR,
                qp.number());
        if (resources.hasPending()) {
            failing = true; // what was asked for before is answered before
        } else {
            qp.error();
        }
    }

    private void nak(int syndrome) {
        nakSyndrome = syndrome;
        nakPsn = expectedPsn;
        nakked = true;
        acknowledgementDue = false;
        services.acknowledge(qp);
    }

    @Override
    public boolean acknowledge(Link link) {
        if (resources.hasPending() || (!acknowledgementDue && nakSyndrome == 0)) {
            return true;
        }
        if (nakSyndrome == 0 && deferred < MAX_DEFERRED && link.hasInbound()) {
            deferred++; // what has arrived already may be acknowledged with it
            return false;
        }
        int at = link.claim(Opcode.ACKNOWLEDGE.headerLength());
        if (at == Link.NO_ROOM) {
            return false;
        }
        int syndrome = nakSyndrome != 0 ? nakSyndrome : AethSyndrome.ACK;
        int psn = nakSyndrome != 0 ? nakPsn : Psn.add(expectedPsn, -1);
        MutableDirectBuffer b = link.buffer();
        BthFlyweight.encode(b, at, Opcode.ACKNOWLEDGE.code(), 0, qp.peerQp(), psn, qp.number());
        AethFlyweight.encode(b, at + Opcode.ACKNOWLEDGE.aethOffset(), syndrome, messages);
        link.commit();
        acknowledgementDue = false;
        deferred = 0;
        nakSyndrome = 0;
        if (failing) {
            qp.error();
        }
        return true;
    }

    private int answer(long sourceNic, Opcode opcode, DirectBuffer b, int offset, int payload, int headers, int done) {
        boolean isCut = opcode.family() == Opcode.Family.APPEND; // into parts of any length
        if (payload > qp.pathMtu() || (!opcode.endsMessage() && !isCut && payload != qp.pathMtu())) {
            return AethSyndrome.INVALID_REQUEST;
        }
        switch (opcode.family()) {
            case READ:
                return read(b, offset + opcode.rethOffset());
            case ATOMIC:
                return atomic(opcode, b, offset + opcode.atomicEthOffset());
            default:
                return opcode == Opcode.APPEND_RUN
                        ? run(b, offset, payload, headers, done)
                        : execute(sourceNic, opcode, b, offset, payload, headers);
        }
    }

    /**
     * Appends a run, but for the messages that were done before: by one claim, or, where that is not possible, one by
     * one as far as it goes. Each message that is done counts, with its PSN; the last one is counted by the caller, as
     * any request is.
     */
    private int run(DirectBuffer b, int offset, int payload, int headers, int done) {
        int eth = offset + Opcode.APPEND_RUN.appendEthOffset();
        int messages = AppendEthFlyweight.messages(b, eth);
        int longest = AppendRunFlyweight.check(b, offset + headers, payload, messages);
        if (longest < 0 || done >= messages || AppendEthFlyweight.messageLength(b, eth) != payload) {
            return AethSyndrome.INVALID_REQUEST;
        }
        int queueId = AppendEthFlyweight.queueId(b, eth);
        int queueKey = AppendEthFlyweight.queueKey(b, eth);
        append.run(queueId, AppendEthFlyweight.weight(b, eth));
        int at = offset + headers;
        int end = at + payload;
        for (int i = 0; i < done; i++) {
            at += AppendRunFlyweight.alignedLength(messageLength(b, at, end));
        }
        int left = messages - done;
        if (appendTogether(queueId, queueKey, b, at, end, left, longest)) {
            append.ran(queueId, queueKey, streamOfRun);
            count(left - 1);
            return DONE;
        }
        for (int i = 0; i < left; i++) {
            int length = messageLength(b, at, end);
            int result = append.whole(
                    queueId,
                    queueKey,
                    b,
                    at + AppendRunFlyweight.HEADER_LENGTH,
                    length,
                    AppendRunFlyweight.stream(b, at),
                    AppendRunFlyweight.hasImmediate(b, at),
                    AppendRunFlyweight.immediate(b, at));
            if (result != DONE) {
                return result;
            }
            append.ran(queueId, queueKey, AppendRunFlyweight.stream(b, at));
            count(i < left - 1 ? 1 : 0);
            at += AppendRunFlyweight.alignedLength(length);
        }
        return DONE;
    }

    /**
     * Length of a message of a run. The run was checked, but may lie in memory that its sender has mapped: nothing
     * outside it is read, and not more copied than there is room for.
     */
    private static int messageLength(DirectBuffer b, int at, int end) {
        int room = end - at - AppendRunFlyweight.HEADER_LENGTH;
        int length = room < 0 ? -1 : AppendRunFlyweight.messageLength(b, at);
        if (length < 0 || length > room) {
            throw new IllegalStateException("run of appends that was changed while it was read");
        }
        return length;
    }

    /** Appends all messages of a run by one claim; or none. */
    private boolean appendTogether(
            int queueId, int queueKey, DirectBuffer b, int offset, int end, int messages, int longest) {
        Appender appender = services.appender();
        int bytes = end - offset + messages * (RecordDescriptor.HEADER_LENGTH - AppendRunFlyweight.HEADER_LENGTH);
        if (bytes > Appender.MAX_RUN || !append.take(bytes)) {
            return false;
        }
        if (appender.claimRun(queueId, queueKey, qp.pd(), longest, bytes, Appender.OWNER) != Appender.OK) {
            qp.senderQuota().giveBack(bytes);
            return false;
        }
        long first;
        try {
            first = putRecords(appender.roomBuffer(), appender.room(), bytes, b, offset, end, messages);
        } catch (RuntimeException | Error e) { // what was claimed is not left open: it would hold up the whole queue
            appender.commitRun(RecordDescriptor.padding(bytes));
            qp.senderQuota().giveBack(bytes);
            throw e;
        }
        return appender.commitRun(first);
    }

    /** Writes the messages of a run but for the word of the first record, which is returned. */
    private long putRecords(
            AtomicBuffer room, int firstRecord, int bytes, DirectBuffer b, int offset, int end, int messages) {
        int record = firstRecord;
        int at = offset;
        long first = 0;
        for (int i = 0; i < messages; i++) {
            int length = messageLength(b, at, end);
            boolean immediate = AppendRunFlyweight.hasImmediate(b, at);
            room.putBytes(record + RecordDescriptor.PAYLOAD_OFFSET, b, at + AppendRunFlyweight.HEADER_LENGTH, length);
            room.putLong(
                    record + RecordDescriptor.QP_NUMBER_OFFSET,
                    RecordDescriptor.source(qp.number(), immediate ? AppendRunFlyweight.immediate(b, at) : 0));
            streamOfRun = AppendRunFlyweight.stream(b, at);
            long word = RecordDescriptor.committed(length, append.recordFlags(streamOfRun, immediate));
            if (i == 0) {
                first = word;
            } else {
                room.putLong(record, word);
            }
            record += RecordDescriptor.alignedLength(length);
            at += AppendRunFlyweight.alignedLength(length);
        }
        if (record != firstRecord + bytes) {
            throw new IllegalStateException("run of appends that was changed while it was read");
        }
        return first;
    }

    private void count(int done) {
        expectedPsn = Psn.add(expectedPsn, done);
        messages = messages + done & AethFlyweight.MSN_MASK;
    }

    @Override
    int tooLong() {
        failReceive(WcStatus.LOC_LEN_ERR, WcOpcode.RECEIVE);
        return AethSyndrome.INVALID_REQUEST;
    }

    @Override
    void badWriteImmediate() {
        if (takeReceive()) {
            failReceive(WcStatus.LOC_ACCESS_ERR, WcOpcode.RECEIVE_WRITE_IMMEDIATE);
        }
    }

    @Override
    void badInvalidate() {
        failReceive(WcStatus.LOC_ACCESS_ERR, WcOpcode.RECEIVE);
    }

    private int read(DirectBuffer b, int reth) {
        if ((qp.connection().access() & Access.REMOTE_READ) == 0) {
            return AethSyndrome.INVALID_REQUEST;
        }
        int length = RethFlyweight.length(b, reth);
        if (length < 0 || !resources.hasFree()) {
            return AethSyndrome.INVALID_REQUEST;
        }
        long remote = RethFlyweight.remoteOffset(b, reth);
        int key = RethFlyweight.rkey(b, reth);
        if (length > 0) {
            MemoryRegion region = services.remoteRegion(key, qp.number());
            if (region == null || region.check(qp.pd(), remote, length, Access.REMOTE_READ) != MemoryRegion.OK) {
                return AethSyndrome.REMOTE_ACCESS_ERROR;
            }
        }
        int packets = Math.max(1, (int) ((length + (long) qp.pathMtu() - 1) / qp.pathMtu()));
        resources.addRead(expectedPsn, Psn.add(expectedPsn, packets - 1), key, remote, length);
        expectedPsn = Psn.add(expectedPsn, packets);
        services.schedule(qp);
        return DONE;
    }

    private int atomic(Opcode opcode, DirectBuffer b, int eth) {
        long remote = AtomicEthFlyweight.remoteOffset(b, eth);
        if ((qp.connection().access() & Access.REMOTE_ATOMIC) == 0 || (remote & 7) != 0 || !resources.hasFree()) {
            return AethSyndrome.INVALID_REQUEST;
        }
        MemoryRegion region = services.remoteRegion(AtomicEthFlyweight.rkey(b, eth), qp.number());
        if (region == null || region.check(qp.pd(), remote, Long.BYTES, Access.REMOTE_ATOMIC) != MemoryRegion.OK) {
            return AethSyndrome.REMOTE_ACCESS_ERROR;
        }
        if (!Atomics.isAligned(region.buffer(), remote)) {
            return AethSyndrome.INVALID_REQUEST;
        }
        long original = Atomics.execute(
                opcode == Opcode.FETCH_ADD,
                region.buffer(),
                (int) remote,
                AtomicEthFlyweight.swapOrAdd(b, eth),
                AtomicEthFlyweight.compare(b, eth));
        resources.addAtomic(expectedPsn, original);
        services.schedule(qp);
        return DONE;
    }

    /** A request that was executed before: answered, never executed again. */
    private void duplicate(Opcode opcode, int psn, DirectBuffer b, int offset) {
        switch (opcode.family()) {
            case READ:
                int reth = offset + opcode.rethOffset();
                if (resources.repeatRead(
                        psn,
                        RethFlyweight.rkey(b, reth),
                        RethFlyweight.remoteOffset(b, reth),
                        RethFlyweight.length(b, reth),
                        qp.pathMtu())) {
                    services.schedule(qp);
                }
                break;
            case ATOMIC:
                if (resources.repeatAtomic(psn)) {
                    services.schedule(qp);
                }
                break;
            default:
                acknowledgementDue = true;
                services.acknowledge(qp);
        }
    }
}

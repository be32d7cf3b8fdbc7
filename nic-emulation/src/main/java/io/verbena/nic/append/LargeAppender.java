package io.verbena.nic.append;

import static io.verbena.nic.append.RecordDescriptor.HAS_IMMEDIATE;
import static io.verbena.nic.append.RecordDescriptor.LARGE;
import static io.verbena.nic.append.RecordDescriptor.PAYLOAD_OFFSET;
import static io.verbena.nic.append.RecordDescriptor.QP_NUMBER_OFFSET;
import static io.verbena.nic.append.RecordDescriptor.REFERENCE_LENGTH;

import io.verbena.nic.memory.ControlBlock;
import java.util.Arrays;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Appends messages that are too long for a chunk, or that arrive in parts, to the owner's own queues. They are put
 * together beside the queue and take their place in it when they are whole, so a sender that stops in the middle of one
 * holds up nobody else.
 *
 * <p>A message too long for a chunk gets a mapping of its own; one that fits is copied at its commit from a buffer of
 * the queue's. Both are made by the allocator: until they are there the answer is RNR, and the same queue pair asks
 * again. Only the buffer of a sender that does not retry is made at once.
 *
 * <p>Concurrency: as its {@link Appender}. Allocates nothing once as many claims have been open as ever will.
 */
public final class LargeAppender {
    /** Of a sender that does not try again after {@link Appender#RNR}. */
    public static final long NEVER = -1;

    private static final int INITIAL_CLAIMS = 4;
    private static final long ROUND_TRIP = 1_000_000;

    private final TailPointerTable owner;
    private final ControlBlock control;
    private final Appender appender;
    private LargeClaim[] claims = new LargeClaim[0];
    private int[] freeClaims = new int[0];
    private int freeCount;
    private LargeClaim last = new LargeClaim(-1);
    private long timeoutNanos; // of the last

    LargeAppender(TailPointerTable owner, ControlBlock control, Appender appender) {
        this.owner = owner;
        this.control = control;
        this.appender = appender;
    }

    /**
     * How long what was made for a sender is kept for it at least: the answer and its next try take their time as well.
     */
    static long keptNanos(long againNanos) {
        return againNanos < 0 ? 0 : 2 * againNanos + ROUND_TRIP;
    }

    /**
     * Claims a place for a message.
     *
     * @param queueId of the queue, any value
     * @param queueKey of the queue, any value
     * @param pd protection domain of the queue pair
     * @param length payload bytes, at least 0
     * @param qpNumber the queue pair by which the message comes; one such claim each at a time
     * @param againNanos after which the sender retries if the answer is RNR, or {@link #NEVER}; what is made for it
     *     is kept for twice that and a millisecond, or the queue's surplus time if that is longer
     * @return {@link Appender#OK}, {@link Appender#RNR}, {@link Appender#NO_QUEUE}, {@link Appender#BAD_KEY} (also if
     *     the queue is of another protection domain), {@link Appender#TOO_LONG} or {@link Appender#NO_MEMORY}
     */
    public int claim(int queueId, int queueKey, int pd, int length, int qpNumber, long againNanos) {
        if (length < 0) {
            throw new IllegalArgumentException("length " + length + " < minimum 0");
        }
        AppendQueue queue = owner.find(queueId);
        if (queue == null || queue.isDestroyed() || queue.isCorrupted()) {
            return Appender.NO_QUEUE;
        }
        if (queue.key() != queueKey || queue.pd() != pd) {
            return Appender.BAD_KEY;
        }
        if (length > queue.attributes().maxMessage()) {
            return Appender.TOO_LONG;
        }
        LargeMessage large = null;
        AtomicBuffer staged = null;
        if (length > queue.attributes().recordLimit()) {
            large = queue.largeMessages().claim(qpNumber, length, againNanos);
        } else {
            staged = queue.staging().take(length, qpNumber, againNanos);
        }
        if (large == null && staged == null) {
            return appender.notReady(control.queueOffset(queueId));
        }
        LargeClaim claim = opened();
        claim.queueId = queueId;
        claim.queueKey = queueKey;
        claim.pd = pd;
        claim.payloadLength = length;
        claim.qpNumber = qpNumber;
        claim.unfinished = queue.unfinished();
        claim.unfinished.begin(qpNumber);
        claim.large = large;
        if (staged != null) {
            claim.staged = staged;
            claim.staging = queue.staging();
        }
        last = claim;
        timeoutNanos = Math.max(queue.attributes().unfinishedTimeoutNanos(), keptNanos(againNanos));
        return Appender.OK;
    }

    private LargeClaim opened() {
        if (freeCount == 0) {
            grow();
        }
        LargeClaim claim = claims[freeClaims[--freeCount]];
        claim.generation++;
        claim.open = true;
        return claim;
    }

    private void grow() {
        int count = claims.length;
        int room = Math.max(INITIAL_CLAIMS, count * 2);
        claims = Arrays.copyOf(claims, room);
        freeClaims = new int[room];
        for (int i = count; i < room; i++) {
            claims[i] = new LargeClaim(i);
            freeClaims[freeCount++] = i;
        }
    }

    /** The last claim counts against a quota, of which its {@link RecordDescriptor#alignedLength} has been taken. */
    public void charge(SenderQuota quota) {
        last.quota = quota;
    }

    /** The last claim is for a message of a stream of its queue pair's; of 0 if nothing is said. */
    public void stream(int stream) {
        last.streamFlags = RecordDescriptor.streamFlags(stream);
    }

    /** Names the claim that was made last; valid until its commit, abort or postponement. */
    public long claimed() {
        return last.handle();
    }

    /** How long the message of the last claim may stand still, in nanoseconds: long enough to come again. */
    public long timeoutNanos() {
        return timeoutNanos;
    }

    /** Where the payload of the last claim goes, from the first byte on. */
    public AtomicBuffer buffer() {
        return last.payload();
    }

    /**
     * Where the payload of an open claim goes, from the first byte on.
     *
     * @param claim a value of {@link #claimed}
     */
    public AtomicBuffer buffer(long claim) {
        return open(claim).payload();
    }

    /**
     * Commits a claim: the message's place in the queue is here.
     *
     * @param claim a value of {@link #claimed}
     * @param qpNumber number of the owner's queue pair by which the message came
     * @param immediate the immediate value
     * @param hasImmediate whether there is one
     * @return {@link Appender#OK}; {@link Appender#RNR}: no room in the queue now, the claim stays open; {@link
     *     Appender#NO_QUEUE}: the queue was destroyed meanwhile, {@link Appender#NO_MEMORY}: there will be none; the
     *     claim is gone
     * @throws IllegalStateException if the claim is not open
     */
    public int commit(long claim, int qpNumber, int immediate, boolean hasImmediate) {
        LargeClaim open = open(claim);
        int length = open.payloadLength;
        LargeMessage large = open.large;
        int recorded = large != null ? REFERENCE_LENGTH : length;
        int status = appender.claimRun(
                open.queueId,
                open.queueKey,
                open.pd,
                recorded,
                RecordDescriptor.alignedLength(recorded),
                Appender.OWNER);
        if (status == Appender.RNR) {
            return Appender.RNR;
        }
        if (status != Appender.OK) {
            abort(claim);
            return status == Appender.NO_MEMORY ? status : Appender.NO_QUEUE;
        }
        AtomicBuffer record = appender.roomBuffer();
        int payload = appender.room() + PAYLOAD_OFFSET;
        int flags = (hasImmediate ? HAS_IMMEDIATE : 0) | open.streamFlags | open.quota.flags();
        open.quota = SenderQuota.NONE; // until the record is taken
        if (large != null) {
            record.putInt(payload, large.index());
            record.putInt(payload + 4, 0);
            record.putLong(payload + 8, length);
            large.committed(length);
            flags |= LARGE;
        } else {
            record.putBytes(payload, open.staged, 0, length);
        }
        record.putLong(appender.room() + QP_NUMBER_OFFSET, RecordDescriptor.source(qpNumber, immediate));
        appender.commitRun(RecordDescriptor.committed(recorded, flags));
        release(open);
        return Appender.OK;
    }

    /**
     * Gives a claim up.
     *
     * @param claim a value of {@link #claimed}
     * @throws IllegalStateException if the claim is not open
     */
    public void abort(long claim) {
        LargeClaim open = open(claim);
        LargeMessage large = open.large;
        if (large != null) {
            large.giveUp();
            owner.wakeAllocator();
        }
        release(open);
    }

    /**
     * Gives a claim up whose message comes again: what it lies in is kept for its queue pair.
     *
     * @param claim a value of {@link #claimed}
     * @throws IllegalStateException if the claim is not open
     */
    public void postpone(long claim) {
        LargeClaim open = open(claim);
        LargeMessage large = open.large;
        if (large != null) {
            large.postpone(owner.clock().nanoTime());
        }
        release(open);
    }

    private void release(LargeClaim open) {
        open.open = false;
        open.quota.giveBack(RecordDescriptor.alignedLength(open.payloadLength));
        open.quota = SenderQuota.NONE;
        open.streamFlags = 0;
        UnfinishedMessages unfinished = open.unfinished;
        if (unfinished != null) {
            unfinished.end(open.qpNumber);
            open.unfinished = null;
        }
        open.large = null;
        Staging staging = open.staging;
        if (staging != null) {
            staging.give(open.staged);
            open.staging = null;
            open.staged = Appender.NOTHING;
        }
        freeClaims[freeCount++] = open.index;
    }

    private LargeClaim open(long claim) {
        int index = (int) claim;
        if (index >= 0 && index < claims.length) {
            LargeClaim open = claims[index];
            if (open.open && open.generation == (int) (claim >>> 32)) {
                return open;
            }
        }
        throw new IllegalStateException("large claim " + claim + " is not open");
    }

    /** Claims that are neither committed nor given up. */
    public int openClaims() {
        return claims.length - freeCount;
    }
}

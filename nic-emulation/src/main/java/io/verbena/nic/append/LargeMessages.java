package io.verbena.nic.append;

import static io.verbena.nic.append.RecordDescriptor.HEADER_LENGTH;
import static io.verbena.nic.append.RecordDescriptor.PAYLOAD_OFFSET;
import static io.verbena.nic.append.RecordDescriptor.REFERENCE_LENGTH;

import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The mappings of a queue's large messages: asked for by the responder, made and released by the allocator, one a turn.
 * The mapping of a message that was consumed is kept for the next that fits, and given back when none has come for a
 * while or memory is short. Once a message has had to wait while another was there, one more mapping than is used is
 * kept ready, a spare of the size that was used last: who comes next does not wait.
 *
 * <p>Places are made as they are needed, up to the queue's most, and used again from the first on.
 *
 * <p>Concurrency: {@link #claim} by any engine of the owner, {@link #maintain} under the queue's maintenance flag.
 */
final class LargeMessages {
    private final int queueId;
    private final AtomicReferenceArray<@Nullable LargeMessage> places;
    private final MemoryProvider memory;
    private final Footprint footprint;
    private final UnfinishedMessages unfinished;
    private final int maxMessage;
    private long waitNanos;
    private int next; // place that the next turn begins with
    private volatile int spareLength; // 0: none is kept
    private volatile boolean used; // since trim has looked

    LargeMessages(
            int queueId,
            MemoryProvider memory,
            Footprint footprint,
            UnfinishedMessages unfinished,
            AppendQueueAttributes of) {
        this.queueId = queueId;
        this.memory = memory;
        this.footprint = footprint;
        this.unfinished = unfinished;
        this.waitNanos = of.surplusNanos();
        this.maxMessage = of.maxMessage();
        this.places = new AtomicReferenceArray<>(of.largeMessages());
    }

    /** Sets how long a mapping waits for its sender; under the queue's maintenance flag. */
    void surplus(long nanos) {
        waitNanos = nanos;
    }

    /**
     * A mapping that was made for a queue pair, or that is kept and fits; or null: asked for now, or before.
     *
     * @param againNanos after which its sender retries, {@link LargeAppender#NEVER} if it does not; a mapping is
     *     kept for it accordingly if the surplus time is shorter
     */
    @Nullable
    LargeMessage claim(int qpNumber, int length, long againNanos) {
        LargeMessage free = null;
        boolean shared = false;
        int end = 0;
        if (!used) {
            used = true;
        }
        for (LargeMessage place; end < places.length() && (place = places.get(end)) != null; end++) {
            int state = place.state();
            if ((state == LargeMessage.REQUESTED || state == LargeMessage.READY) && place.qpNumber == qpNumber) {
                if (state == LargeMessage.REQUESTED && place.length >= length) {
                    return null;
                }
                if (state == LargeMessage.READY && place.move(LargeMessage.READY, LargeMessage.OPEN)) {
                    if (place.buffer().capacity() >= length) {
                        return place;
                    }
                    place.giveUp();
                    unfinished.end(qpNumber); // it has none now, and may never get the longer one
                }
            }
            if (state == LargeMessage.FREE && free == null) {
                free = place;
            }
            shared |= state != LargeMessage.FREE && state != LargeMessage.DONE;
        }
        for (int i = 0; i < end; i++) {
            LargeMessage place = places.get(i);
            if (place != null && place.state() == LargeMessage.DONE && reuse(place, qpNumber, length, againNanos)) {
                return place;
            }
        }
        if (shared || spareLength > 0) {
            spareLength = spareFor(length);
        }
        if (free != null && ask(free, qpNumber, length, againNanos)) {
            return null;
        }
        if (end < places.length()) {
            LargeMessage made = new LargeMessage(end);
            if (places.compareAndSet(end, null, made)) {
                ask(made, qpNumber, length, againNanos);
            }
        }
        return null; // or another engine was faster: the sender asks again
    }

    /** Takes a mapping that is kept, if it is long enough and not by far too long. */
    private static boolean reuse(LargeMessage place, int qpNumber, int length, long againNanos) {
        if (!place.move(LargeMessage.DONE, LargeMessage.TAKEN)) {
            return false;
        }
        Segment segment = place.segment;
        int capacity = segment == null ? 0 : segment.buffer().capacity();
        if (capacity < length || capacity >> 1 > length) {
            place.move(LargeMessage.TAKEN, LargeMessage.DONE);
            return false;
        }
        place.qpNumber = qpNumber;
        place.length = length;
        place.waitNanos = LargeAppender.keptNanos(againNanos);
        place.looks = 0;
        return place.move(LargeMessage.TAKEN, LargeMessage.OPEN);
    }

    /** Bytes of a spare that messages of a length and somewhat longer and shorter ones fit into. */
    private int spareFor(int length) {
        int power = Integer.highestOneBit(Math.max(1, length - 1)) << 1;
        return Math.min(maxMessage, Math.max(length, power));
    }

    private static boolean ask(LargeMessage place, int qpNumber, int length, long againNanos) {
        if (!place.move(LargeMessage.FREE, LargeMessage.TAKEN)) {
            return false;
        }
        place.qpNumber = qpNumber;
        place.length = length;
        place.waitNanos = LargeAppender.keptNanos(againNanos);
        place.waits = false;
        return place.move(LargeMessage.TAKEN, LargeMessage.REQUESTED);
    }

    /**
     * The message that a LARGE record refers to.
     *
     * @param buffer chunk
     * @param offset of the record
     * @param recordLength its length
     * @throws IllegalStateException if the reference is not to be believed
     */
    LargeMessage referred(AtomicBuffer buffer, int offset, int recordLength) {
        LargeMessage place = find(buffer, offset, recordLength);
        if (place != null) {
            return place;
        }
        if (recordLength != HEADER_LENGTH + REFERENCE_LENGTH) {
            throw new IllegalStateException("append queue " + queueId + ": large reference of " + recordLength
                    + " bytes, expected " + (HEADER_LENGTH + REFERENCE_LENGTH));
        }
        throw new IllegalStateException("append queue " + queueId + ": reference to large message "
                + buffer.getInt(offset + PAYLOAD_OFFSET) + " of " + buffer.getLong(offset + PAYLOAD_OFFSET + 8)
                + " bytes, which is not there");
    }

    /** As {@link #referred}, but null if the reference is not to be believed. */
    @Nullable
    LargeMessage find(AtomicBuffer buffer, int offset, int recordLength) {
        if (recordLength != HEADER_LENGTH + REFERENCE_LENGTH) {
            return null;
        }
        int index = buffer.getInt(offset + PAYLOAD_OFFSET);
        LargeMessage place = index >= 0 && index < places.length() ? places.get(index) : null;
        return place != null
                        && place.state() == LargeMessage.COMMITTED
                        && place.length == buffer.getLong(offset + PAYLOAD_OFFSET + 8)
                ? place
                : null;
    }

    /**
     * Lets the next turns give back what is kept and was not used since the call before the last. Returns whether there
     * is some.
     */
    boolean trim() {
        boolean some = false;
        if (used) {
            used = false;
        } else {
            spareLength = 0;
        }
        LargeMessage place;
        for (int i = 0; i < places.length() && (place = places.get(i)) != null; i++) {
            if (place.state() == LargeMessage.DONE) {
                int looks = place.looks + 1;
                place.looks = looks; // of one that is used just now too: it may go early
                some |= looks >= LargeMessage.IDLE_LOOKS;
            }
        }
        return some;
    }

    /** Gives back one mapping that is kept, whichever. Returns whether there was one. */
    boolean giveBackOne() {
        spareLength = 0;
        LargeMessage place;
        for (int i = 0; i < places.length() && (place = places.get(i)) != null; i++) {
            if (place.move(LargeMessage.DONE, LargeMessage.TAKEN)) {
                free(place, true);
                return true;
            }
        }
        return false;
    }

    /**
     * Makes a mapping that was asked for, or releases one that was kept for long or never fetched. Returns work done.
     */
    int maintain(long now, boolean mayAllocate) {
        if (!mayAllocate) {
            return 0;
        }
        int count = 0;
        while (count < places.length() && places.get(count) != null) {
            count++;
        }
        for (int i = 0; i < count; i++) {
            int index = (next + i) % count;
            LargeMessage place = places.get(index);
            if (place != null && serve(place, now)) {
                next = index + 1;
                return 1;
            }
        }
        return spareLength > 0 && isSpareMissing(count) ? makeSpare(count) : 0;
    }

    /** Whether a message is there, and nothing is kept for the next one. */
    private boolean isSpareMissing(int count) {
        boolean some = false;
        for (int i = 0; i < count; i++) {
            LargeMessage place = places.get(i);
            int state = place == null ? LargeMessage.FREE : place.state();
            if (state == LargeMessage.DONE) {
                return false;
            }
            some |= state == LargeMessage.OPEN || state == LargeMessage.COMMITTED;
        }
        return some;
    }

    /** Keeps a mapping for a message that has not come yet, if a longest one finds room beside it. */
    private int makeSpare(int count) {
        int length = spareLength;
        LargeMessage place = null;
        for (int i = 0; i < count && place == null; i++) {
            LargeMessage at = places.get(i);
            place = at != null && at.move(LargeMessage.FREE, LargeMessage.TAKEN) ? at : null;
        }
        if (place == null && count < places.length()) {
            LargeMessage made = new LargeMessage(count);
            made.move(LargeMessage.FREE, LargeMessage.TAKEN);
            place = places.compareAndSet(count, null, made) ? made : null;
        }
        if (place == null) {
            return 0;
        }
        boolean mapped = footprint.reserveSpare(length) && map(place, length);
        place.looks = 0;
        place.move(LargeMessage.TAKEN, mapped ? LargeMessage.DONE : LargeMessage.FREE);
        if (!mapped) {
            spareLength = 0; // until the next one has to wait
        }
        return mapped ? 1 : 0;
    }

    private boolean serve(LargeMessage place, long now) {
        switch (place.state()) {
            case LargeMessage.REQUESTED:
                return make(place, now);
            case LargeMessage.READY:
                if (!isLate(place, now) || !place.move(LargeMessage.READY, LargeMessage.TAKEN)) {
                    return false;
                }
                unfinished.end(place.qpNumber);
                free(place, true);
                return true;
            case LargeMessage.DONE:
                if (place.looks < LargeMessage.IDLE_LOOKS || !place.move(LargeMessage.DONE, LargeMessage.TAKEN)) {
                    return false;
                }
                free(place, true);
                return true;
            default:
                return false;
        }
    }

    private boolean isLate(LargeMessage place, long now) {
        return now - place.since >= Math.max(waitNanos, place.waitNanos);
    }

    private boolean make(LargeMessage place, long now) {
        int length = Math.max(1, place.length);
        if (!footprint.reserveFor(place.qpNumber, length, unfinished)) {
            if (!place.waits) {
                place.waits = true;
                place.since = now;
            } else if (isLate(place, now)) { // its sender may be gone: if it is not, it asks again
                place.move(LargeMessage.REQUESTED, LargeMessage.FREE);
            }
            return giveBackOne();
        }
        if (!map(place, length)) {
            return false;
        }
        place.since = now;
        unfinished.begin(place.qpNumber);
        return place.move(LargeMessage.REQUESTED, LargeMessage.READY);
    }

    /** Maps what a place needs, of bytes that are reserved; gives them back if there is no memory. */
    private boolean map(LargeMessage place, int length) {
        try {
            Segment segment = memory.allocate(length);
            footprint.adjust(segment.buffer().capacity() - length);
            place.segment = segment;
            footprint.allocated();
            return true;
        } catch (MemoryExhaustedException e) {
            footprint.release(length);
            footprint.memoryShort(e);
            return false;
        }
    }

    /**
     * Frees a place that was taken: its responder has committed or aborted, its consumer's handler has returned, and
     * only the owner ever had the mapping. The consumer of a destroyed queue may be in a handler: then it is left to
     * the collector.
     */
    private void free(LargeMessage place, boolean atOnce) {
        Segment segment = place.segment;
        if (segment != null) {
            place.segment = null;
            footprint.release(segment.buffer().capacity());
            footprint.returned();
            if (atOnce) {
                memory.unmap(segment);
            } else {
                memory.release(segment);
            }
        }
        place.looks = 0;
        place.move(LargeMessage.TAKEN, LargeMessage.FREE);
    }

    /** Messages that nobody can find any more go, but left to the collector: somebody may hold one. */
    void abandon() {
        for (int i = 0; i < places.length(); i++) {
            LargeMessage place = places.get(i);
            if (place != null && place.move(LargeMessage.COMMITTED, LargeMessage.TAKEN)) {
                free(place, false);
            }
        }
    }

    /**
     * Whether every place is free, after dropping what nobody can fetch any more.
     *
     * @param atOnce whether the consumer reads nothing any more
     */
    boolean drained(boolean atOnce) {
        boolean drained = true;
        for (int i = 0; i < places.length(); i++) {
            LargeMessage place = places.get(i);
            if (place == null) {
                break;
            }
            if (place.move(LargeMessage.REQUESTED, LargeMessage.FREE)) {
                continue;
            }
            if (place.move(LargeMessage.READY, LargeMessage.TAKEN)
                    || place.move(LargeMessage.DONE, LargeMessage.TAKEN)) {
                free(place, atOnce);
            }
            drained &= place.state() == LargeMessage.FREE;
        }
        return drained;
    }
}

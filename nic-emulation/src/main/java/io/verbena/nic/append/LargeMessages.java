package io.verbena.nic.append;

import static io.verbena.nic.append.RecordDescriptor.HEADER_LENGTH;
import static io.verbena.nic.append.RecordDescriptor.PAYLOAD_OFFSET;
import static io.verbena.nic.append.RecordDescriptor.REFERENCE_LENGTH;

import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The mappings of a queue's large messages: asked for by the responder, made and released by the allocator.
 *
 * <p>Concurrency: {@link #claim} by any engine of the owner, {@link #maintain} under the queue's maintenance flag.
 */
final class LargeMessages {
    /** Large messages of one queue that are under way or unread at a time. */
    static final int PLACES = 32;

    private final int queueId;
    private final LargeMessage[] places = new LargeMessage[PLACES];
    private final MemoryProvider memory;
    private final Footprint footprint;
    private long waitNanos;

    LargeMessages(int queueId, MemoryProvider memory, Footprint footprint, long waitNanos) {
        this.queueId = queueId;
        this.memory = memory;
        this.footprint = footprint;
        this.waitNanos = waitNanos;
        for (int i = 0; i < PLACES; i++) {
            places[i] = new LargeMessage(i);
        }
    }

    /** Sets how long a mapping waits for its sender; under the queue's maintenance flag. */
    void surplus(long nanos) {
        waitNanos = nanos;
    }

    /** The mapping that was made for a queue pair, or null: asked for now, or before. */
    @Nullable
    LargeMessage claim(int qpNumber, int length) {
        for (int i = 0; i < PLACES; i++) {
            LargeMessage place = places[i];
            int state = place.state();
            if ((state == LargeMessage.REQUESTED || state == LargeMessage.READY) && place.qpNumber == qpNumber) {
                if (state == LargeMessage.REQUESTED && place.length >= length) {
                    return null;
                }
                if (state == LargeMessage.READY && place.move(LargeMessage.READY, LargeMessage.OPEN)) {
                    if (place.buffer().capacity() >= length) {
                        return place;
                    }
                    place.discard();
                }
            }
        }
        for (int i = 0; i < PLACES; i++) {
            LargeMessage place = places[i];
            if (place.move(LargeMessage.FREE, LargeMessage.TAKEN)) {
                place.qpNumber = qpNumber;
                place.length = length;
                place.move(LargeMessage.TAKEN, LargeMessage.REQUESTED);
                return null;
            }
        }
        return null;
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
        if (recordLength != HEADER_LENGTH + REFERENCE_LENGTH) {
            throw new IllegalStateException("append queue " + queueId + ": large reference of " + recordLength
                    + " bytes, expected " + (HEADER_LENGTH + REFERENCE_LENGTH));
        }
        int index = buffer.getInt(offset + PAYLOAD_OFFSET);
        long length = buffer.getLong(offset + PAYLOAD_OFFSET + 8);
        if (index >= 0 && index < PLACES) {
            LargeMessage place = places[index];
            if (place.state() == LargeMessage.COMMITTED && place.length == length) {
                return place;
            }
        }
        throw new IllegalStateException("append queue " + queueId + ": reference to large message " + index + " of "
                + length + " bytes, which is not there");
    }

    /** Makes mappings that were asked for, releases those that are done with or were never fetched. */
    int maintain(long now, boolean mayAllocate) {
        int work = 0;
        for (int i = 0; i < PLACES; i++) {
            LargeMessage place = places[i];
            switch (place.state()) {
                case LargeMessage.REQUESTED -> {
                    if (mayAllocate && make(place, now)) {
                        work++;
                    }
                }
                case LargeMessage.READY -> {
                    if (mayAllocate
                            && now - place.readyAt >= waitNanos
                            && place.move(LargeMessage.READY, LargeMessage.DONE)) {
                        free(place, true);
                        work++;
                    }
                }
                case LargeMessage.DONE -> {
                    if (mayAllocate) {
                        free(place, true);
                        work++;
                    }
                }
                default -> {}
            }
        }
        return work;
    }

    private boolean make(LargeMessage place, long now) {
        int length = Math.max(1, place.length);
        if (!footprint.reserve(length)) {
            return false;
        }
        Segment segment;
        try {
            segment = memory.allocate(length);
        } catch (MemoryExhaustedException e) {
            footprint.release(length);
            footprint.refused();
            return false;
        }
        footprint.adjust(segment.buffer().capacity() - length);
        place.segment = segment;
        place.readyAt = now;
        footprint.allocated();
        return place.move(LargeMessage.REQUESTED, LargeMessage.READY);
    }

    /**
     * Frees a place that is DONE: its responder has committed or aborted, its consumer's handler has returned, and only the
     * owner ever had the mapping. Of a destroyed queue the consumer may be in a handler: then it is left to the collector.
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
        place.move(LargeMessage.DONE, LargeMessage.FREE);
    }

    /** Whether every place is free, after dropping what nobody can fetch any more. */
    boolean drained() {
        boolean drained = true;
        for (int i = 0; i < PLACES; i++) {
            LargeMessage place = places[i];
            if (place.move(LargeMessage.REQUESTED, LargeMessage.FREE)) {
                continue;
            }
            if (place.move(LargeMessage.READY, LargeMessage.DONE) || place.state() == LargeMessage.DONE) {
                free(place, false);
            }
            drained &= place.state() == LargeMessage.FREE;
        }
        return drained;
    }
}

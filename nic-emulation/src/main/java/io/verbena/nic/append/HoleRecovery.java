package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;
import static io.verbena.nic.append.RecordDescriptor.ALIGNMENT;
import static io.verbena.nic.append.RecordDescriptor.PADDING;
import static io.verbena.nic.append.RecordDescriptor.align;
import static io.verbena.nic.append.RecordDescriptor.flags;
import static io.verbena.nic.append.RecordDescriptor.isSound;
import static io.verbena.nic.append.RecordDescriptor.length;
import static io.verbena.nic.append.RecordDescriptor.word;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_APPEND;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_CLAIMED;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_ROLL;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_SUBJECT_OFFSET;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_WORD_OFFSET;

import io.verbena.nic.memory.ControlBlock;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Turns the claim of a direct initiator that died or stalls into padding, after a timeout, or at once if the initiator
 * is known to be gone.
 *
 * <p>A hole is the oldest record, where its word is 0 while the tail is beyond it. Its length stands in the slot of
 * whoever claimed it; that slot says so (SLOT_CLAIMED) before any byte of the payload is written. If no slot says so,
 * the claimer died right after its compare-and-set; then slots that name the place may also be of claims that never
 * came about, with other lengths. The true length L is the <em>least one with evidence</em>: the tail is at L behind
 * the hole, or a record or a slot begins there, or the chunk ends there and the tail has left it. The true one always
 * has evidence, because whoever claimed next has published its slot before and clears it only after its record's word
 * is set; a shorter false one points into bytes that nobody has written. If the tail has left the chunk and no length
 * has evidence, the hole is the remainder of the chunk, whose claimer died before it wrote the padding. In each case
 * the owner's compare-and-set from 0 decides against a late commit. A claim of the owner itself is never a hole: it
 * ends by commit or abort.
 *
 * <p>Under the queue's maintenance flag.
 */
final class HoleRecovery {
    private static final int UNKNOWN = -1;

    private final ControlBlock control;
    private final AtomicBuffer table;
    private final Initiators initiators;
    private final int queueId;
    private final int queue;
    private final int chunkLength;
    private long timeoutNanos;
    private long suspect = -1;
    private long suspectSince;
    private boolean initiatorIsGone;
    private boolean isRemainder;

    HoleRecovery(ControlBlock control, Initiators initiators, int queueId, AppendQueueAttributes attributes) {
        this.control = control;
        this.initiators = initiators;
        this.table = control.buffer();
        this.queueId = queueId;
        this.queue = control.queueOffset(queueId);
        this.chunkLength = attributes.chunkLength();
        this.timeoutNanos = attributes.holeTimeoutNanos();
    }

    /** Sets how long a claim may stay open. */
    void timeout(long nanos) {
        timeoutNanos = nanos;
    }

    /**
     * Looks at the oldest record behind the head that is not padding.
     *
     * @param head position up to which the consumer has come
     * @param tail the tail
     * @param ring the queue's chunks
     * @param now in nanoseconds
     * @return number of holes that became padding
     */
    int recover(long head, long tail, ChunkRing ring, long now) {
        int recovered = 0;
        boolean rollerIsLate = false;
        long at = head;
        while (distance(at, tail, chunkLength) > 0) {
            if (offset(at) >= chunkLength) {
                at = position(sequence(at) + 1, 0);
                continue;
            }
            Chunk chunk = ring.chunks().chunk(sequence(at));
            long word = chunk.buffer.getLongVolatile(offset(at));
            if (word == 0) {
                int padded = recoverAt(at, tail, chunk.buffer, now, rollerIsLate);
                if (padded == UNKNOWN) {
                    return recovered;
                }
                chunk.suspect = true; // before the head can pass it: the same flag is held when the chunk is retired
                recovered++;
                // Who did not close its chunk claimed the beginning of the next one, and is as late there.
                rollerIsLate = isRemainder;
                at += padded;
            } else if (length(word) > 0 && (flags(word) & PADDING) != 0 && isSound(word, chunkLength - offset(at))) {
                rollerIsLate = false;
                at += align(length(word));
            } else {
                break;
            }
        }
        suspect = -1;
        return recovered;
    }

    private int recoverAt(long at, long tail, AtomicBuffer chunk, long now, boolean rollerIsLate) {
        if (suspect != at) {
            suspect = at;
            suspectSince = now;
        }
        boolean late = rollerIsLate || now - suspectSince >= timeoutNanos;
        int length = holeLength(at, tail, chunk);
        if (length == UNKNOWN || (!late && !initiatorIsGone)) {
            return UNKNOWN;
        }
        if (!chunk.compareAndSetLong(offset(at), 0, word(length, PADDING))) {
            return UNKNOWN;
        }
        table.getAndAddLong(queue + HOLES_OFFSET, 1);
        return length;
    }

    /**
     * Length of the hole, or UNKNOWN. Says too whether its initiator is known to be gone, and whether it is a remainder
     * that was not closed.
     */
    private int holeLength(long head, long tail, AtomicBuffer chunk) {
        isRemainder = false;
        int claimed = claimedLength(head);
        if (claimed != UNKNOWN) {
            return claimed;
        }
        int least = leastWithEvidence(head, tail, chunk);
        // If some bytes that looked like evidence are payload, the claim that they belong to shows by now.
        return least == UNKNOWN || claimedLength(head) != UNKNOWN ? UNKNOWN : least;
    }

    /** Length of the claim at a position whose slot says that it succeeded, or UNKNOWN. */
    private int claimedLength(long head) {
        int inUse = control.slotsInUse();
        for (int slot = 0; slot < inUse; slot++) {
            int slotOffset = control.slotOffset(slot);
            long word = table.getLongVolatile(slotOffset + SLOT_WORD_OFFSET);
            if (isAppend(word) && ((int) word & SLOT_CLAIMED) != 0) {
                long subject = table.getLongVolatile(slotOffset + SLOT_SUBJECT_OFFSET);
                if (recordAt(word, subject) == head
                        && mayClaim(slotLength(word), head)
                        && table.getLongVolatile(slotOffset + SLOT_WORD_OFFSET) == word) {
                    initiatorIsGone = initiators.isAbandoned(slot);
                    return slotLength(word);
                }
            }
        }
        return UNKNOWN;
    }

    private int leastWithEvidence(long head, long tail, AtomicBuffer chunk) {
        int room = chunkLength - offset(head);
        int queuePairs = control.limits().maxQueuePairs();
        int inUse = control.slotsInUse();
        int least = UNKNOWN;
        boolean gone = false;
        boolean own = false;
        boolean rolling = false;
        boolean rollingGone = false;
        for (int slot = 0; slot < control.slotCount(); slot++) {
            if (slot == inUse) {
                slot = queuePairs;
            }
            int slotOffset = control.slotOffset(slot);
            long word = table.getLongVolatile(slotOffset + SLOT_WORD_OFFSET);
            if (!isAppend(word)) {
                continue;
            }
            long subject = table.getLongVolatile(slotOffset + SLOT_SUBJECT_OFFSET);
            if (table.getLongVolatile(slotOffset + SLOT_WORD_OFFSET) != word) {
                return UNKNOWN; // whoever holds it is alive; look again later
            }
            boolean isOwn = slot >= queuePairs;
            boolean isGone = !isOwn && initiators.isAbandoned(slot);
            if (slotKind(word) == SLOT_ROLL && subject == head) {
                rolling |= !isOwn;
                rollingGone |= isGone;
                continue;
            }
            int length = slotLength(word);
            if (recordAt(word, subject) == head
                    && mayClaim(length, head)
                    && (least == UNKNOWN || length <= least)
                    && hasEvidence(head, length, tail, chunk)) {
                gone = length == least ? gone || isGone : isGone;
                own = length == least ? own || isOwn : isOwn;
                least = length;
            }
        }
        if (least == UNKNOWN && rolling && sequence(tail) != sequence(head)) {
            initiatorIsGone = rollingGone;
            isRemainder = true;
            return room;
        }
        initiatorIsGone = gone;
        return own ? UNKNOWN : least;
    }

    /** Whether a claim may have that length: it is what an initiator says. */
    private boolean mayClaim(int length, long head) {
        return length > 0 && length <= chunkLength - offset(head) && (length & ALIGNMENT - 1) == 0;
    }

    private boolean isAppend(long word) {
        int kind = slotKind(word);
        return (kind == SLOT_APPEND || kind == SLOT_ROLL) && slotQueue(word) == queueId;
    }

    /** Where the record of a claim begins. */
    private static long recordAt(long word, long subject) {
        return slotKind(word) == SLOT_ROLL ? position(sequence(subject) + 1, 0) : subject;
    }

    private boolean hasEvidence(long head, int length, long tail, AtomicBuffer chunk) {
        long next = head + length;
        int offset = offset(next);
        if (next == tail) {
            return true;
        }
        if (offset == chunkLength) {
            return sequence(tail) != sequence(head);
        }
        // A slot is cleared after its record's word is set: if it was cleared while we looked, the word is there now.
        return chunk.getLongVolatile(offset) != 0 || isNamed(next) || chunk.getLongVolatile(offset) != 0;
    }

    private boolean isNamed(long position) {
        int inUse = control.slotsInUse();
        int first = control.limits().maxQueuePairs();
        for (int slot = 0; slot < inUse; slot++) {
            if (names(slot, position)) {
                return true;
            }
        }
        for (int slot = first; slot < control.slotCount(); slot++) {
            if (names(slot, position)) {
                return true;
            }
        }
        return false;
    }

    private boolean names(int slot, long position) {
        int slotOffset = control.slotOffset(slot);
        long word = table.getLongVolatile(slotOffset + SLOT_WORD_OFFSET);
        return isAppend(word)
                && table.getLongVolatile(slotOffset + SLOT_SUBJECT_OFFSET) == position
                && table.getLongVolatile(slotOffset + SLOT_WORD_OFFSET) == word;
    }
}

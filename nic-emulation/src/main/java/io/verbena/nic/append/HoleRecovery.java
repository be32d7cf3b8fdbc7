package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;
import static io.verbena.nic.append.RecordDescriptor.PADDING;
import static io.verbena.nic.append.RecordDescriptor.word;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_ABANDONED;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_APPEND;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_ROLL;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_SUBJECT_OFFSET;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_WORD_OFFSET;

import io.verbena.nic.memory.ControlBlock;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Turns the claim of a direct initiator that died or stalls into padding, after a timeout, or at once if the initiator is
 * known to be gone.
 *
 * <p>A hole is a record at the head whose word is 0 while the tail is beyond it. Its length stands in the slot of whoever
 * claimed it. But a slot may also name a claim that never came about (its compare-and-set failed, or was not reached), so
 * several slots may name one place with different lengths. The true length L is the <em>least one with evidence</em>: the
 * tail is at L behind the hole, or a record or a slot begins there, or the chunk ends there and the tail has left it. The
 * true one always has evidence, because whoever claimed next has published its slot before and clears it only after its
 * record's word is set; a false one that is shorter points into the true record's payload that was never copied, or into
 * bytes that nobody has claimed. If the tail has left the chunk and no length has evidence, the hole is the remainder of
 * the chunk, whose claimer died before it wrote the padding. In each case the owner's compare-and-set from 0 decides
 * against a late commit. A claim of the owner itself is never a hole: it ends by commit or abort.
 *
 * <p>Under the queue's maintenance flag.
 */
final class HoleRecovery {
    private static final int UNKNOWN = -1;

    private final ControlBlock control;
    private final AtomicBuffer table;
    private final int queueId;
    private final int queue;
    private final int chunkLength;
    private final long timeoutNanos;
    private long suspect = -1;
    private long suspectSince;
    private boolean initiatorIsGone;

    HoleRecovery(ControlBlock control, int queueId, AppendQueueAttributes attributes) {
        this.control = control;
        this.table = control.buffer();
        this.queueId = queueId;
        this.queue = control.queueOffset(queueId);
        this.chunkLength = attributes.chunkLength();
        this.timeoutNanos = attributes.holeTimeoutNanos();
    }

    /**
     * Looks at the head.
     *
     * @param head position of the oldest record that is not consumed
     * @param tail the tail
     * @param chunk the head's chunk
     * @param now in nanoseconds
     * @return 1 if a hole became padding, else 0
     */
    int recover(long head, long tail, Chunk chunk, long now) {
        int offset = offset(head);
        if (distance(head, tail, chunkLength) <= 0
                || offset >= chunkLength
                || chunk.buffer.getLongVolatile(offset) != 0) {
            suspect = -1;
            return 0;
        }
        if (suspect != head) {
            suspect = head;
            suspectSince = now;
        }
        boolean late = now - suspectSince >= timeoutNanos;
        int length = length(head, tail, chunk.buffer);
        if (length == UNKNOWN || (!late && !initiatorIsGone)) {
            return 0;
        }
        if (!chunk.buffer.compareAndSetLong(offset, 0, word(length, PADDING))) {
            return 0;
        }
        suspect = -1;
        table.getAndAddLong(queue + HOLES_OFFSET, 1);
        return 1;
    }

    /** Length of the hole, or UNKNOWN; initiatorIsGone is set if the slot it is from is abandoned. */
    private int length(long head, long tail, AtomicBuffer chunk) {
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
            int kind = slotKind(word);
            if ((kind != SLOT_APPEND && kind != SLOT_ROLL) || slotQueue(word) != queueId) {
                continue;
            }
            long subject = table.getLongVolatile(slotOffset + SLOT_SUBJECT_OFFSET);
            if (table.getLongVolatile(slotOffset + SLOT_WORD_OFFSET) != word) {
                return UNKNOWN; // whoever holds it is alive; look again later
            }
            boolean isOwn = slot >= queuePairs;
            boolean isGone = ((int) word & SLOT_ABANDONED) != 0;
            if (kind == SLOT_ROLL && subject == head) {
                rolling |= !isOwn;
                rollingGone |= isGone;
                continue;
            }
            boolean names = kind == SLOT_APPEND
                    ? subject == head
                    : offset(head) == 0 && sequence(subject) + 1 == sequence(head);
            int length = slotLength(word);
            if (names
                    && length <= room
                    && (least == UNKNOWN || length <= least)
                    && hasEvidence(head, length, tail, chunk)) {
                gone = length == least ? gone || isGone : isGone;
                own = length == least ? own || isOwn : isOwn;
                least = length;
            }
        }
        if (least == UNKNOWN && rolling && sequence(tail) != sequence(head)) {
            initiatorIsGone = rollingGone;
            return room;
        }
        initiatorIsGone = gone;
        return own ? UNKNOWN : least;
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
        int kind = slotKind(word);
        return (kind == SLOT_APPEND || kind == SLOT_ROLL)
                && slotQueue(word) == queueId
                && table.getLongVolatile(slotOffset + SLOT_SUBJECT_OFFSET) == position;
    }
}

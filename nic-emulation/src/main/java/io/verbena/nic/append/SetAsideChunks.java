package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.sequence;
import static io.verbena.nic.append.AppendQueueDescriptor.slotKind;
import static io.verbena.nic.append.AppendQueueDescriptor.slotQueue;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_APPEND;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_ROLL;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_SUBJECT_OFFSET;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_WORD_OFFSET;

import io.verbena.nic.memory.ControlBlock;
import java.util.function.Consumer;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Chunks that the head has left and that cannot be used again yet: an initiator may still write into them, or records
 * of them are held.
 *
 * <p>Concurrency: under the queue's maintenance flag; {@link #stalled} and {@link #held} by any thread.
 */
final class SetAsideChunks {
    private final ControlBlock control;
    private final AtomicBuffer table;
    private final int queueId;
    private final Consumer<Chunk> settle;
    private Chunk[] setAside = new Chunk[8];
    private int setAsideCount;
    private volatile int stalledChunks;
    private volatile int heldChunks;

    /**
     * None at first.
     *
     * @param control has the slots
     * @param queueId of the queue
     * @param settle takes the chunks that nobody can write into or read any more
     */
    SetAsideChunks(ControlBlock control, int queueId, Consumer<Chunk> settle) {
        this.control = control;
        this.table = control.buffer();
        this.queueId = queueId;
        this.settle = settle;
    }

    void add(Chunk chunk) {
        setAside = Chunk.pushed(setAside, setAsideCount++, chunk);
    }

    boolean isEmpty() {
        return setAsideCount == 0;
    }

    /** Those that a stalled initiator may write into, as of the last look. Any thread. */
    int stalled() {
        return stalledChunks;
    }

    /** Those of which records are held, as of the last look. Any thread. */
    int held() {
        return heldChunks;
    }

    /** Settles those that nobody can write into or read any more; returns how many. */
    int look() {
        if (setAsideCount == 0) {
            return 0;
        }
        int work = 0;
        int stalled = 0;
        int held = 0;
        for (int i = setAsideCount - 1; i >= 0; i--) {
            Chunk chunk = setAside[i];
            if (chunk.awaitsRelease()) {
                held++;
            } else if (isNamedBySlot(chunk.sequence)) {
                stalled++;
            } else {
                setAside[i] = setAside[--setAsideCount];
                settle.accept(chunk);
                work++;
            }
        }
        if (held != heldChunks) {
            heldChunks = held;
        }
        if (stalled != stalledChunks) {
            stalledChunks = stalled;
        }
        return work;
    }

    private boolean isNamedBySlot(int sequence) {
        int slots = control.slotsInUse();
        for (int slot = 0; slot < slots; slot++) {
            int offset = control.slotOffset(slot);
            long word = table.getLongVolatile(offset + SLOT_WORD_OFFSET);
            if (word == 0 || slotQueue(word) != queueId) {
                continue;
            }
            int kind = slotKind(word);
            int named = sequence(table.getLongVolatile(offset + SLOT_SUBJECT_OFFSET));
            if (((kind == SLOT_APPEND || kind == SLOT_ROLL) && named == sequence)
                    || (kind == SLOT_ROLL && named + 1 == sequence)) {
                return true;
            }
        }
        return false;
    }
}

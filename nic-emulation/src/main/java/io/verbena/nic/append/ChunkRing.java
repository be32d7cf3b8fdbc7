package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_APPEND;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_ROLL;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_SUBJECT_OFFSET;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_WORD_OFFSET;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.MemoryProvider;
import io.verbena.nic.port.Segment;
import java.util.Arrays;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one queue, on the owner's side: which are announced, which are drained and wait to be zeroed, which are
 * set aside because a stalled initiator may still write into them or because records of them are held.
 *
 * <pre>
 *   retired ........ head ........ tail ........ announced
 *   │  drained: free  │   unread    │  clean reserve │
 *   └ or set aside     └─────── chunk table ─────────┘
 * </pre>
 *
 * <p>Concurrency: all under the queue's maintenance flag, but {@link #chunk} and {@link #announced} also by the
 * consumer, and what says so by any thread.
 */
final class ChunkRing {
    private final ControlBlock control;
    private final AtomicBuffer table;
    private final MemoryProvider memory;
    private final Footprint footprint;
    private final QueueMeter meter;
    private final NanoClock clock;
    private final int queueId;
    private final int queue;
    private final int chunkLength;
    private volatile int reserve;
    private int active;
    private final int mask;
    private final @Nullable Chunk[] ring;
    private Chunk[] free;
    private int freeCount;
    private Chunk[] setAside;
    private int setAsideCount;
    private volatile int stalledChunks;
    private volatile int heldChunks;
    private int surplus; // free chunks to give back, one a turn
    private int retired;
    private volatile int announced;
    private int leastFree;
    private boolean keepsMapped;

    ChunkRing(
            ControlBlock control,
            MemoryProvider memory,
            Footprint footprint,
            QueueMeter meter,
            NanoClock clock,
            int queueId,
            AppendQueueAttributes of) {
        this.control = control;
        this.table = control.buffer();
        this.memory = memory;
        this.footprint = footprint;
        this.meter = meter;
        this.clock = clock;
        this.queueId = queueId;
        this.queue = control.queueOffset(queueId);
        this.chunkLength = of.chunkLength();
        this.reserve = of.reserveChunks();
        this.active = of.activeChunks();
        this.mask = control.limits().maxChunksPerQueue() - 1;
        this.ring = new Chunk[mask + 1];
        this.free = new Chunk[8];
        this.setAside = new Chunk[8];
        this.retired = table.getInt(queue + NEXT_SEQUENCE_OFFSET);
        this.announced = retired;
    }

    /**
     * Sets what is kept.
     *
     * @param reserveChunks clean ones ahead of the tail
     * @param activeChunks beside these, not given back while they are unused
     */
    void size(int reserveChunks, int activeChunks) {
        reserve = reserveChunks;
        active = activeChunks;
    }

    /** How many clean chunks are kept ahead of the tail. Any thread. */
    int reserve() {
        return reserve;
    }

    /** Announces the first chunk and the reserve; all of them or an exception. */
    void fill() {
        int first = announced;
        try {
            for (int i = 0; i <= reserve; i++) {
                announce(allocate());
            }
        } catch (MemoryExhaustedException e) {
            for (int sequence = first; sequence != announced; sequence++) {
                Chunk chunk = ring[sequence & mask];
                if (chunk != null) {
                    withdraw(sequence);
                    footprint.release(chunkLength);
                    memory.unmap(chunk.segment); // no key names the queue yet: nobody has seen it
                }
            }
            throw e;
        }
    }

    private Chunk allocate() {
        if (!footprint.reserve(chunkLength)) {
            throw footprint.exhausted(chunkLength);
        }
        Segment segment;
        long start = clock.nanoTime();
        try {
            segment = memory.allocate(chunkLength);
        } catch (MemoryExhaustedException e) {
            footprint.release(chunkLength);
            footprint.refused(e);
            throw e;
        }
        footprint.allocated();
        meter.allocated(clock.nanoTime() - start);
        return new Chunk(segment);
    }

    private void announce(Chunk chunk) {
        int sequence = announced;
        chunk.sequence = sequence;
        ring[sequence & mask] = chunk;
        int entry = chunkEntry(queue, sequence, mask);
        table.putInt(entry + CHUNK_SEGMENT_OFFSET, chunk.segment.id());
        table.putLong(entry + CHUNK_POSITION_OFFSET, 0);
        table.putIntRelease(entry + CHUNK_SEQUENCE_OFFSET, sequence);
        announced = sequence + 1;
        table.putIntRelease(queue + NEXT_SEQUENCE_OFFSET, sequence + 1);
    }

    /** Takes a chunk out of the chunk table: no sequence that belongs at this entry equals the next one. */
    private void withdraw(int sequence) {
        ring[sequence & mask] = null;
        table.putIntRelease(chunkEntry(queue, sequence, mask) + CHUNK_SEQUENCE_OFFSET, sequence + 1);
    }

    /** The sequence after the last announced chunk. */
    int announced() {
        return announced;
    }

    /** An announced chunk that the head has not left. */
    Chunk chunk(int sequence) {
        Chunk chunk = ring[sequence & mask];
        if (chunk == null || chunk.sequence != sequence) {
            throw new IllegalStateException(
                    "append queue " + queueId + " has no chunk " + sequence + ", announced up to " + announced);
        }
        return chunk;
    }

    /** Chunks that the head has left and a stalled initiator may write into, as of the last turn. Any thread. */
    int setAsideCount() {
        return stalledChunks;
    }

    /** Chunks that the head has left and records are held of, as of the last turn. Any thread. */
    int heldChunks() {
        return heldChunks;
    }

    /** Collects the chunks that the head has left. */
    int retire(int headSequence) {
        int work = 0;
        while (headSequence - retired > 0) {
            Chunk chunk = chunk(retired);
            withdraw(retired);
            retired++;
            work++;
            setAside = pushed(setAside, setAsideCount++, chunk);
        }
        if (setAsideCount > 0) {
            work += look();
        }
        return work;
    }

    /** Frees what was set aside and nobody can write into or read any more. */
    private int look() {
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
                settle(chunk);
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

    /**
     * A drained chunk that no slot names is free to be used again. But one in which the owner has closed a claim in
     * place of an initiator that it took for dead is not: if that one lives after all it may be in the middle of its
     * copy. It is given up, and left to the garbage collector, which waits for whoever holds it.
     */
    private void settle(Chunk chunk) {
        if (chunk.suspect) {
            footprint.release(chunkLength);
            footprint.returned();
            memory.release(chunk.segment);
        } else {
            free = pushed(free, freeCount++, chunk);
        }
    }

    private static Chunk[] pushed(Chunk[] chunks, int count, Chunk chunk) {
        Chunk[] room = count < chunks.length ? chunks : Arrays.copyOf(chunks, count * 2);
        room[count] = chunk;
        return room;
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

    /**
     * Announces chunks until the reserve is full: clean ones, then ones zeroed here, then a new one.
     *
     * @param tailSequence where the tail (or the head, if it is ahead) is
     * @param zeroBudget most bytes to zero
     * @param mayAllocate whether a new mapping may be made; one a turn
     */
    int replenish(int tailSequence, int zeroBudget, boolean mayAllocate) {
        int work = 0;
        int budget = zeroBudget;
        boolean mayMap = mayAllocate;
        while (announced - 1 - tailSequence < reserve && announced - retired <= mask) {
            if (freeCount > 0) {
                Chunk chunk = free[freeCount - 1];
                if (!chunk.isClean()) {
                    if (budget <= 0) {
                        return work;
                    }
                    budget -= chunk.zero(budget);
                    work++;
                    if (!chunk.isClean()) {
                        return work;
                    }
                }
                freeCount--;
                announce(chunk);
            } else if (mayMap) {
                mayMap = false;
                try {
                    announce(allocate());
                } catch (MemoryExhaustedException e) {
                    return work;
                }
            } else {
                return work;
            }
            work++;
        }
        leastFree = Math.min(leastFree, freeCount);
        return work;
    }

    /** The free chunks that were not needed since the last call are to be given back, one a turn. */
    void releaseSurplus() {
        int mapped = announced - retired + freeCount;
        surplus = Math.max(0, Math.min(Math.min(leastFree, freeCount), mapped - active - reserve));
        leastFree = freeCount;
    }

    /** All free chunks are to be given back, one a turn. */
    void releaseFree() {
        surplus = freeCount;
    }

    /** Gives back one of the free chunks that are to go, but none that the reserve misses; returns how many. */
    int releaseOne(int tailSequence) {
        int missing = Math.max(0, reserve - (announced - 1 - tailSequence));
        surplus = Math.min(surplus, Math.max(0, freeCount - missing));
        if (surplus == 0) {
            return 0;
        }
        surplus--;
        giveBack(free[--freeCount]);
        return 1;
    }

    /**
     * Gives a free chunk back: its pages to the operating system at once, if nobody in this process can touch it any
     * more.
     *
     * <p>That holds of a chunk that the head has left, for the head passes a record only when it was closed. Who closed
     * its own claim touches nothing of the chunk afterwards; a claim that did not come about touched nothing; and an
     * initiator that has the chunk in its view looks at the tail by a compare-and-set before it touches it again, and
     * that fails, since sequences never come twice. A claim that the owner closed in place of its initiator is in no
     * free chunk: see {@link #settle}. The consumers' handlers have returned, and what they held is released; but a
     * destroyed queue's consumer may be in one, and if that is not known not to be so its chunks are left to the
     * garbage collector.
     */
    private void giveBack(Chunk chunk) {
        footprint.release(chunkLength);
        footprint.returned();
        if (keepsMapped) {
            memory.release(chunk.segment);
        } else {
            memory.unmap(chunk.segment);
        }
    }

    /**
     * Ends the ring when the queue is gone: frees what no slot names and nobody holds.
     *
     * @param unmaps whether the consumer reads nothing any more
     * @return whether all is free
     */
    boolean drain(int headSequence, boolean unmaps) {
        keepsMapped = !unmaps;
        retire(headSequence);
        // The head's chunk and the reserve: nobody can enter them any more, but somebody may be inside the first.
        retire(announced);
        while (freeCount > 0) {
            giveBack(free[--freeCount]);
        }
        return setAsideCount == 0;
    }
}

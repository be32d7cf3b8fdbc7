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
 * <p>Concurrency: all under the queue's maintenance flag, but what says so by any thread. Those that have a sequence
 * are {@link AnnouncedChunks}.
 */
final class ChunkRing {
    private final ControlBlock control;
    private final AtomicBuffer table;
    private final MemoryProvider memory;
    private final SharedReserve shared;
    private final Footprint footprint;
    private final QueueMeter meter;
    private final NanoClock clock;
    private final int queueId;
    private final int chunkLength;
    private volatile int reserve;
    private int active;
    private final AnnouncedChunks chunks;
    private Chunk[] free;
    private int freeCount;
    private Chunk[] setAside;
    private int setAsideCount;
    private volatile int stalledChunks;
    private volatile int heldChunks;
    private int surplus; // free chunks to give back, one a turn
    private volatile boolean mayRest;
    private boolean shares; // as was last asked for
    private int announcedBefore; // when releaseSurplus looked last
    private long tailBefore;

    private int leastFree;
    private boolean keepsMapped;
    private boolean sharesOut = true;

    ChunkRing(
            ControlBlock control,
            MemoryProvider memory,
            SharedReserve shared,
            Footprint footprint,
            QueueMeter meter,
            NanoClock clock,
            int queueId,
            AppendQueueAttributes of) {
        this.control = control;
        this.table = control.buffer();
        this.memory = memory;
        this.shared = shared;
        this.footprint = footprint;
        this.meter = meter;
        this.clock = clock;
        this.queueId = queueId;
        this.chunkLength = of.chunkLength();
        this.chunks = new AnnouncedChunks(control, shared, footprint, queueId, chunkLength);
        size(of.reserveChunks(), of.activeChunks(), of.sharesReserve());
        this.free = new Chunk[8];
        this.setAside = new Chunk[8];
    }

    /**
     * Sets what is kept.
     *
     * @param reserveChunks clean ones ahead of the tail
     * @param activeChunks beside these, not given back while they are unused
     * @param sharesReserve whether more is taken from what the NIC's queues share
     */
    void size(int reserveChunks, int activeChunks, boolean sharesReserve) {
        reserve = reserveChunks;
        active = activeChunks;
        shares = sharesReserve;
        chunks.share(sharesReserve);
    }

    /** How many clean chunks are kept ahead of the tail. Any thread. */
    int reserve() {
        int own = reserve;
        return own == 0 && chunks.isBusy() ? 1 : own;
    }

    /** Announces the first chunk and the reserve, all of them or an exception; none if the queue shares the NIC's. */
    void fill() {
        if (chunks.shares()) {
            chunks.beginResting();
            return;
        }
        int first = chunks.announced();
        try {
            for (int i = 0; i <= reserve; i++) {
                chunks.announce(allocate());
            }
        } catch (MemoryExhaustedException e) {
            for (int sequence = first; sequence != chunks.announced(); sequence++) {
                Segment segment = chunks.chunk(sequence).segment;
                chunks.withdraw(sequence);
                footprint.release(chunkLength);
                memory.unmap(segment); // no key names the queue yet: nobody has seen it
            }
            throw e;
        }
    }

    /** The chunks that have a sequence. */
    AnnouncedChunks chunks() {
        return chunks;
    }

    private Chunk allocate() {
        // One that rests, of which no chunk is held either: what fills its limit are messages that wait for this one.
        boolean isOwed = chunks.shares() && chunks.isResting() && setAsideCount() == 0;
        if (!(isOwed ? footprint.reserveOwed(chunkLength) : footprint.reserve(chunkLength))) {
            throw footprint.exhausted(chunkLength);
        }
        Segment segment;
        long start = clock.nanoTime();
        try {
            segment = memory.allocate(chunkLength);
        } catch (MemoryExhaustedException e) {
            footprint.release(chunkLength);
            footprint.memoryShort(e);
            throw e;
        }
        footprint.allocated();
        meter.allocated(clock.nanoTime() - start);
        return new Chunk(segment);
    }

    /** Whether the consumer should let the queue rest if it finds it drained. Any thread. */
    boolean mayRest() {
        return mayRest;
    }

    /** The consumer has seen that. */
    void rested() {
        mayRest = false;
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
        while (headSequence - chunks.retired() > 0) {
            Chunk chunk = chunks.retire();
            work++;
            if (!chunk.isEmpty()) {
                setAside = pushed(setAside, setAsideCount++, chunk);
            }
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
        chunks.share(shares);
        boolean wanted = chunks.takeWanted();
        int work = announceUpTo(wanted ? Math.max(1, reserve()) : reserve(), tailSequence, zeroBudget, mayAllocate);
        if (wanted && chunks.isShort(tailSequence, 1)) {
            chunks.want();
            mayRest = chunks.shares(); // if it is drained, its last chunk is what is missing
        } else if (chunks.shares() && chunks.isResting()) {
            surplus = freeCount;
        }
        return work;
    }

    private int announceUpTo(int needed, int tailSequence, int zeroBudget, boolean mayAllocate) {
        int work = 0;
        int budget = zeroBudget;
        boolean mayMap = mayAllocate;
        while (chunks.isShort(tailSequence, needed)) {
            Chunk chunk = freeCount > 0 ? free[--freeCount] : chunks.take(chunks.isResting());
            if (chunk == null && mayMap) {
                mayMap = false;
                chunk = mapped();
            }
            if (chunk == null) {
                return work;
            }
            if (!chunk.isClean() && budget > 0) {
                budget -= chunk.zero(budget);
                work++;
            }
            if (!chunk.isClean() || !chunks.announce(chunk, tailSequence, needed)) {
                free = pushed(free, freeCount++, chunk);
                return work;
            }
            work++;
        }
        leastFree = Math.min(leastFree, freeCount);
        return work;
    }

    private @Nullable Chunk mapped() {
        try {
            return allocate();
        } catch (MemoryExhaustedException e) {
            return null; // it is noted
        }
    }

    /**
     * The free chunks that were not needed since the last call are to be given back, one a turn; all chunks, if the
     * queue has not been used since and shares the NIC's reserve: it {@linkplain #mayRest may rest}.
     *
     * @param head where the head is
     * @param tail where the tail is
     */
    void releaseSurplus(long head, long tail) {
        int next = chunks.announced();
        int mapped = next - chunks.retired() + freeCount;
        surplus = Math.max(0, Math.min(Math.min(leastFree, freeCount), mapped - active - reserve));
        leastFree = freeCount;
        if (next == announcedBefore) {
            chunks.quiet();
        }
        boolean drained = distance(head, tail, chunkLength) <= 0;
        mayRest = drained && chunks.shares() && tail == tailBefore && !chunks.isResting();
        announcedBefore = next;
        tailBefore = tail;
    }

    /** All free chunks are to be given back, one a turn. */
    void releaseFree() {
        surplus = freeCount;
    }

    /** Gives back one of the free chunks that are to go, but none that the reserve misses; returns how many. */
    int releaseOne(int tailSequence) {
        int missing = Math.max(0, reserve() - (chunks.announced() - 1 - tailSequence));
        surplus = Math.min(surplus, Math.max(0, freeCount - missing));
        if (surplus == 0) {
            return 0;
        }
        surplus--;
        giveBack(free[--freeCount]);
        return 1;
    }

    /**
     * Gives a free chunk back: to the reserve that the NIC's queues share if that is short, else its pages to the
     * operating system at once, if nobody in this process can touch it any more.
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
        if (keepsMapped) {
            footprint.returned();
            memory.release(chunk.segment);
        } else if (!sharesOut || !shared.put(chunkLength, chunk)) {
            footprint.returned();
            memory.unmap(chunk.segment);
        }
    }

    /**
     * Ends the ring when the queue is gone: frees what no slot names and nobody holds.
     *
     * @param unmaps whether the consumer reads nothing any more
     * @param isSound whether nobody has written what no appender writes: then its chunks may be other queues'
     * @return whether all is free
     */
    boolean drain(int headSequence, boolean unmaps, boolean isSound) {
        if (!chunks.share(false)) { // from then on no engine takes a chunk for it
            return false;
        }
        keepsMapped = !unmaps;
        sharesOut = isSound;
        retire(headSequence);
        for (int sequence = chunks.retired(); sequence != chunks.announced(); sequence++) {
            chunks.chunk(sequence).dirty = chunkLength; // the head has not left it: nobody has said how much is written
        }
        // The head's chunk and the reserve: nobody can enter them any more, but somebody may be inside the first.
        retire(chunks.announced());
        while (freeCount > 0) {
            giveBack(free[--freeCount]);
        }
        return setAsideCount == 0;
    }
}

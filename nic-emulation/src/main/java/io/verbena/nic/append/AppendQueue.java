package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;
import static io.verbena.nic.append.RecordDescriptor.*;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.port.MemoryProvider;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.AtomicBuffer;

/**
 * An append queue (RIMA 3.2) at its owner: messages of any size, from anyone who holds the key, in one circular sequence
 * of chunks. The owner polls; a record is released when its handler has returned.
 *
 * <p>Concurrency: {@link #poll} and {@link #isEmpty} are for one consumer thread at a time, handed over with a
 * happens-before edge. {@link #query} and {@link #depth} are for any thread. Appends come through {@link Appender}s, from
 * any thread of any process. Chunks are zeroed, announced and released by {@link ChunkAllocator}, and if that is late by
 * the consumer; a try-flag keeps the two apart.
 */
public final class AppendQueue {
    /** Bytes that the consumer zeroes at most when the allocator is late. */
    private static final int INLINE_ZERO = 256 << 10;

    /** Bytes that the consumer zeroes when it finds nothing to read: a microsecond's work. */
    private static final int IDLE_ZERO = 16 << 10;

    private static final int IDLE_LOOK = 16;
    private static final int IDLE_MAINTENANCE = 1024;

    private static final AppendHandler DISCARD = (buffer, offset, length, qpNumber, immediate, flags) -> {};

    private static final VarHandle MAINTENANCE;

    static {
        try {
            MAINTENANCE = MethodHandles.lookup().findVarHandle(AppendQueue.class, "maintenance", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final TailPointerTable owner;
    private final AtomicBuffer table;
    private final int id;
    private final int key;
    private final int engine;
    private final int pd;
    private final int queue;
    private final int chunkLength;
    private final ControlBlock control;
    private volatile AppendQueueAttributes attributes;
    private volatile boolean modified; // since maintenance has looked
    private final Footprint footprint;
    private final ChunkRing ring;
    private final LargeMessages largeMessages;
    private final HoleRecovery recovery;

    // the consumer's
    private Chunk chunk;
    private int headOffset;
    private int idlePolls;
    private boolean wantsRoom; // chunks were left that are not announced anew
    private long records;
    private long bytes;
    private long paddingBytes;
    private long paddingPublished;

    // under the maintenance flag
    @SuppressWarnings("unused")
    private volatile boolean maintenance;

    private boolean belowWatermark;
    private long surplusLook;

    private volatile boolean destroyed;
    private volatile boolean freed;
    private volatile long lastTail;

    AppendQueue(
            TailPointerTable owner,
            ControlBlock control,
            MemoryProvider memory,
            int id,
            int key,
            int pd,
            int engine,
            AppendQueueAttributes concluded,
            long now) {
        this.owner = owner;
        this.control = control;
        this.table = control.buffer();
        this.id = id;
        this.key = key;
        this.engine = engine;
        this.pd = pd;
        this.queue = control.queueOffset(id);
        this.attributes = concluded;
        this.chunkLength = concluded.chunkLength();
        this.footprint = new Footprint(table, queue, concluded.memoryLimit());
        this.ring = new ChunkRing(control, memory, footprint, id, concluded);
        this.largeMessages = new LargeMessages(memory, footprint, concluded.surplusNanos());
        this.recovery = new HoleRecovery(control, id, concluded);
        this.surplusLook = now;
        int first = ring.announced();
        ring.fill();
        this.chunk = ring.chunk(first);
        table.putInt(queue + CHUNK_LENGTH_OFFSET, chunkLength);
        table.putInt(queue + MAX_MESSAGE_OFFSET, concluded.maxMessage());
        table.putInt(queue + RECORD_LIMIT_OFFSET, concluded.recordLimit());
        table.putInt(queue + ENGINE_OFFSET, engine);
        table.putInt(queue + PD_OFFSET, pd);
        table.putInt(queue + CHUNK_MASK_OFFSET, control.limits().maxChunksPerQueue() - 1);
        table.putLong(queue + RECORDS_OFFSET, 0);
        table.putLong(queue + BYTES_OFFSET, 0);
        table.putLong(queue + RNR_OFFSET, 0);
        table.putLong(queue + WATERMARK_OFFSET, 0);
        table.putLong(queue + HOLES_OFFSET, 0);
        table.putLong(queue + PADDING_OFFSET, 0);
        table.putLong(queue + HEAD_OFFSET, position(first, 0));
        table.putLongVolatile(queue + TAIL_OFFSET, position(first, 0));
        table.putIntVolatile(queue + KEY_OFFSET, key);
    }

    /** Number of the queue in its NIC. */
    public int id() {
        return id;
    }

    /** The key that appends must name: random, never 0. */
    public int key() {
        return key;
    }

    /** Index of the engine whose work wakes the consumer. */
    public int engine() {
        return engine;
    }

    /** Protection domain. */
    public int pd() {
        return pd;
    }

    /** What the queue is made of, with defaults filled in; not to be changed. */
    public AppendQueueAttributes attributes() {
        return attributes;
    }

    /**
     * Changes what may change while it is in use (RIMA Table 3, {@code ibv_modify_aq}): memory limit, reserve, low watermark,
     * hole timeout and surplus time. Any thread; takes effect with the next maintenance.
     *
     * <pre>{@code
     *   queue.modify(new AppendQueueAttributes(queue.attributes()).reserveChunks(4).lowWatermark(-1));
     * }</pre>
     *
     * @param wanted all attributes; chunk length and largest message as they are
     * @throws IllegalArgumentException if an attribute is out of range or cannot be changed; names both values
     * @throws IllegalStateException if the queue was destroyed
     */
    public void modify(AppendQueueAttributes wanted) {
        AppendQueueAttributes concluded = wanted.concluded(control.limits());
        same("chunk length", concluded.chunkLength(), chunkLength);
        same("max message", concluded.maxMessage(), attributes.maxMessage());
        if (destroyed) {
            throw new IllegalStateException("append queue " + id + " is destroyed");
        }
        attributes = concluded;
        modified = true;
        owner.wakeAllocator();
    }

    private void applyModified() {
        modified = false; // first: what is changed meanwhile is taken over the next time
        AppendQueueAttributes now = attributes;
        footprint.limit(now.memoryLimit());
        ring.reserve(now.reserveChunks());
        recovery.timeout(now.holeTimeoutNanos());
        largeMessages.surplus(now.surplusNanos());
    }

    private void same(String name, int wanted, int is) {
        if (wanted != is) {
            throw new IllegalArgumentException(
                    "append queue " + id + ": " + name + " " + wanted + " wanted, is " + is + " for good");
        }
    }

    // ---- consumer ---------------------------------------------------------------------------------------------------

    /**
     * Takes messages in order. Only the lengths of records are read, not the tail. The head is published once a batch
     * (and at the end of each chunk), so the room of the last messages is free when this returns.
     *
     * @param handler takes each message; if it throws, that message counts as consumed
     * @param limit most messages to take, at least 1
     * @return messages taken; 0 also when the queue was destroyed
     */
    public int poll(AppendHandler handler, int limit) {
        return destroyed ? 0 : take(handler, limit);
    }

    private int take(AppendHandler handler, int limit) {
        int start = headOffset;
        Chunk first = chunk;
        int count = 0;
        try {
            while (count < limit) {
                int offset = headOffset;
                if (offset == chunkLength && !nextChunk(chunkLength)) {
                    break;
                }
                offset = headOffset;
                AtomicBuffer buffer = chunk.buffer;
                long word = buffer.getLongVolatile(offset);
                int length = length(word);
                if (length <= 0) {
                    break;
                }
                int aligned = align(length);
                if (aligned > chunkLength - offset) {
                    throw new IllegalStateException("append queue " + id + ": record of " + length + " bytes > "
                            + (chunkLength - offset) + " left in its chunk");
                }
                int flags = flags(word);
                headOffset = offset + aligned;
                if ((flags & PADDING) != 0) {
                    paddingBytes += aligned;
                    if ((flags & END_OF_CHUNK) != 0) {
                        nextChunk(offset + ALIGNMENT);
                    }
                    continue;
                }
                count++;
                long source = buffer.getLong(offset + QP_NUMBER_OFFSET);
                int qpNumber = (int) source;
                int immediate = (int) (source >>> 32);
                if ((flags & LARGE) != 0) {
                    takeLarge(handler, buffer, offset, length, qpNumber, immediate, flags & HAS_IMMEDIATE);
                } else {
                    records++;
                    bytes += length - HEADER_LENGTH;
                    handler.onMessage(
                            buffer,
                            offset + PAYLOAD_OFFSET,
                            length - HEADER_LENGTH,
                            qpNumber,
                            immediate,
                            flags & HAS_IMMEDIATE);
                }
            }
        } finally {
            if (headOffset != start || chunk != first) {
                publishHead();
            } else {
                idle();
            }
        }
        return count;
    }

    private void takeLarge(
            AppendHandler handler,
            AtomicBuffer buffer,
            int offset,
            int recordLength,
            int qpNumber,
            int immediate,
            int flags) {
        if (recordLength != HEADER_LENGTH + REFERENCE_LENGTH) {
            throw new IllegalStateException("append queue " + id + ": large reference of " + recordLength
                    + " bytes, expected " + (HEADER_LENGTH + REFERENCE_LENGTH));
        }
        int index = buffer.getInt(offset + PAYLOAD_OFFSET);
        long length = buffer.getLong(offset + PAYLOAD_OFFSET + 8);
        LargeMessage large = largeMessages.committed(index, length);
        if (large == null) {
            throw new IllegalStateException("append queue " + id + ": reference to large message " + index + " of "
                    + length + " bytes, which is not there");
        }
        records++;
        bytes += length;
        try {
            handler.onMessage(large.buffer(), 0, (int) length, qpNumber, immediate, flags);
        } finally {
            large.discard();
            owner.wakeAllocator();
        }
    }

    /** Leaves the chunk, whose first so many bytes are dirty, if the next one is announced. */
    private boolean nextChunk(int dirty) {
        int sequence = chunk.sequence;
        int ahead = ring.announced() - 1 - sequence;
        if (ahead == 0) {
            return false;
        }
        Chunk next = ring.chunk(sequence + 1);
        chunk.dirty = dirty;
        chunk = next;
        headOffset = 0;
        publishHead();
        wantsRoom = true; // this consumer zeroes what it has left whenever it finds nothing to read
        if (ahead - 1 < (attributes.reserveChunks() + 1) / 2) {
            owner.wakeAllocator();
        }
        return true;
    }

    private void publishHead() {
        idlePolls = 0;
        table.putLong(queue + RECORDS_OFFSET, records);
        table.putLong(queue + BYTES_OFFSET, bytes);
        if (paddingBytes != paddingPublished) {
            paddingPublished = paddingBytes;
            table.putLong(queue + PADDING_OFFSET, paddingBytes);
        }
        table.putLongRelease(queue + HEAD_OFFSET, position(chunk.sequence, headOffset));
        if (ring.announced() - 1 == chunk.sequence) {
            maintain(owner.clock().nanoTime(), INLINE_ZERO, false);
        }
    }

    private void idle() {
        idlePolls++;
        if (wantsRoom) {
            wantsRoom = maintain(owner.clock().nanoTime(), IDLE_ZERO, false) > 0;
        }
        if ((idlePolls & (IDLE_LOOK - 1)) != 0) {
            return;
        }
        long head = position(chunk.sequence, headOffset);
        if (table.getLongVolatile(queue + TAIL_OFFSET) == head) {
            if (headOffset > chunkLength / 2 && ring.announced() - 1 != chunk.sequence) {
                resetToClean(head);
            }
        } else if ((idlePolls & (IDLE_MAINTENANCE - 1)) == 0) {
            maintain(owner.clock().nanoTime(), INLINE_ZERO, false);
        }
    }

    /** Moves an empty queue from a chunk that is mostly used to a clean one, so that the next burst finds room. */
    private void resetToClean(long head) {
        int dirty = headOffset;
        if (table.compareAndSetLong(queue + TAIL_OFFSET, head, position(chunk.sequence + 1, 0))) {
            nextChunk(dirty);
        }
    }

    /**
     * Whether the next {@link #poll} would find nothing. Consumer thread only; a cheap look before it blocks (after
     * {@link ControlBlock#setParked}).
     */
    public boolean isEmpty() {
        if (destroyed) {
            return true;
        }
        int offset = headOffset;
        Chunk at = chunk;
        if (offset == chunkLength) {
            if (ring.announced() - 1 == at.sequence) {
                return true;
            }
            at = ring.chunk(at.sequence + 1);
            offset = 0;
        }
        return length(at.buffer.getLongVolatile(offset)) <= 0;
    }

    /**
     * Whether nothing is claimed that is not consumed. Any thread: it looks at no chunk, which may be gone while another
     * thread consumes. It is for whoever is about to sleep: true is sure, false may be a claim that is not committed yet.
     */
    public boolean isDrained() {
        return destroyed || depth() == 0;
    }

    /** Bytes claimed and not consumed yet, headers, padding and claims in flight included. Any thread. */
    public long depth() {
        // The head is read first: read in the other order it might have passed a tail read before.
        long head = table.getLongVolatile(queue + HEAD_OFFSET);
        long tail = destroyed ? lastTail : table.getLongVolatile(queue + TAIL_OFFSET);
        return offset(tail) == GONE ? 0 : Math.max(0, distance(head, tail, chunkLength));
    }

    /** Whether the claim of an initiator that is gone is behind the head, or never came about. */
    boolean isSettled(long subject, boolean roll) {
        long head = table.getLongVolatile(queue + HEAD_OFFSET);
        long tail = destroyed ? lastTail : table.getLongVolatile(queue + TAIL_OFFSET);
        // Sequences grow, so the high halves say which is later unless they are equal.
        int ahead = sequence(head) - sequence(subject);
        if (tail == subject || (ahead == 0 && offset(head) > offset(subject))) {
            return true;
        }
        return roll ? ahead > 1 || (ahead == 1 && offset(head) > 0) : ahead > 0;
    }

    /** What there is to know of the queue. Any thread. */
    public AppendQueueStatistics query() {
        long tail = table.getLongVolatile(queue + TAIL_OFFSET);
        long announcedEnd = position(ring.announced(), 0);
        return new AppendQueueStatistics(
                depth(),
                table.getLongVolatile(queue + FOOTPRINT_OFFSET),
                table.getLongVolatile(queue + HIGH_WATER_OFFSET),
                offset(tail) == GONE ? 0 : distance(tail, announcedEnd, chunkLength),
                table.getLongVolatile(queue + RECORDS_OFFSET),
                table.getLongVolatile(queue + BYTES_OFFSET),
                table.getLongVolatile(queue + WATERMARK_OFFSET),
                table.getLongVolatile(queue + RNR_OFFSET),
                table.getLongVolatile(queue + HOLES_OFFSET),
                table.getLongVolatile(queue + PADDING_OFFSET),
                table.getLongVolatile(queue + ALLOCATIONS_OFFSET),
                ring.setAsideCount());
    }

    // ---- destruction
    // --------------------------------------------------------------------------------------------------

    /**
     * Destroys the queue: from here on appends find no queue. Consumer thread only. Its memory is given back when no
     * initiator and no open claim of the owner can write into it any more. Waits a bounded time for its asynchronous events
     * to be acknowledged: a thread acknowledges what it has taken before it destroys.
     *
     * @param force also with messages unread (which are lost) or in flight
     * @return false if there are such messages and {@code force} is not set (EBUSY): nothing has changed
     * @throws IllegalStateException (EBUSY) if events are not acknowledged in time; nothing has changed then
     */
    public boolean destroy(boolean force) {
        if (destroyed) {
            return true;
        }
        if (!force && depth() != 0) {
            return false;
        }
        owner.beginDestroy(this);
        boolean done = false;
        try {
            done = end(force);
        } finally {
            owner.endDestroy(this, done);
        }
        return done;
    }

    private boolean end(boolean force) {
        long tail = table.getLongVolatile(queue + TAIL_OFFSET);
        if (force) {
            tail = table.getAndSetLong(queue + TAIL_OFFSET, position(sequence(tail), GONE));
        } else {
            if (depth() != 0 || !table.compareAndSetLong(queue + TAIL_OFFSET, tail, position(sequence(tail), GONE))) {
                return false;
            }
        }
        table.putIntVolatile(queue + KEY_OFFSET, 0);
        lastTail = tail;
        destroyed = true;
        owner.destroyed(this);
        owner.wakeAllocator();
        return true;
    }

    /** Whether the queue was destroyed. */
    public boolean isDestroyed() {
        return destroyed;
    }

    /** Whether it was destroyed and all its memory has been given back. */
    public boolean isFreed() {
        return freed;
    }

    // ---- maintenance
    // --------------------------------------------------------------------------------------------------

    LargeMessages largeMessages() {
        return largeMessages;
    }

    /**
     * Recovers holes, recycles drained chunks, announces clean ones, serves large messages, gives surplus back.
     *
     * @param now in nanoseconds
     * @param zeroBudget most bytes to zero
     * @param mayAllocate whether mappings may be made and released
     * @return work done, 0 if none, or if another thread is at it
     */
    int maintain(long now, int zeroBudget, boolean mayAllocate) {
        if (maintenance || !MAINTENANCE.compareAndSet(this, false, true)) {
            return 0;
        }
        try {
            return destroyed ? dismantle(now) : serve(now, zeroBudget, mayAllocate);
        } finally {
            MAINTENANCE.setRelease(this, false);
        }
    }

    private int serve(long now, int zeroBudget, boolean mayAllocate) {
        if (modified) {
            applyModified();
        }
        long head = table.getLongVolatile(queue + HEAD_OFFSET);
        int headSequence = sequence(head);
        long tail = table.getLongVolatile(queue + TAIL_OFFSET);
        if (offset(tail) == GONE) {
            return 0;
        }
        int work = 0;
        if (recovery.recover(head, tail, ring, now) > 0) {
            work++;
            owner.wakeEngine(engine);
        }
        int tailSequence = sequence(tail) - headSequence < 0 ? headSequence : sequence(tail);
        watch(tail);
        work += ring.retire(headSequence);
        work += ring.replenish(tailSequence, zeroBudget, mayAllocate);
        work += largeMessages.maintain(now, mayAllocate);
        if (mayAllocate) {
            if (footprint.takeRefused()) {
                work += ring.releaseFree();
            } else if (now - surplusLook >= attributes.surplusNanos()) {
                surplusLook = now;
                work += ring.releaseSurplus();
            }
        }
        return work;
    }

    private void watch(long tail) {
        boolean below = distance(tail, position(ring.announced(), 0), chunkLength) < attributes.lowWatermark();
        if (below && !belowWatermark) {
            table.putLongRelease(queue + WATERMARK_OFFSET, table.getLong(queue + WATERMARK_OFFSET) + 1);
            owner.belowWatermark(this);
        }
        belowWatermark = below;
    }

    /** Plays the consumer until nothing is in flight, then gives the memory back. */
    private int dismantle(long now) {
        if (freed) {
            return 0;
        }
        long tail = lastTail;
        take(DISCARD, Integer.MAX_VALUE);
        long head = position(chunk.sequence, headOffset);
        int work = 0;
        if (distance(head, tail, chunkLength) > 0) {
            work = recovery.recover(head, tail, ring, now);
            if (work == 0) {
                return 0;
            }
            take(DISCARD, Integer.MAX_VALUE);
            head = position(chunk.sequence, headOffset);
        }
        boolean drained = distance(head, tail, chunkLength) <= 0;
        drained = drained && largeMessages.drained();
        drained = drained && ring.drain(chunk.sequence);
        if (drained) {
            freed = true;
            owner.freed(this);
            work++;
        }
        return work;
    }
}

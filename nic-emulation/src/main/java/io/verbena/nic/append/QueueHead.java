package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;
import static io.verbena.nic.append.RecordDescriptor.*;

import org.agrona.concurrent.AtomicBuffer;

/**
 * The head of a queue: where the next record is to be found, what has been taken so far, and what is told of both in
 * the tail-pointer table. An empty queue starts at the top of a clean chunk.
 *
 * <p>Concurrency: as {@link RecordWalk}'s.
 */
final class QueueHead {
    /** Bytes that the consumer zeroes at most when the allocator is late. */
    private static final int INLINE_ZERO = 256 << 10;

    /** Bytes that the consumer zeroes when it finds nothing to read: a microsecond's work. */
    private static final int IDLE_ZERO = 16 << 10;

    private static final int IDLE_LOOK = 16;
    private static final int IDLE_MAINTENANCE = 1024;

    private final AppendQueue queue;
    private final TailPointerTable owner;
    private final AtomicBuffer table;
    private final int entry; // where the queue's fields begin in the table
    private final int chunkLength;
    private final ChunkRing ring;

    // Where the next record is to be found; the walk moves it within the chunk.
    Chunk chunk;
    int offset;

    private int idlePolls;
    private boolean wantsRoom; // chunks were left that are not announced anew
    private long records;
    private long bytes;
    private long paddingBytes;
    private long paddingPublished;

    /**
     * The head of a queue that has just been made.
     *
     * @param entry where the queue's fields begin in the table
     */
    QueueHead(AppendQueue queue, TailPointerTable owner, AtomicBuffer table, int entry, ChunkRing ring, Chunk first) {
        this.queue = queue;
        this.owner = owner;
        this.table = table;
        this.entry = entry;
        this.chunkLength = queue.attributes().chunkLength();
        this.ring = ring;
        this.chunk = first;
        this.offset = first.isEmpty() ? chunkLength : 0;
    }

    ChunkRing ring() {
        return ring;
    }

    long position() {
        return AppendQueueDescriptor.position(chunk.sequence, offset);
    }

    /** Records were taken, or are not after all. */
    void took(int count, int payloadBytes) {
        records += count;
        bytes += payloadBytes;
    }

    /** Passes over padding. */
    void skip(int at, long word) {
        int aligned = align(length(word));
        offset = at + aligned;
        paddingBytes += aligned;
        if ((flags(word) & END_OF_CHUNK) != 0) {
            nextChunk(at + ALIGNMENT);
        }
    }

    /** Leaves the chunk, whose first so many bytes are dirty, if the next one is announced. */
    boolean nextChunk(int dirty) {
        int sequence = chunk.sequence;
        int ahead = ring.chunks().announced() - 1 - sequence;
        if (ahead == 0) {
            if (!ring.chunks().adopt()) {
                return false;
            }
            ahead = ring.chunks().announced() - 1 - sequence;
            owner.wakeAllocator(); // the reserve has less
        }
        Chunk next = ring.chunks().chunk(sequence + 1);
        chunk.dirty = dirty;
        chunk = next;
        offset = 0;
        publish();
        wantsRoom = true; // this consumer zeroes what it has left whenever it finds nothing to read
        if (ahead - 1 < (ring.reserve() + 1) / 2) {
            owner.wakeAllocator();
        }
        return true;
    }

    /** Tells where the head is, and nothing else. */
    void tell() {
        table.putLongRelease(entry + HEAD_OFFSET, position());
    }

    /** Tells where the head is and what has been taken. */
    void publish() {
        idlePolls = 0;
        table.putLong(entry + RECORDS_OFFSET, records);
        table.putLong(entry + BYTES_OFFSET, bytes);
        if (paddingBytes != paddingPublished) {
            paddingPublished = paddingBytes;
            table.putLong(entry + PADDING_OFFSET, paddingBytes);
        }
        tell();
        if (ring.chunks().announced() - 1 == chunk.sequence && ring.reserve() > 0) {
            queue.maintain(owner.clock().nanoTime(), INLINE_ZERO, false);
        }
    }

    /** A poll has found nothing. */
    void idle() {
        idlePolls++;
        if (ring.mayRest()) {
            rest();
        }
        if (wantsRoom) {
            wantsRoom = queue.maintain(owner.clock().nanoTime(), IDLE_ZERO, false) > 0;
        }
        if ((idlePolls & (IDLE_LOOK - 1)) != 0) {
            return;
        }
        long head = position();
        boolean drained = table.getLongVolatile(entry + TAIL_OFFSET) == head;
        if (drained) {
            int ahead = ring.chunks().announced() - 1 - chunk.sequence;
            // A reserve that was made smaller goes this way too: what is announced can be taken back only from behind.
            if ((offset > chunkLength / 2 && ahead != 0) || ahead > ring.reserve()) {
                resetToClean(head);
            }
        }
        // What a slot named when the chunk was left is free now, perhaps, and all senders wait for it.
        if ((idlePolls & (IDLE_MAINTENANCE - 1)) == 0 && (!drained || ring.setAsideCount() > 0)) {
            queue.maintain(owner.clock().nanoTime(), INLINE_ZERO, false);
        }
    }

    /** Lets an empty queue rest: it maps nothing until something comes. */
    private void rest() {
        ring.rested();
        long tail = table.getLongVolatile(entry + TAIL_OFFSET);
        boolean drained = AppendQueueDescriptor.offset(tail) != GONE && distance(position(), tail, chunkLength) <= 0;
        Chunk empty = drained ? ring.chunks().rest(tail) : null;
        if (empty != null) {
            chunk.dirty = offset;
            chunk = empty;
            offset = chunkLength;
            publish();
            owner.wakeAllocator();
        }
    }

    /** Moves an empty queue from a chunk that is mostly used to a clean one, so that the next burst finds room. */
    private void resetToClean(long head) {
        int dirty = offset;
        long clean = AppendQueueDescriptor.position(chunk.sequence + 1, 0);
        if (table.compareAndSetLong(entry + TAIL_OFFSET, head, clean)) {
            table.putLongRelease(entry + RESETS_OFFSET, table.getLong(entry + RESETS_OFFSET) + 1);
            nextChunk(dirty);
        }
    }
}

package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;
import static io.verbena.nic.append.RecordDescriptor.*;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The head of a queue and what goes on there: records are found, handed out, and left behind; an empty queue starts at the
 * top of a clean chunk.
 *
 * <p>Concurrency: of a queue with one consumer, that one's ({@link #take}, {@link #hold}). Of a queue with several, whoever
 * has the try-flag ({@link #enter}), for as long as it takes to note where a batch of records lies. Nobody waits for it.
 */
final class RecordWalk {
    /** Bytes that the consumer zeroes at most when the allocator is late. */
    private static final int INLINE_ZERO = 256 << 10;

    /** Bytes that the consumer zeroes when it finds nothing to read: a microsecond's work. */
    private static final int IDLE_ZERO = 16 << 10;

    /** Messages after which the head is published within a batch; a power of two. */
    private static final int HEAD_INTERVAL = 16;

    private static final int IDLE_LOOK = 16;
    private static final int IDLE_MAINTENANCE = 1024;

    /** No record is being handled. */
    private static final int NONE = -1;

    /** The record that is being handled is held. */
    private static final int KEPT = -2;

    /** The record that is being handled is not taken this time. */
    private static final int LEFT = -3;

    private static final VarHandle ENTERED;
    private static final VarHandle CONSUMER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            ENTERED = lookup.findVarHandle(RecordWalk.class, "entered", boolean.class);
            CONSUMER = lookup.findVarHandle(RecordWalk.class, "consumer", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AppendQueue of;
    private final TailPointerTable owner;
    private final AtomicBuffer table;
    private final int id;
    private final int queue;
    private final int chunkLength;
    private final ChunkRing ring;
    private final LargeMessages largeMessages;
    private final HeldRecords held;

    /** The thread that polled last, where there is one consumer; each says so before it looks whether the queue is gone. */
    private @Nullable Thread consumer;

    /** The one consumer has seen that the queue is gone: it reads nothing of it any more. */
    private volatile boolean left;

    /** The one consumer has not seen that in time: the allocator has the walk, and the queue's number may be another's. */
    private volatile boolean abandoned;

    private Chunk chunk;
    private int headOffset;
    private int present = NONE;
    private long presentWord; // as it was checked: what is in memory may change
    private @Nullable LargeMessage presentLarge;
    private int presentBytes;
    private int idlePolls;
    private boolean wantsRoom; // chunks were left that are not announced anew
    private int quota; // number of the one against which the last records counted
    private long quotaBytes; // of these
    private long records;
    private long bytes;
    private long paddingBytes;
    private long paddingPublished;

    /** Consumers that have left a batch in the middle, for a handler has thrown. */
    private final Queue<AppendConsumer> suspended = new ConcurrentLinkedQueue<>();

    @SuppressWarnings("unused")
    private volatile boolean entered;

    RecordWalk(
            AppendQueue of,
            TailPointerTable owner,
            AtomicBuffer table,
            int queueOffset,
            ChunkRing ring,
            Chunk first,
            LargeMessages largeMessages,
            HeldRecords held) {
        this.of = of;
        this.owner = owner;
        this.table = table;
        this.id = of.id();
        this.queue = queueOffset;
        this.chunkLength = of.attributes().chunkLength();
        this.ring = ring;
        this.chunk = first;
        this.largeMessages = largeMessages;
        this.held = held;
    }

    /** Takes the walk for one of several; false if somebody else has it. */
    boolean enter() {
        return !entered && ENTERED.compareAndSet(this, false, true);
    }

    private void exit() {
        ENTERED.setRelease(this, false);
    }

    Chunk chunk() {
        return chunk;
    }

    long head() {
        return position(chunk.sequence, headOffset);
    }

    void wakeAllocator() {
        owner.wakeAllocator();
    }

    /**
     * Hands messages to a handler, for the one consumer.
     *
     * @return messages taken
     */
    int take(AppendHandler handler, int limit) {
        if (consumer != Thread.currentThread() && handler != QueueMaintenance.DISCARD && !begin()) {
            return 0;
        }
        int start = headOffset;
        Chunk first = chunk;
        int count = 0;
        try {
            while (count < limit && (count == 0 || handler == QueueMaintenance.DISCARD || !of.isDestroyed())) {
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
                if (!isSound(word, chunkLength - offset)) {
                    throw corrupt(word, offset);
                }
                int aligned = align(length);
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
                handle(handler, buffer, offset, word);
                if (present == LEFT) {
                    count--;
                    untake(offset, flags);
                    break;
                }
                if ((count & (HEAD_INTERVAL - 1)) == 0 && !of.isDestroyed()) {
                    table.putLongRelease(queue + HEAD_OFFSET, head()); // handlers may be slow, and senders wait for it
                }
            }
        } finally {
            end(handler, headOffset != start || chunk != first);
        }
        return count;
    }

    /** Hands a record to the handler. */
    private void handle(AppendHandler handler, AtomicBuffer buffer, int offset, long word) {
        present = offset;
        presentWord = word;
        int length = length(word);
        int delivered = flags(word) & DELIVERED;
        long source = buffer.getLong(offset + QP_NUMBER_OFFSET);
        int qpNumber = (int) source;
        int immediate = (int) (source >>> 32);
        if ((flags(word) & LARGE) != 0) {
            takeLarge(handler, buffer, offset, length, qpNumber, immediate, delivered);
        } else {
            records++;
            presentBytes = length - HEADER_LENGTH;
            bytes += presentBytes;
            if (flags(word) >>> QUOTA_SHIFT != 0) {
                owe(flags(word), presentBytes);
            }
            handler.onMessage(buffer, offset + PAYLOAD_OFFSET, presentBytes, qpNumber, immediate, delivered);
        }
    }

    /** The record that was handled is the next one again. */
    private void untake(int offset, int flags) {
        records--;
        bytes -= presentBytes;
        if (flags >>> QUOTA_SHIFT != 0) {
            quotaBytes -= alignedLength(presentBytes);
        }
        headOffset = offset;
    }

    /** A poll ends: what it took is told, or that it took nothing. */
    private void end(AppendHandler handler, boolean moved) {
        if (abandoned && handler != QueueMaintenance.DISCARD) {
            return;
        }
        present = NONE;
        if (moved) {
            publishHead();
        } else {
            idle();
        }
        giveBack();
        if (handler != QueueMaintenance.DISCARD && of.isDestroyed()) {
            leave();
        }
    }

    /** A record is taken, and its sender may send so much more when the batch is over. */
    private void owe(int flags, int payloadLength) {
        int number = flags >>> QUOTA_SHIFT;
        if (number != quota) {
            giveBack();
            quota = number;
        }
        quotaBytes += alignedLength(payloadLength);
    }

    private void giveBack() {
        if (quotaBytes != 0) {
            SenderQuota known = owner.quotas().find(quota);
            if (known != null) {
                known.giveBack(quotaBytes);
            }
            quotaBytes = 0;
        }
    }

    /** Another thread polls from now on: it says so first, and then looks whether the queue is gone. */
    private boolean begin() {
        CONSUMER.setVolatile(this, Thread.currentThread());
        return !of.isDestroyed();
    }

    /** Of a queue that is gone: the calling thread reads nothing of it any more, if it polled last and is not in a handler. */
    void leave() {
        if (!left && consumer == Thread.currentThread() && present == NONE) {
            consumer = null; // should it poll again it begins again, and sees that the queue is gone
            left = true;
            owner.wakeAllocator();
        }
    }

    /** Whether nobody polls any more, of a queue that is gone and had one consumer. Any thread; once true it stays so. */
    boolean isLeft() {
        Thread last = (Thread) CONSUMER.getVolatile(this);
        return left || last == null || !last.isAlive();
    }

    /** Takes the walk from a consumer that may be in its handler for long, of a queue that is gone: it tells nothing any more. */
    void abandon() {
        abandoned = true;
    }

    private void takeLarge(
            AppendHandler handler,
            AtomicBuffer buffer,
            int offset,
            int recordLength,
            int qpNumber,
            int immediate,
            int flags) {
        LargeMessage large = largeMessages.referred(buffer, offset, recordLength);
        records++;
        presentBytes = large.length;
        bytes += presentBytes;
        if (flags(presentWord) >>> QUOTA_SHIFT != 0) {
            owe(flags(presentWord), presentBytes);
        }
        presentLarge = large;
        boolean returned = false;
        try {
            handler.onMessage(large.buffer(), 0, large.length, qpNumber, immediate, flags);
            returned = true;
        } finally {
            presentLarge = null;
            if (present != KEPT && !(returned && present == LEFT)) {
                large.discard();
                owner.wakeAllocator();
            }
        }
    }

    /** The record that the one consumer's handler has before it stays. */
    void hold(AppendRecord into) {
        int offset = present;
        if (offset < 0) {
            throw notPresent(id, "hold", offset == KEPT);
        }
        Chunk in = chunk;
        AtomicBuffer buffer = in.buffer;
        long word = presentWord;
        LargeMessage large = presentLarge;
        if (large != null) {
            into.hold(held, large, large.length, buffer.getLong(offset + QP_NUMBER_OFFSET), flags(word));
            held.add(1, large.length);
        } else {
            into.hold(held, in, offset, word);
            in.held++;
            held.add(1, align(length(word)));
        }
        present = KEPT;
    }

    /** The record that the one consumer's handler has before it is not taken, and nothing behind it. */
    void leavePresent() {
        if (present < 0) {
            throw notPresent(id, "leave", present == KEPT);
        }
        present = LEFT;
    }

    static IllegalStateException notPresent(int id, String what, boolean kept) {
        return new IllegalStateException("append queue " + id
                + (kept ? ": the present record is held already" : ": " + what + " is for inside poll's handler"));
    }

    /**
     * Notes where the next records lie, of one chunk, for one consumer of several. They are held until it releases them.
     *
     * @return how many; 0 also if somebody else is at it
     */
    int claim(AppendConsumer consumer, int limit) {
        if (limit <= 0 || !enter()) {
            return 0;
        }
        try {
            return of.isDestroyed() || of.isCorrupted() ? 0 : note(consumer, limit);
        } finally {
            exit();
        }
    }

    /** A consumer leaves the rest of its batch until its next call. */
    void suspend(AppendConsumer consumer) {
        suspended.add(consumer);
        if (of.isDestroyed()) {
            owner.wakeAllocator();
        }
    }

    /** A consumer goes on with the rest of its batch; false if the queue was destroyed and {@link #dropSuspended} was faster. */
    boolean resume(AppendConsumer consumer) {
        return suspended.remove(consumer);
    }

    /** Gives back what consumers have left, of a destroyed queue. */
    void dropSuspended() {
        AppendConsumer consumer;
        while ((consumer = suspended.poll()) != null) {
            consumer.drop();
        }
    }

    private int note(AppendConsumer consumer, int limit) {
        int start = headOffset;
        Chunk first = chunk;
        int count = 0;
        long noted = 0;
        try {
            while (count < limit) {
                int offset = headOffset;
                if (offset == chunkLength) {
                    if (count > 0 || !nextChunk(chunkLength)) {
                        break;
                    }
                    offset = headOffset;
                }
                long word = chunk.buffer.getLongVolatile(offset);
                int length = length(word);
                if (length <= 0) {
                    break;
                }
                if (!isSound(word, chunkLength - offset)) {
                    if (count > 0) {
                        break; // what is sound comes first
                    }
                    throw corrupt(word, offset);
                }
                int aligned = align(length);
                int flags = flags(word);
                if ((flags & PADDING) != 0) {
                    if ((flags & END_OF_CHUNK) != 0 && count > 0) {
                        break; // a batch is of one chunk
                    }
                    headOffset = offset + aligned;
                    paddingBytes += aligned;
                    if ((flags & END_OF_CHUNK) != 0) {
                        nextChunk(offset + ALIGNMENT);
                    }
                    continue;
                }
                int payload = length - HEADER_LENGTH;
                if ((flags & LARGE) != 0) {
                    LargeMessage large = largeMessages.find(chunk.buffer, offset, length);
                    if (large == null && count > 0) {
                        break;
                    }
                    headOffset = offset + aligned; // one that is not to be believed is passed over
                    payload = (large == null ? largeMessages.referred(chunk.buffer, offset, length) : large).length;
                }
                headOffset = offset + aligned;
                consumer.words[count] = word;
                consumer.offsets[count++] = offset;
                noted += aligned;
                bytes += payload;
                if (flags >>> QUOTA_SHIFT != 0) {
                    owe(flags, payload);
                }
            }
        } finally {
            records += count;
            if (count > 0) {
                consumer.chunk = chunk;
                consumer.bytes = noted;
                chunk.held += count;
                held.add(count, noted);
            }
            if (headOffset != start || chunk != first) {
                publishHead();
            } else {
                idle();
            }
            giveBack();
        }
        return count;
    }

    /** What stands there is no record: somebody who has the queue mapped has written it, and nothing behind it can be believed. */
    private IllegalStateException corrupt(long word, int offset) {
        String what = "record of " + length(word) + " bytes, flags " + flags(word) + ", at " + offset
                + " of a chunk of " + chunkLength;
        of.corrupted(what);
        return new IllegalStateException("append queue " + id + " is corrupted: " + what);
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
        if (ahead - 1 < (ring.reserve() + 1) / 2) {
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
            of.maintain(owner.clock().nanoTime(), INLINE_ZERO, false);
        }
    }

    private void idle() {
        idlePolls++;
        if (wantsRoom) {
            wantsRoom = of.maintain(owner.clock().nanoTime(), IDLE_ZERO, false) > 0;
        }
        if ((idlePolls & (IDLE_LOOK - 1)) != 0) {
            return;
        }
        long head = head();
        boolean drained = table.getLongVolatile(queue + TAIL_OFFSET) == head;
        if (drained) {
            int ahead = ring.announced() - 1 - chunk.sequence;
            // A reserve that was made smaller goes this way too: what is announced can be taken back only from behind.
            if ((headOffset > chunkLength / 2 && ahead != 0) || ahead > ring.reserve()) {
                resetToClean(head);
            }
        }
        // What a slot named when the chunk was left is free now, perhaps, and all senders wait for it.
        if ((idlePolls & (IDLE_MAINTENANCE - 1)) == 0 && (!drained || ring.setAsideCount() > 0)) {
            of.maintain(owner.clock().nanoTime(), INLINE_ZERO, false);
        }
    }

    /** Moves an empty queue from a chunk that is mostly used to a clean one, so that the next burst finds room. */
    private void resetToClean(long head) {
        int dirty = headOffset;
        if (table.compareAndSetLong(queue + TAIL_OFFSET, head, position(chunk.sequence + 1, 0))) {
            table.putLongRelease(queue + RESETS_OFFSET, table.getLong(queue + RESETS_OFFSET) + 1);
            nextChunk(dirty);
        }
    }

    /** Whether {@link #take} would find nothing; for the one consumer. */
    boolean isEmpty() {
        if (consumer != Thread.currentThread() && !begin()) {
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

    /** Whether {@link #claim} would find nothing; false also if somebody is at it. */
    boolean isEmptyForOneOfSeveral() {
        if (!enter()) {
            return false;
        }
        try {
            return of.isDestroyed() || isEmpty();
        } finally {
            exit();
        }
    }
}

package io.verbena.nic.append;

import static io.verbena.nic.append.RecordDescriptor.*;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What goes on at the {@linkplain QueueHead head} of a queue: records are found, handed out, and left behind.
 *
 * <p>Concurrency: of a queue with one consumer, that one's ({@link #take}, {@link #hold}). Of a queue with several,
 * whoever has the try-flag ({@link #enter}), for as long as it takes to note where a batch of records lies. Nobody
 * waits for it.
 */
final class RecordWalk {
    /** Messages after which the head is published within a batch; a power of two. */
    private static final int HEAD_INTERVAL = 16;

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

    private final AppendQueue queue;
    private final TailPointerTable owner;
    private final int id;
    private final int chunkLength;
    private final ChunkRing ring;
    private final LargeMessages largeMessages;
    private final HeldRecords held;
    private final QueueHead head;
    private final QuotaReturns quotas;

    /**
     * The thread that polled last, where there is one consumer; each says so before it looks whether the queue is gone.
     */
    private @Nullable Thread consumer;

    /** The one consumer has seen that the queue is gone: it reads nothing of it any more. */
    private volatile boolean left;

    /**
     * The one consumer has not seen that in time: the allocator has the walk, and the queue's number may be another's.
     */
    private volatile boolean abandoned;

    private int present = NONE;
    private long presentWord; // as it was checked: what is in memory may change
    private @Nullable LargeMessage presentLarge;
    private int presentBytes;

    // Of the batch that is being noted.
    private int noted;
    private long notedBytes;

    /** Consumers that have left a batch in the middle, for a handler has thrown. */
    private final Queue<AppendConsumer> suspended = new ConcurrentLinkedQueue<>();

    @SuppressWarnings("unused")
    private volatile boolean entered;

    RecordWalk(
            AppendQueue queue, TailPointerTable owner, QueueHead head, LargeMessages largeMessages, HeldRecords held) {
        this.queue = queue;
        this.owner = owner;
        this.id = queue.id();
        this.chunkLength = queue.attributes().chunkLength();
        this.ring = head.ring();
        this.head = head;
        this.largeMessages = largeMessages;
        this.held = held;
        this.quotas = new QuotaReturns(owner);
    }

    /** Takes the walk for one of several; false if somebody else has it. */
    boolean enter() {
        return !entered && ENTERED.compareAndSet(this, false, true);
    }

    private void exit() {
        ENTERED.setRelease(this, false);
    }

    Chunk chunk() {
        return head.chunk;
    }

    long head() {
        return head.position();
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
        if (consumer != Thread.currentThread() && handler != Dismantling.DISCARD && !begin()) {
            return 0;
        }
        int start = head.offset;
        Chunk first = head.chunk;
        int count = 0;
        try {
            while (count < limit && (count == 0 || handler == Dismantling.DISCARD || !queue.isDestroyed())) {
                int offset = head.offset;
                if (offset == chunkLength && !head.nextChunk(chunkLength)) {
                    break;
                }
                offset = head.offset;
                AtomicBuffer buffer = head.chunk.buffer;
                long word = buffer.getLongVolatile(offset);
                int length = length(word);
                if (length <= 0) {
                    break;
                }
                if (!isSound(word, chunkLength - offset)) {
                    throw corrupt(word, offset);
                }
                if ((flags(word) & PADDING) != 0) {
                    head.skip(offset, word);
                    continue;
                }
                head.offset = offset + align(length);
                count++;
                handle(handler, buffer, offset, word);
                if (present == LEFT) {
                    count--;
                    untake(offset, flags(word));
                    break;
                }
                if ((count & (HEAD_INTERVAL - 1)) == 0 && !queue.isDestroyed()) {
                    head.tell(); // handlers may be slow, and senders wait for it
                }
            }
        } finally {
            end(handler, head.offset != start || head.chunk != first);
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
            presentBytes = length - HEADER_LENGTH;
            head.took(1, presentBytes);
            quotas.owe(flags(word), presentBytes);
            handler.onMessage(buffer, offset + PAYLOAD_OFFSET, presentBytes, qpNumber, immediate, delivered);
        }
    }

    /** The record that was handled is the next one again. */
    private void untake(int offset, int flags) {
        head.took(-1, -presentBytes);
        quotas.untake(flags, presentBytes);
        head.offset = offset;
    }

    /** A poll ends: what it took is told, or that it took nothing. */
    private void end(AppendHandler handler, boolean moved) {
        if (abandoned && handler != Dismantling.DISCARD) {
            return;
        }
        present = NONE;
        if (moved) {
            head.publish();
        } else {
            head.idle();
        }
        quotas.giveBack();
        if (handler != Dismantling.DISCARD && queue.isDestroyed()) {
            leave();
        }
    }

    /** Another thread polls from now on: it says so first, and then looks whether the queue is gone. */
    private boolean begin() {
        CONSUMER.setVolatile(this, Thread.currentThread());
        return !queue.isDestroyed();
    }

    /**
     * Of a queue that is gone: the calling thread reads nothing of it any more, if it polled last and is not in a
     * handler.
     */
    void leave() {
        if (!left && consumer == Thread.currentThread() && present == NONE) {
            consumer = null; // should it poll again it begins again, and sees that the queue is gone
            left = true;
            owner.wakeAllocator();
        }
    }

    /**
     * Whether nobody polls any more, of a queue that is gone and had one consumer. Any thread; once true it stays so.
     */
    boolean isLeft() {
        Thread last = (Thread) CONSUMER.getVolatile(this);
        return left || last == null || !last.isAlive();
    }

    /**
     * Takes the walk from a consumer that may be in its handler for long, of a queue that is gone: it tells nothing any
     * more.
     */
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
        presentBytes = large.length;
        head.took(1, presentBytes);
        quotas.owe(flags(presentWord), presentBytes);
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
        Chunk in = head.chunk;
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
     * Notes where the next records lie, of one chunk, for one consumer of several. They are held until it releases
     * them.
     *
     * @return how many; 0 also if somebody else is at it
     */
    int claim(AppendConsumer consumer, int limit) {
        if (limit <= 0 || !enter()) {
            return 0;
        }
        try {
            return queue.isDestroyed() || queue.isCorrupted() ? 0 : note(consumer, limit);
        } finally {
            exit();
        }
    }

    /** A consumer leaves the rest of its batch until its next call. */
    void suspend(AppendConsumer consumer) {
        suspended.add(consumer);
        if (queue.isDestroyed()) {
            owner.wakeAllocator();
        }
    }

    /**
     * A consumer goes on with the rest of its batch; false if the queue was destroyed and {@link #dropSuspended} was
     * faster.
     */
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
        int start = head.offset;
        Chunk first = head.chunk;
        noted = 0;
        notedBytes = 0;
        try {
            while (noted < limit && noteNext(consumer)) {
                // One record or padding after another.
            }
        } finally {
            if (noted > 0) {
                consumer.chunk = head.chunk;
                consumer.bytes = notedBytes;
                head.chunk.held += noted;
                held.add(noted, notedBytes);
            }
            if (head.offset != start || head.chunk != first) {
                head.publish();
            } else {
                head.idle();
            }
            quotas.giveBack();
        }
        return noted;
    }

    /** Notes the record at the head, or passes over padding; false if there is nothing that belongs to the batch. */
    private boolean noteNext(AppendConsumer consumer) {
        if (head.offset == chunkLength && (noted > 0 || !head.nextChunk(chunkLength))) {
            return false;
        }
        int offset = head.offset;
        AtomicBuffer buffer = head.chunk.buffer;
        long word = buffer.getLongVolatile(offset);
        int length = length(word);
        if (length <= 0) {
            return false;
        }
        if (!isSound(word, chunkLength - offset)) {
            if (noted > 0) {
                return false; // what is sound comes first
            }
            throw corrupt(word, offset);
        }
        int flags = flags(word);
        if ((flags & PADDING) != 0) {
            if ((flags & END_OF_CHUNK) != 0 && noted > 0) {
                return false; // a batch is of one chunk
            }
            head.skip(offset, word);
            return true;
        }
        int aligned = align(length);
        int payload = length - HEADER_LENGTH;
        if ((flags & LARGE) != 0) {
            LargeMessage large = largeMessages.find(buffer, offset, length);
            if (large == null && noted > 0) {
                return false;
            }
            head.offset = offset + aligned; // one that is not to be believed is passed over
            payload = (large == null ? largeMessages.referred(buffer, offset, length) : large).length;
        }
        head.offset = offset + aligned;
        consumer.words[noted] = word;
        consumer.offsets[noted++] = offset;
        notedBytes += aligned;
        head.took(1, payload);
        quotas.owe(flags, payload);
        return true;
    }

    /**
     * What stands there is no record: somebody who has the queue mapped has written it, and nothing behind it can be
     * believed.
     */
    private IllegalStateException corrupt(long word, int offset) {
        String what = "record of " + length(word) + " bytes, flags " + flags(word) + ", at " + offset
                + " of a chunk of " + chunkLength;
        queue.corrupted(what);
        return new IllegalStateException("append queue " + id + " is corrupted: " + what);
    }

    /** Whether {@link #take} would find nothing; for the one consumer. */
    boolean isEmpty() {
        if (consumer != Thread.currentThread() && !begin()) {
            return true;
        }
        if (present == NONE) {
            passPadding();
        }
        int offset = head.offset;
        Chunk at = head.chunk;
        if (offset == chunkLength) {
            if (ring.chunks().announced() - 1 == at.sequence) {
                return true;
            }
            at = ring.chunks().chunk(at.sequence + 1);
            offset = 0;
        }
        return length(at.buffer.getLongVolatile(offset)) <= 0;
    }

    /** Leaves padding behind: it is no message, and its room may be what a sender waits for. */
    private void passPadding() {
        int start = head.offset;
        Chunk first = head.chunk;
        while (head.offset < chunkLength || head.nextChunk(chunkLength)) {
            int offset = head.offset;
            long word = head.chunk.buffer.getLongVolatile(offset);
            if (length(word) <= 0 || (flags(word) & PADDING) == 0 || !isSound(word, chunkLength - offset)) {
                break;
            }
            head.skip(offset, word);
        }
        if ((head.offset != start || head.chunk != first) && !abandoned) {
            head.publish();
        }
    }

    /** Whether {@link #claim} would find nothing; false also if somebody is at it. */
    boolean isEmptyForOneOfSeveral() {
        if (!enter()) {
            return false;
        }
        try {
            return queue.isDestroyed() || isEmpty();
        } finally {
            exit();
        }
    }
}

package io.verbena.nic.append;

import static io.verbena.nic.append.RecordDescriptor.*;

import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One consumer of several of an append queue ({@link AppendQueue#consumer}). It takes whole records, in queue order, a
 * batch at a time: each record goes to one consumer, and what one consumer takes of a sender comes in the sender's
 * order. Nobody waits for a consumer that is slow: it keeps the chunk of its batch, no more.
 *
 * <p>Concurrency: an instance is for one thread at a time. Consumers meet at a try-flag while one notes where its
 * records lie; who does not get it finds nothing this time. Records are handled outside of it.
 */
public final class AppendConsumer {
    /** Most records of a batch. */
    static final int BATCH = 64;

    private static final int NONE = -1;
    private static final int KEPT = -2;
    private static final int LEFT = -3;

    private final AppendQueue queue;
    private final RecordWalk walk;
    private final HeldRecords held;
    private final LargeMessages largeMessages;

    /** Where the records of the batch lie. */
    final int[] offsets = new int[BATCH];
    /** Their words, as they were checked: what is in memory may change. */
    final long[] words = new long[BATCH];
    /** The chunk that they lie in. */
    @Nullable
    Chunk chunk;
    /** Bytes of those that are to be released there. */
    long bytes;

    /** Records noted, and which of them is next. */
    private int taken;

    private int next;
    private int toRelease; // of this batch, in the chunk

    private int present = NONE;
    private long presentWord;
    private @Nullable LargeMessage presentLarge;

    AppendConsumer(AppendQueue queue, RecordWalk walk, HeldRecords held, LargeMessages largeMessages) {
        this.queue = queue;
        this.walk = walk;
        this.held = held;
        this.largeMessages = largeMessages;
    }

    /** The queue. */
    public AppendQueue queue() {
        return queue;
    }

    /**
     * Takes messages and handles them. Their memory is the queue's until the batch is handled; a record that is to stay
     * longer is {@linkplain #hold held}.
     *
     * @param handler takes each message; if it throws, that message counts as consumed, and the rest of the batch comes
     *     with the next call, or is lost with the queue
     * @param limit most messages to take, at least 1; a batch has no more than 64
     * @return messages handled; 0 also if another consumer is just taking some, or the queue was destroyed
     */
    public int poll(AppendHandler handler, int limit) {
        if (!hasBatch() && !claim(limit)) {
            return 0;
        }
        int end = Math.min(taken, next + Math.max(0, limit));
        int count = end - next;
        try {
            while (next < end) {
                presentWord = words[next];
                handle(handler, chunk(), offsets[next++]);
                if (present == LEFT) {
                    next--;
                    count -= end - next;
                    break;
                }
            }
        } finally {
            present = NONE;
            end();
        }
        return count;
    }

    /**
     * Takes messages that stay until they are released, each by any thread.
     *
     * @param into filled from the first on; those that are filled hold nothing before
     * @param limit most messages to take, at most the length of the array; a batch has no more than 64
     * @return messages taken
     * @throws IllegalStateException if a record that is to be filled is held; nothing is taken then
     */
    public int take(AppendRecord[] into, int limit) {
        int most = Math.min(Math.min(limit, into.length), BATCH);
        for (int i = 0; i < most; i++) {
            if (into[i].isHeld()) {
                throw new IllegalStateException("record " + i + " of " + most + " is held; release it first");
            }
        }
        if (most <= 0 || (!hasBatch() && !claim(most))) {
            return 0;
        }
        int count = 0;
        try {
            while (count < most && next < taken) {
                keep(into[count], chunk(), offsets[next], words[next]);
                next++;
                count++;
            }
        } finally {
            end();
        }
        return count;
    }

    /** Whether records of a batch are left, which are this one's alone from here on. */
    private boolean hasBatch() {
        if (next == taken) {
            return false;
        }
        if (present != NONE || walk.resume(this)) { // in its handler, nobody else has it
            return true;
        }
        next = taken; // the queue was destroyed, and what was left with it
        chunk = null;
        return false;
    }

    /** A batch ends, or what is left of it waits for the next call; or for the end of the queue, if there is none. */
    private void end() {
        if (next == taken) {
            finish();
        } else {
            walk.suspend(this);
        }
    }

    /**
     * Gives back what is left of a batch that waits. Whoever took it from {@link RecordWalk#suspend}; changes nothing
     * here.
     */
    void drop() {
        Chunk in = chunk();
        for (int i = next; i < taken; i++) {
            AtomicBuffer buffer = in.buffer;
            int offset = offsets[i];
            long word = words[i];
            LargeMessage large = (flags(word) & LARGE) != 0 ? largeMessages.find(buffer, offset, length(word)) : null;
            if (large != null) {
                large.discard();
            }
        }
        held.release(in, toRelease, bytes);
    }

    /**
     * Inside {@link #poll}'s handler: the present record stays until it is released.
     *
     * @param into holds nothing before
     * @throws IllegalStateException if this is not inside the handler, the present record is held already, or
     *     {@code into} holds one
     */
    public void hold(AppendRecord into) {
        int offset = present;
        if (offset < 0) {
            throw RecordWalk.notPresent(queue.id(), "hold", offset == KEPT);
        }
        LargeMessage large = presentLarge;
        Chunk in = chunk();
        if (large != null) {
            holdLarge(into, large, in.buffer, offset, presentWord);
        } else {
            into.hold(held, in, offset, presentWord);
            toRelease--;
            bytes -= align(length(presentWord));
        }
        present = KEPT;
    }

    /**
     * Inside {@link #poll}'s handler: the present record is not taken. When the handler has returned the poll ends, and
     * the record is the first of this consumer's next one. If the handler throws, the record counts as consumed all the
     * same.
     *
     * @throws IllegalStateException if this is not inside the handler, or the present record is held already or left
     */
    public void leave() {
        if (present < 0) {
            throw RecordWalk.notPresent(queue.id(), "leave", present == KEPT);
        }
        present = LEFT;
    }

    /** Whether there is nothing to take now. False also while another consumer takes some: look again. */
    public boolean isEmpty() {
        return (next == taken || queue.isDestroyed()) && queue.isEmpty();
    }

    private boolean claim(int limit) {
        int count = walk.claim(this, Math.min(limit, BATCH));
        next = 0;
        taken = count;
        toRelease = count;
        return count > 0;
    }

    private void handle(AppendHandler handler, Chunk in, int offset) {
        AtomicBuffer buffer = in.buffer;
        long word = presentWord;
        int flags = flags(word);
        long source = buffer.getLong(offset + QP_NUMBER_OFFSET);
        int qpNumber = (int) source;
        int immediate = (int) (source >>> 32);
        present = offset;
        if ((flags & LARGE) == 0) {
            presentLarge = null;
            handler.onMessage(
                    buffer,
                    offset + PAYLOAD_OFFSET,
                    length(word) - HEADER_LENGTH,
                    qpNumber,
                    immediate,
                    flags & DELIVERED);
            return;
        }
        LargeMessage large = largeMessages.referred(buffer, offset, length(word));
        presentLarge = large;
        boolean returned = false;
        try {
            handler.onMessage(large.buffer(), 0, large.length, qpNumber, immediate, flags & DELIVERED);
            returned = true;
        } finally {
            presentLarge = null;
            if (present != KEPT && !(returned && present == LEFT)) {
                large.discard();
                walk.wakeAllocator();
            }
        }
    }

    private void keep(AppendRecord into, Chunk in, int offset, long word) {
        if ((flags(word) & LARGE) != 0) {
            holdLarge(into, largeMessages.referred(in.buffer, offset, length(word)), in.buffer, offset, word);
        } else {
            into.hold(held, in, offset, word);
            toRelease--;
            bytes -= align(length(word));
        }
    }

    /** A large message stays without the record that referred to it, which goes with its batch. */
    private void holdLarge(AppendRecord into, LargeMessage large, AtomicBuffer buffer, int offset, long word) {
        into.hold(held, large, large.length, buffer.getLong(offset + QP_NUMBER_OFFSET), flags(word));
        held.add(1, large.length);
    }

    private void finish() {
        Chunk in = chunk;
        if (in != null) {
            chunk = null;
            if (toRelease > 0) {
                held.release(in, toRelease, bytes);
            }
        }
    }

    private Chunk chunk() {
        Chunk in = chunk;
        if (in == null) {
            throw new IllegalStateException("append queue " + queue.id() + ": a batch without a chunk");
        }
        return in;
    }

    @Override
    public String toString() {
        return "consumer of " + queue;
    }
}

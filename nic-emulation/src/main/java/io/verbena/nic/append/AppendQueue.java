package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.MemoryQuota;
import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.MemoryProvider;
import org.agrona.concurrent.AtomicBuffer;

/**
 * An append queue (RIMA 3.2) at its owner: messages of any size, from anyone who holds the key, in one circular
 * sequence of chunks. The owner polls; a record is released when its handler has returned, or later if it is
 * {@linkplain #hold held}. Several may consume, see {@link #consumer}.
 *
 * <p>Concurrency: {@link #poll}, {@link #hold} and {@link #isEmpty} are for one consumer thread at a time, handed over
 * with a happens-before edge; of a queue with {@linkplain #consumer several}, each of them is for one thread.
 * {@link #query}, {@link #depth} and {@link #isDrained} are for any thread. Appends come through {@link Appender}s,
 * from any thread of any process. Chunks are zeroed, announced and released by {@link ChunkAllocator}, and if that is
 * late by the consumer; a try-flag keeps the two apart.
 */
public final class AppendQueue {
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
    private final QueueParts parts;
    private final RecordWalk walk;
    private final QueueMaintenance maintenance;

    private volatile boolean several; // consumers
    private volatile boolean destroyed;
    private volatile boolean corrupted;
    private volatile boolean notPolled; // any of the three
    private volatile long lastTail;
    private boolean takenByEngine; // the consumer's

    /**
     * What a queue is called by.
     *
     * @param id number of the queue in its NIC
     * @param key that appends must name
     * @param pd protection domain
     * @param engine index of the engine whose work wakes the consumer
     */
    record Identity(int id, int key, int pd, int engine) {}

    AppendQueue(
            TailPointerTable owner,
            ControlBlock control,
            MemoryProvider memory,
            MemoryQuota quota,
            Identity identity,
            AppendQueueAttributes concluded,
            long now) {
        this.owner = owner;
        this.control = control;
        this.table = control.buffer();
        this.id = identity.id();
        this.key = identity.key();
        this.engine = identity.engine();
        this.pd = identity.pd();
        this.queue = control.queueOffset(id);
        this.attributes = concluded;
        this.chunkLength = concluded.chunkLength();
        this.parts = new QueueParts(this, owner, control, memory, quota, concluded);
        this.walk = parts.walk;
        this.maintenance = new QueueMaintenance(this, owner, control, concluded, parts, now);
        publish(concluded);
    }

    /** Fills in the queue's entry of the tail-pointer table; appends may come from the last line on. */
    private void publish(AppendQueueAttributes concluded) {
        table.putInt(queue + CHUNK_LENGTH_OFFSET, chunkLength);
        table.putInt(queue + MAX_MESSAGE_OFFSET, concluded.maxMessage());
        table.putInt(queue + RECORD_LIMIT_OFFSET, concluded.recordLimit());
        table.putInt(queue + ENGINE_OFFSET, engine);
        table.putInt(queue + PD_OFFSET, pd);
        table.putLong(queue + MEMORY_LIMIT_OFFSET, concluded.memoryLimit());
        table.putInt(queue + CHUNK_MASK_OFFSET, control.limits().maxChunksPerQueue() - 1);
        table.putLong(queue + RECORDS_OFFSET, 0);
        table.putLong(queue + BYTES_OFFSET, 0);
        table.putInt(queue + TAKEN_BY_ENGINE_OFFSET, 0);
        table.putLong(queue + RNR_OFFSET, 0);
        table.putLong(queue + WATERMARK_OFFSET, 0);
        table.putLong(queue + HOLES_OFFSET, 0);
        table.putLong(queue + PADDING_OFFSET, 0);
        table.putLong(queue + RESETS_OFFSET, 0);
        table.putLong(queue + STARVED_OFFSET, 0);
        table.putLong(queue + HEAD_OFFSET, walk.head());
        table.putLongVolatile(queue + TAIL_OFFSET, walk.head());
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
     * Changes what may change while it is in use (RIMA Table 3, {@code ibv_modify_aq}): memory limit, reserve and what
     * it follows from, low watermark, hole timeout and surplus time. Any thread. The limit holds when this returns:
     * what is mapped above it stays until it is free, and nothing is added before; the rest takes effect with the next
     * maintenance.
     *
     * <pre>{@code
     *   queue.modify(new AppendQueueAttributes(queue.attributes()).reserveChunks(4));
     * }</pre>
     *
     * @param wanted all attributes; chunk length, largest message and places for large ones as they are
     * @throws IllegalArgumentException if an attribute is out of range or cannot be changed; names both values
     * @throws IllegalStateException if the queue was destroyed
     */
    public void modify(AppendQueueAttributes wanted) {
        AppendQueueAttributes concluded =
                wanted.concluded(control.limits(), owner.sharedReserve().isOn());
        same("chunk length", concluded.chunkLength(), chunkLength);
        same("max message", concluded.maxMessage(), attributes.maxMessage());
        same("large messages", concluded.largeMessages(), attributes.largeMessages());
        if (destroyed) {
            throw new IllegalStateException("append queue " + id + " is destroyed");
        }
        attributes = concluded;
        table.putLongRelease(queue + MEMORY_LIMIT_OFFSET, concluded.memoryLimit());
        maintenance.modified();
    }

    private void same(String name, int wanted, int is) {
        if (wanted != is) {
            throw new IllegalArgumentException(
                    "append queue " + id + ": " + name + " " + wanted + " wanted, is " + is + " for good");
        }
    }

    // ---- consumer ---------------------------------------------------------------------------------------------------

    /**
     * Takes messages in order. Only the lengths of records are read, not the tail. The head is published after a batch,
     * every few messages of it and at the end of each chunk, so the room of the last messages is free when this
     * returns.
     *
     * @param handler takes each message; if it throws, that message counts as consumed
     * @param limit most messages to take, at least 1
     * @return messages taken; 0 also when the queue was destroyed, or is corrupted
     * @throws IllegalStateException if what stands there is no record, because somebody who has the queue mapped has
     *     written it: said once, and by {@link io.verbena.nic.verbs.AsyncEventType#AQ_ERR}; senders are refused from
     *     then on
     * @throws IllegalStateException if the queue has several consumers
     */
    public int poll(AppendHandler handler, int limit) {
        return notPolled ? notPolled() : walk.take(handler, limit);
    }

    private int notPolled() {
        if (destroyed || corrupted) {
            leaveIfDestroyed();
            return 0;
        }
        throw new IllegalStateException("append queue " + id
                + " has several consumers: AppendConsumer.poll takes its messages, AppendQueue.poll does not");
    }

    private void leaveIfDestroyed() {
        if (destroyed) {
            walk.leave();
        }
    }

    /**
     * Inside {@link #poll}'s handler: the present record stays until it is released, at any time, by any thread. It
     * keeps its chunk and no other; the queue goes on.
     *
     * @param into holds nothing before
     * @throws IllegalStateException if this is not inside the handler, the present record is held already, {@code into}
     *     holds one, or the queue has several consumers, each of which {@linkplain AppendConsumer#hold holds} its own
     */
    public void hold(AppendRecord into) {
        if (several) {
            throw new IllegalStateException("append queue " + id
                    + " has several consumers: AppendConsumer.hold keeps their records, AppendQueue.hold does not");
        }
        walk.hold(into);
    }

    /**
     * Inside {@link #poll}'s handler: the present record is not taken. When the handler has returned the poll ends, and
     * the record is the next one's first. If the handler throws, the record counts as consumed all the same.
     *
     * @throws IllegalStateException if this is not inside the handler, the present record is held already or left, or
     *     the queue has several consumers, each of which {@linkplain AppendConsumer#leave leaves} its own
     */
    public void leave() {
        if (several) {
            throw new IllegalStateException("append queue " + id
                    + " has several consumers: AppendConsumer.leave leaves their records, AppendQueue.leave does not");
        }
        walk.leavePresent();
    }

    /**
     * Makes one of several consumers. From the first on only they take messages; whoever has polled so far has done so
     * before.
     */
    public AppendConsumer consumer() {
        several = true;
        notPolled = true;
        return new AppendConsumer(this, walk, parts.held, parts.largeMessages);
    }

    /**
     * Says who takes the messages: the thread that drives the queue's engine, which then has less time for packets and
     * for other queues, or somebody with time of his own. Initiators that have the queue mapped count what waits in all
     * queues that the engine takes together. By the consumer, while nobody destroys the queue; costs a comparison while
     * nothing changes.
     */
    public void takenByEngine(boolean is) {
        if (is != takenByEngine && !destroyed) {
            takenByEngine = is;
            table.putIntRelease(queue + TAKEN_BY_ENGINE_OFFSET, is ? 1 : 0);
        }
    }

    /**
     * Whether the next {@link #poll} would find nothing. Consumer thread only, for it passes over padding as poll does;
     * others look at {@link #isDrained}. A cheap look before it blocks (after {@link ControlBlock#setParked}). Of
     * several consumers, any: false also while one of them takes messages.
     */
    public boolean isEmpty() {
        if (notPolled) {
            return notPolledIsEmpty();
        }
        return walk.isEmpty();
    }

    private boolean notPolledIsEmpty() {
        if (destroyed || corrupted) {
            leaveIfDestroyed();
            return true;
        }
        return walk.isEmptyForOneOfSeveral();
    }

    /**
     * Whether nothing is claimed that is not consumed. Any thread: it looks at no chunk, which may be gone while
     * another thread consumes. For a thread that is about to sleep: true is certain, false may be a claim that is not
     * committed yet.
     */
    public boolean isDrained() {
        return destroyed || depth() == 0;
    }

    /**
     * Bytes claimed and not taken yet, headers, padding and claims in flight included, held records not. Any thread.
     */
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
        if (tail == subject || tail == head) {
            return true; // whatever was claimed is behind the head, also where a drained queue was reset
        }
        // Sequences grow, so the high halves say which is later unless they are equal.
        int ahead = sequence(head) - sequence(subject);
        if (ahead == 0 && offset(head) > offset(subject)) {
            return true;
        }
        return roll ? ahead > 1 || (ahead == 1 && offset(head) > 0) : ahead > 0;
    }

    /** What there is to know of the queue. Any thread. */
    public AppendQueueStatistics query() {
        long tail = table.getLongVolatile(queue + TAIL_OFFSET);
        long announcedEnd = position(parts.ring.chunks().announced(), 0);
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
                parts.ring.setAsideCount(),
                table.getLongVolatile(queue + RESETS_OFFSET),
                table.getLongVolatile(queue + RELEASES_OFFSET),
                parts.held.records(),
                parts.held.bytes(),
                parts.ring.heldChunks(),
                parts.staging.bytes(),
                parts.footprint.mean(),
                parts.meter.allocationP50(),
                parts.meter.allocationP99(),
                parts.meter.messagesPerSecond(),
                parts.meter.serviceNanos(),
                parts.footprint.exhaustions(),
                table.getLongVolatile(queue + STARVED_OFFSET) != 0);
    }

    // ---- destruction ------------------------------------------------------------------------------------------------

    /**
     * Destroys the queue: from here on appends find no queue. Any thread. Its memory is given back when no initiator
     * and no open claim of the owner can write into it any more, no record of it is held, and the consumer reads
     * nothing of it any more: it is the caller, or has returned from its handler and polled or looked once more, or has
     * ended. Memory of a consumer that lets a second go by without that is left to the collector. Waits a bounded time
     * for the queue's asynchronous events to be acknowledged: a thread acknowledges what it has taken before it
     * destroys.
     *
     * @param force also with messages unread (which are lost) or in flight, and with records held (which stay)
     * @return false if there are such messages and {@code force} is not set (EBUSY): nothing has changed
     * @throws IllegalStateException (EBUSY) if events are not acknowledged in time; nothing has changed then
     */
    public boolean destroy(boolean force) {
        if (destroyed) {
            return true;
        }
        if (!force && isInUse()) {
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

    private boolean isInUse() {
        return depth() != 0 || parts.held.records() != 0; // in this order: see HeldRecords
    }

    private boolean end(boolean force) {
        long tail = table.getLongVolatile(queue + TAIL_OFFSET);
        if (force) {
            tail = table.getAndSetLong(queue + TAIL_OFFSET, position(sequence(tail), GONE));
        } else {
            if (isInUse() || !table.compareAndSetLong(queue + TAIL_OFFSET, tail, position(sequence(tail), GONE))) {
                return false;
            }
        }
        table.putIntVolatile(queue + KEY_OFFSET, 0);
        lastTail = tail;
        owner.destroyed(this); // before its memory can be given back, which ends what this begins
        destroyed = true;
        notPolled = true;
        walk.leave();
        owner.wakeAllocator();
        return true;
    }

    /** Whether the queue was destroyed. */
    public boolean isDestroyed() {
        return destroyed;
    }

    /** Whether it was destroyed and all its memory has been given back. */
    public boolean isFreed() {
        return maintenance.isFreed();
    }

    // ---- maintenance ------------------------------------------------------------------------------------------------

    boolean hasSeveralConsumers() {
        return several;
    }

    /**
     * What stands in its memory is nothing that an appender writes: nothing more is taken from it or into it, until it
     * is destroyed. Any thread; the first one says so.
     */
    void corrupted(String what) {
        synchronized (this) {
            if (corrupted) {
                return;
            }
            corrupted = true;
            notPolled = true;
        }
        table.putIntVolatile(queue + KEY_OFFSET, 0);
        long tail = table.getLongVolatile(queue + TAIL_OFFSET);
        table.putLongVolatile(queue + TAIL_OFFSET, position(sequence(tail), GONE));
        owner.corrupted(this, what);
    }

    /** Whether its memory is {@linkplain #corrupted corrupted}. */
    boolean isCorrupted() {
        return corrupted;
    }

    /** See {@link AnnouncedChunks#supply}. */
    boolean supply(int sequence) {
        return parts.ring.chunks().supply(sequence);
    }

    void memoryShort() {
        owner.sharedReserve().memoryShort();
    }

    void exhausted(MemoryExhaustedException e) {
        owner.exhausted(this, e);
    }

    LargeMessages largeMessages() {
        return parts.largeMessages;
    }

    UnfinishedMessages unfinished() {
        return parts.unfinished;
    }

    Staging staging() {
        return parts.staging;
    }

    QueueMeter meter() {
        return parts.meter;
    }

    /** Whether chunks wait for initiators that may still write into them. Of the allocator. */
    boolean hasSetAside() {
        return parts.ring.setAsideCount() > 0;
    }

    /** The tail when the queue was destroyed. */
    long lastTail() {
        return lastTail;
    }

    /** See {@link QueueMaintenance#run}. */
    int maintain(long now, int zeroBudget, boolean mayAllocate) {
        return maintenance.run(now, zeroBudget, mayAllocate);
    }

    @Override
    public String toString() {
        return "append queue " + id;
    }
}

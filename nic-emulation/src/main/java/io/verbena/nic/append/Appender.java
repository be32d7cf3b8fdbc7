package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;
import static io.verbena.nic.append.RecordDescriptor.*;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_APPEND;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_CLAIMED;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_HELD;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_ROLL;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_SUBJECT_OFFSET;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_WORD_OFFSET;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.port.PeerMemory;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Appends to the queues of one NIC: of a peer whose memory is mapped here, or of the NIC's own.
 *
 * <p>An append is three steps, between which anything may happen: {@link #claimRun}, copy, {@link #commitRun}. What is
 * claimed is a run of records, or one record, which become visible together; one run at a time.
 *
 * <p>Protocol: a compare-and-set takes the slot, which then says what is about to be claimed (plain stores); the
 * compare-and-set of the tail claims it and makes the slot visible, a bit in the slot says that it succeeded (a store),
 * the compare-and-set of the record's first word from 0 commits it, and the slot is cleared. If the initiator dies or
 * stalls in between, the owner finds the record's length in the slot and sets that word to padding first. The owner's
 * own claims need no such arbiter, and its slot is nobody else's: they are marked by a negative length and committed by
 * a store. The tail is read before the key, so a claim that succeeds was made while that key was valid.
 *
 * <p>Concurrency: an instance is for one thread at a time (an engine's baton); any number of instances, in any
 * processes, append to a queue at a time. Allocates nothing once it knows the queue.
 */
public final class Appender {
    /** Claimed. */
    public static final int OK = 0;

    /** Receiver not ready: no room now. */
    public static final int RNR = 1;

    /** There is no such queue (any more). */
    public static final int NO_QUEUE = 2;

    /** The key is not the queue's. */
    public static final int BAD_KEY = 3;

    /** Longer than the queue's largest message. */
    public static final int TOO_LONG = 4;

    /** Too long for a chunk: send it as packets; the owner uses {@link #large}. */
    public static final int LARGE_MESSAGE = 5;

    /** The queue's memory cannot be mapped here: send it as packets. */
    public static final int NOT_MAPPED = 6;

    /**
     * No room, and there will be none: the owner's memory has been exhausted for {@value #SHORT_SECONDS} s, and nothing
     * is in the queue that could be consumed.
     */
    public static final int NO_MEMORY = 7;

    /**
     * Another initiator, of a connection before, is in the middle of an operation on the queue pair: send it as
     * packets.
     */
    public static final int SLOT_TAKEN = 8;

    /**
     * There is no next chunk, and none is offered of the reserve that the NIC's queues share: send it as packets, and
     * the owner finds one.
     */
    public static final int NOT_ANNOUNCED = 9;

    static final int SHORT_SECONDS = 10;

    /**
     * Most bytes that a run of several records takes: no chunk is shorter, and what is behind it does not wait long.
     */
    public static final int MAX_RUN = 4096;

    /** In place of a queue pair's number: who appends is the owner. */
    public static final int OWNER = -1;

    /** Tries of a claim, each of which failed because somebody else's succeeded. */
    private static final int MAX_ATTEMPTS = 1 << 16;

    /** Bits that no offset of a record has. */
    private static final int NO_OFFSET = Integer.MIN_VALUE | (ALIGNMENT - 1);

    static final AtomicBuffer NOTHING = new UnsafeBuffer(new byte[0]);

    private final ControlBlock control;
    private final AtomicBuffer table;
    private final PeerMemory memory;
    private final int maxQueues;
    private final int ownerSlotOffset;
    private final @Nullable TailPointerTable owner;
    private final @Nullable LargeAppender large;
    private final OfferedChunks offers;

    private final QueueView[] views;

    private AtomicBuffer roomBuffer = NOTHING;
    private int room;
    private int runSlotOffset;
    private @Nullable DynamicThreshold sender; // whose messages the owner appends

    /**
     * Creates an appender to a peer's queues.
     *
     * @param control the control block of the NIC that owns the queues
     * @param memory its segments
     */
    public Appender(ControlBlock control, PeerMemory memory) {
        this(control, memory, 0, null);
    }

    Appender(ControlBlock control, PeerMemory memory, int engine, @Nullable TailPointerTable owner) {
        this.control = control;
        this.table = control.buffer();
        this.memory = memory;
        this.maxQueues = control.limits().maxAppendQueues();
        this.ownerSlotOffset = control.slotOffset(control.ownerSlot(engine));
        this.owner = owner;
        this.large = owner == null ? null : new LargeAppender(owner, control, this);
        this.offers = new OfferedChunks(control);
        this.views = new QueueView[maxQueues];
        Arrays.fill(views, QueueView.UNKNOWN);
    }

    /**
     * Claims room for a run of records of one sender, which become visible together: the caller writes them to
     * {@link #roomBuffer} from {@link #room} on, as {@link RecordDescriptor} says, all words but the first one's, and
     * then calls {@link #commitRun}. Until that, nothing else is claimed here.
     *
     * @param queueId of the queue, any value
     * @param queueKey of the queue, any value
     * @param pd protection domain of the owner's queue pair
     * @param longest payload bytes of the longest, at least 0
     * @param bytes that all records take, each aligned; of more than one record at most {@link #MAX_RUN}
     * @param qpNumber the owner's queue pair, whose in-flight slot is used: it has no other operation in flight; {@link
     *     #OWNER} if this is the owner
     * @return {@link #OK}, {@link #RNR}, {@link #NO_QUEUE}, {@link #BAD_KEY} (also if the queue is of another
     *     protection domain), {@link #TOO_LONG}, {@link #LARGE_MESSAGE}, {@link #NOT_MAPPED}, {@link #NO_MEMORY},
     *     {@link #SLOT_TAKEN} or {@link #NOT_ANNOUNCED}
     */
    public int claimRun(int queueId, int queueKey, int pd, int longest, int bytes, int qpNumber) {
        runSlotOffset = qpNumber < 0 ? ownerSlotOffset : control.slotOffset(control.qpSlot(qpNumber));
        int status = claimRoom(queueId, queueKey, pd, longest, bytes, runSlotOffset);
        if (status == OK && qpNumber < 0) {
            roomBuffer.putLongRelease(room, word(-bytes, 0)); // nobody closes the owner's own
            table.putLongRelease(runSlotOffset + SLOT_WORD_OFFSET, 0);
        }
        return status;
    }

    /** Sets whose messages the owner appends from now on: what they have in a full queue is bounded. */
    public void from(DynamicThreshold share) {
        sender = share;
    }

    /** The head of a queue: moves when its consumer takes something. */
    public long head(int queueId) {
        return table.getLongAcquire(control.queueOffset(queueId) + HEAD_OFFSET);
    }

    /** Bytes of a queue that its consumer has not taken, whoever appended them; 0 if there is no such queue. */
    public int unread(int queueId) {
        int queue = control.queueOffset(queueId);
        long head = table.getLongVolatile(queue + HEAD_OFFSET); // first: it might pass a tail that was read before
        long tail = table.getLongVolatile(queue + TAIL_OFFSET);
        long bytes = offset(tail) == GONE ? 0 : distance(head, tail, table.getInt(queue + CHUNK_LENGTH_OFFSET));
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, bytes));
    }

    /** Whether the thread of the owner's engine takes a queue's messages, as its consumer says. */
    public boolean isTakenByEngine(int queueId) {
        return table.getIntAcquire(control.queueOffset(queueId) + TAKEN_BY_ENGINE_OFFSET) != 0;
    }

    /**
     * Whether a queue is known to take no message of so many bytes into a chunk: it goes as packets at once, and waits
     * for nothing.
     */
    public boolean isTooLongForChunk(int queueId, int length) {
        return length > MAX_RUN
                && queueId >= 0
                && queueId < maxQueues
                && views[queueId] != QueueView.UNKNOWN
                && length > views[queueId].recordLimit;
    }

    /** Whether there may be a queue of that number. */
    public boolean mayHave(int queueId) {
        return queueId >= 0 && queueId < maxQueues;
    }

    /** Where the room of the last {@link #claimRun} lies. */
    public AtomicBuffer roomBuffer() {
        return roomBuffer;
    }

    /** Offset in {@link #roomBuffer} of the first record of the last {@link #claimRun}. */
    public int room() {
        return room;
    }

    /**
     * Commits a run by setting the word of its first record. For a direct initiator this is a full fence, so that the
     * owner's park word may be read after it; for the owner it is a release store.
     *
     * @param word of the first record; {@link RecordDescriptor#padding} of all bytes gives the run up
     * @return false if the owner has turned the run into padding: none of its messages is in the queue or ever will be;
     *     never for the owner's own
     */
    public boolean commitRun(long word) {
        if (runSlotOffset == ownerSlotOffset) {
            roomBuffer.putLongRelease(room, word);
            return true;
        }
        boolean done = roomBuffer.compareAndSetLong(room, 0, word);
        table.putLongRelease(runSlotOffset + SLOT_WORD_OFFSET, 0);
        return done;
    }

    private int claimRoom(int queueId, int queueKey, int pd, int longest, int bytes, int slotOffset) {
        if (queueId < 0 || queueId >= maxQueues) {
            return NO_QUEUE;
        }
        AtomicBuffer table = this.table; // a local: the loads behind it need not be repeated after each volatile access
        int queue = control.queueOffset(queueId);
        long tail = table.getLongVolatile(queue + TAIL_OFFSET);
        int key = table.getIntAcquire(queue + KEY_OFFSET); // what look() reads is not older
        if (key != queueKey || key == 0) {
            return key == 0 ? NO_QUEUE : BAD_KEY;
        }
        QueueView view = views[queueId];
        if (view.key != key) {
            view = look(queueId, queue, key);
            if (view.key != key) {
                return NO_QUEUE;
            }
        }
        if (pd != view.pd) {
            return BAD_KEY;
        }
        if (longest > view.recordLimit) {
            return tooLong(view, longest);
        }
        DynamicThreshold share = owner == null ? view.share : sender;
        if (share != null && !share.admits(key, table.getLongVolatile(queue + HEAD_OFFSET), tail)) {
            return notReady(queue);
        }
        if (slotOffset != ownerSlotOffset && !table.compareAndSetLong(slotOffset + SLOT_WORD_OFFSET, 0, SLOT_HELD)) {
            return SLOT_TAKEN;
        }
        for (int tries = 0; tries < MAX_ATTEMPTS; tries++) {
            int status = claimAt(view, queueId, queue, tail, bytes, slotOffset);
            if (status == OK) {
                if (share != null) {
                    share.appended(key, tail, bytes);
                }
                return OK;
            }
            long now = table.getLongVolatile(queue + TAIL_OFFSET);
            if (now == tail && status != LOST && !(status == RNR && isSupplied(view, queueId, tail))) {
                return giveUp(slotOffset, status == RNR ? refused(view, tail) : status);
            }
            tail = now;
            if (table.getInt(queue + KEY_OFFSET) != key) {
                return giveUp(slotOffset, NO_QUEUE); // destroyed, and perhaps made anew, meanwhile
            }
        }
        return giveUp(slotOffset, NOT_MAPPED); // somebody moves it in circles
    }

    /** Whether all the chunks that the queue may have are in use, and the next one is not merely late. */
    private boolean isFull(QueueView view, long head, long tail) {
        return sequence(tail) - sequence(head) >= view.chunkMask
                || table.getLongVolatile(view.queue + FOOTPRINT_OFFSET) + view.chunkLength
                        > table.getLongVolatile(view.queue + MEMORY_LIMIT_OFFSET);
    }

    /** Whether the next chunk was missing, and is there now: see {@link SharedReserve}. */
    private boolean isSupplied(QueueView view, int queueId, long tail) {
        if (owner == null) {
            return offers.take(view.queue, queueId, sequence(tail) + 1, view.chunkLength);
        }
        AppendQueue queue = owner.find(queueId);
        return queue != null && queue.supply(sequence(tail) + 1);
    }

    /** There is no room at a tail: if the queue is full, what the sender may have there is bounded from now on. */
    private int refused(QueueView view, long tail) {
        long head = table.getLongVolatile(view.queue + HEAD_OFFSET);
        if (isFull(view, head, tail)) {
            if (owner == null && view.share == null) {
                view.share = new DynamicThreshold();
            }
            DynamicThreshold share = owner == null ? view.share : sender;
            if (share != null) {
                share.refused(view.key, head, tail, view.chunkLength);
            }
        } else if (owner == null && table.getInt(view.queue + SHARES_RESERVE_OFFSET) != 0) {
            return NOT_ANNOUNCED;
        }
        return notReady(view.queue);
    }

    private static int tooLong(QueueView view, int longest) {
        if (!view.isSound) {
            return NOT_MAPPED; // its owner judges
        }
        return longest > view.maxMessage ? TOO_LONG : LARGE_MESSAGE;
    }

    /** Claims room at a tail; LOST if the tail has moved. */
    private int claimAt(QueueView view, int queueId, int queue, long tail, int bytes, int slotOffset) {
        int offset = offset(tail);
        if ((offset & NO_OFFSET) != 0) {
            return offset == GONE ? NO_QUEUE : NOT_MAPPED;
        }
        if (bytes > view.chunkLength - offset) {
            return roll(view, queueId, tail, bytes, slotOffset);
        }
        int found = locate(view, queueId, sequence(tail));
        if (found != OK) {
            return found;
        }
        AtomicBuffer table = this.table;
        long word = slotWord(SLOT_APPEND, queueId, bytes);
        table.putLong(slotOffset + SLOT_SUBJECT_OFFSET, tail);
        table.putLongRelease(slotOffset + SLOT_WORD_OFFSET, word);
        if (!table.compareAndSetLong(queue + TAIL_OFFSET, tail, tail + bytes)) {
            return LOST;
        }
        roomBuffer = view.chunk;
        room = view.chunkPosition + offset;
        claimed(slotOffset, word);
        return OK;
    }

    /** The slot says that the claim has succeeded, before any byte of the payload is written: see HoleRecovery. */
    private void claimed(int slotOffset, long word) {
        table.putLongRelease(slotOffset + SLOT_WORD_OFFSET, word | SLOT_CLAIMED);
        VarHandle.storeStoreFence();
    }

    private int giveUp(int slotOffset, int status) {
        table.putLongRelease(slotOffset + SLOT_WORD_OFFSET, 0);
        return status;
    }

    /**
     * Looks at a queue that has that key; UNKNOWN if it has another by now, for what was read is of two queues,
     * perhaps.
     */
    private QueueView look(int queueId, int queue, int key) {
        QueueView view = new QueueView(
                queue,
                key,
                table.getInt(queue + PD_OFFSET),
                table.getInt(queue + CHUNK_LENGTH_OFFSET),
                table.getInt(queue + MAX_MESSAGE_OFFSET),
                table.getInt(queue + RECORD_LIMIT_OFFSET),
                table.getInt(queue + CHUNK_MASK_OFFSET),
                control.limits().maxChunksPerQueue());
        VarHandle.loadLoadFence(); // what was read is not younger than the key
        views[queueId] = table.getInt(queue + KEY_OFFSET) == key ? view : QueueView.UNKNOWN;
        return views[queueId];
    }

    /** Not a status of a claim: somebody else has moved the tail. */
    private static final int LOST = -1;

    /** Claims the first room of the next chunk and closes this one with padding. */
    private int roll(QueueView view, int queueId, long tail, int bytes, int slotOffset) {
        int sequence = sequence(tail);
        int remainder = view.chunkLength - offset(tail);
        if (remainder < 0) {
            return NOT_MAPPED; // no tail
        }
        AtomicBuffer full = NOTHING;
        int end = 0;
        if (remainder > 0) {
            int found = locate(view, queueId, sequence);
            if (found != OK) {
                return found;
            }
            full = view.chunk;
            end = view.chunkPosition + offset(tail);
        }
        int found = locate(view, queueId, sequence + 1);
        if (found != OK) {
            return found;
        }
        table.putLong(slotOffset + SLOT_SUBJECT_OFFSET, tail);
        long word = slotWord(SLOT_ROLL, queueId, bytes);
        table.putLongRelease(slotOffset + SLOT_WORD_OFFSET, word);
        if (!table.compareAndSetLong(view.queue + TAIL_OFFSET, tail, position(sequence + 1, bytes))) {
            return LOST;
        }
        if (remainder > 0) {
            full.compareAndSetLong(end, 0, word(remainder, PADDING | END_OF_CHUNK));
        }
        roomBuffer = view.chunk;
        room = view.chunkPosition;
        claimed(slotOffset, word);
        if (owner != null) {
            owner.wakeAllocator();
        }
        return OK;
    }

    /** Finds a chunk's memory: OK, RNR if it is neither announced (or no more) nor taken, NOT_MAPPED. */
    private int locate(QueueView view, int queueId, int sequence) {
        if (view.chunkSequence == sequence && view.chunk != NOTHING) {
            return OK;
        }
        int found = locateAnnounced(view, sequence);
        if (found != RNR) {
            return found;
        }
        int segmentId = offers.segment(view.queue, queueId, sequence, view.chunkLength);
        return segmentId == OfferedChunks.NONE
                ? locateAnnounced(view, sequence) // it may have been adopted in between
                : located(view, sequence, memory.segment(segmentId), 0);
    }

    private int locateAnnounced(QueueView view, int sequence) {
        int entry = chunkEntry(view.queue, sequence, view.chunkMask);
        if (table.getIntVolatile(entry + CHUNK_SEQUENCE_OFFSET) != sequence) {
            return RNR;
        }
        int segmentId = table.getInt(entry + CHUNK_SEGMENT_OFFSET);
        long position = table.getLong(entry + CHUNK_POSITION_OFFSET);
        AtomicBuffer segment = memory.segment(segmentId);
        return table.getIntVolatile(entry + CHUNK_SEQUENCE_OFFSET) == sequence
                ? located(view, sequence, segment, position)
                : segment == null ? NOT_MAPPED : RNR;
    }

    private static int located(QueueView view, int sequence, @Nullable AtomicBuffer segment, long position) {
        if (segment == null
                || position < 0
                || (position & ALIGNMENT - 1) != 0
                || position > segment.capacity() - view.chunkLength) {
            return NOT_MAPPED;
        }
        view.chunk = segment;
        view.chunkPosition = (int) position;
        view.chunkSequence = sequence;
        return OK;
    }

    /** Counts an answer that the receiver is not ready; RNR, or NO_MEMORY if it is not going to be. */
    int notReady(int queue) {
        table.getAndAddLong(queue + RNR_OFFSET, 1);
        if (owner != null) {
            owner.wakeAllocator();
        }
        return table.getLongVolatile(queue + STARVED_OFFSET) != 0
                        && table.getLongVolatile(queue + HEAD_OFFSET) == table.getLongVolatile(queue + TAIL_OFFSET)
                ? NO_MEMORY
                : RNR;
    }

    /**
     * Forgets a segment, which is about to be unmapped.
     *
     * @param segment of the peer's, retired: no tail leads into it any more, and no run is claimed now
     */
    public void forget(AtomicBuffer segment) {
        for (QueueView view : views) {
            if (view.chunk == segment) {
                view.chunk = NOTHING;
            }
        }
        if (roomBuffer == segment) {
            roomBuffer = NOTHING;
        }
    }

    /**
     * Appends messages that are too long for a chunk or come in parts.
     *
     * @throws IllegalStateException if this is not the owner's appender
     */
    public LargeAppender large() {
        if (large == null) {
            throw new IllegalStateException(
                    "only the owner's appender, of TailPointerTable.appender, takes messages apart from the queue");
        }
        return large;
    }
}

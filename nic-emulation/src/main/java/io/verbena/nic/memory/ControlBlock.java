package io.verbena.nic.memory;

import static io.verbena.nic.memory.ControlDescriptor.*;

import io.verbena.nic.port.MemoryProvider;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.AtomicBuffer;

/**
 * A NIC's control block, seen by the NIC itself or by a peer that has it mapped.
 *
 * <p>Concurrency: the key table, queue pair words and append queues have one writer each, the owning NIC; a slot is
 * written by the direct initiator that has taken it, by compare-and-set (and by the owner once that initiator is known
 * to be gone); tail words and rare counters are changed by compare-and-set from anywhere. Everything may be read by
 * anyone. Instances hold no state of their own besides offsets and may be shared.
 *
 * <p>Parking (Dekker): the engine stores PARKED, fences, and looks at its work again before it blocks; whoever gives it
 * work makes the work visible, fences, and looks at the park word. One of the two sees the other.
 */
public final class ControlBlock {
    private static final int RUNNING = 0;
    private static final int PARKED = 1;
    private static final int PARKED_FOR_PACKETS = 2;

    private final AtomicBuffer buffer;
    private final ControlLimits limits;
    private final long nicId;
    private final int parkEnd;
    private final int arrivalsOffset;
    private final int keysOffset;
    private final int queuePairsOffset;
    private final int slotsOffset;
    private final int queuesOffset;
    private final int queueEntryLength;
    private final int offersOffset;
    private final int queuePairMask;
    private final int slotCount;

    private ControlBlock(AtomicBuffer buffer, ControlLimits limits, long nicId) {
        this.buffer = buffer;
        this.limits = limits;
        this.nicId = nicId;
        this.parkEnd = PARK_OFFSET + limits.maxEngines() * LINE;
        this.arrivalsOffset = ControlDescriptor.arrivalsOffset(limits.maxEngines());
        this.keysOffset = ControlDescriptor.keysOffset(limits.maxEngines());
        this.queuePairsOffset = ControlDescriptor.queuePairsOffset(limits.maxEngines(), limits.maxKeys());
        this.slotsOffset = ControlDescriptor.slotsOffset(limits.maxEngines(), limits.maxKeys(), limits.maxQueuePairs());
        this.queuesOffset =
                ControlDescriptor.queuesOffset(limits.maxEngines(), limits.maxKeys(), limits.maxQueuePairs());
        this.queuePairMask = limits.maxQueuePairs() - 1;
        this.slotCount = limits.maxQueuePairs() + limits.maxEngines();
        this.queueEntryLength = ControlDescriptor.queueEntryLength(limits.maxChunksPerQueue());
        this.offersOffset = queuesOffset + limits.maxAppendQueues() * queueEntryLength;
    }

    /**
     * Makes a NIC's control block.
     *
     * @param memory gives the zeroed memory
     * @param nicId 64-bit identity of the NIC
     * @param limits what there is room for
     * @return the block, open
     * @throws IllegalStateException if the provider has a control block already
     */
    public static ControlBlock create(MemoryProvider memory, long nicId, ControlLimits limits) {
        int length = ControlDescriptor.length(limits);
        AtomicBuffer buffer = memory.allocateControl(length);
        ControlBlock block = new ControlBlock(buffer, limits, nicId);
        buffer.putInt(VERSION_OFFSET, VERSION);
        buffer.putInt(LENGTH_OFFSET, length);
        buffer.putLong(NIC_ID_OFFSET, nicId);
        buffer.putLong(PID_OFFSET, ProcessHandle.current().pid());
        buffer.putInt(LIMITS_OFFSET, limits.maxEngines());
        buffer.putInt(LIMITS_OFFSET + 4, limits.maxKeys());
        buffer.putInt(LIMITS_OFFSET + 8, limits.maxQueuePairs());
        buffer.putInt(LIMITS_OFFSET + 12, limits.maxAppendQueues());
        buffer.putInt(LIMITS_OFFSET + 16, limits.maxChunksPerQueue());
        buffer.putInt(TABLES_OFFSET, PARK_OFFSET);
        buffer.putInt(TABLES_OFFSET + 4, block.keysOffset);
        buffer.putInt(TABLES_OFFSET + 8, block.queuePairsOffset);
        buffer.putInt(TABLES_OFFSET + 12, block.slotsOffset);
        buffer.putInt(TABLES_OFFSET + 16, block.queuesOffset);
        buffer.putInt(STATE_OFFSET, STATE_OPEN);
        buffer.putLongVolatile(MAGIC_OFFSET, MAGIC);
        return block;
    }

    /**
     * Reads a control block that another NIC (or an earlier process) has made.
     *
     * @param buffer the block as mapped here
     * @return the block
     * @throws IllegalStateException if it is not one, or of another version, length or layout; names both values
     */
    public static ControlBlock map(AtomicBuffer buffer) {
        if (buffer.capacity() < HEADER_LENGTH) {
            throw new IllegalStateException(
                    "control block of " + buffer.capacity() + " bytes < header of " + HEADER_LENGTH);
        }
        long magic = buffer.getLongVolatile(MAGIC_OFFSET);
        if (magic != MAGIC) {
            throw new IllegalStateException(
                    "control block magic 0x" + Long.toHexString(magic) + ", expected 0x" + Long.toHexString(MAGIC));
        }
        expect("version", buffer.getInt(VERSION_OFFSET), VERSION);
        int length = buffer.getInt(LENGTH_OFFSET);
        if (length > buffer.capacity()) {
            throw new IllegalStateException(
                    "control block length " + length + " > " + buffer.capacity() + " bytes mapped");
        }
        ControlLimits limits;
        try {
            limits = new ControlLimits(
                    buffer.getInt(LIMITS_OFFSET),
                    buffer.getInt(LIMITS_OFFSET + 4),
                    buffer.getInt(LIMITS_OFFSET + 8),
                    buffer.getInt(LIMITS_OFFSET + 12),
                    buffer.getInt(LIMITS_OFFSET + 16));
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("control block limits: " + e.getMessage(), e);
        }
        expect("length", length, ControlDescriptor.length(limits));
        ControlBlock block = new ControlBlock(buffer, limits, buffer.getLong(NIC_ID_OFFSET));
        expect("offset of park words", buffer.getInt(TABLES_OFFSET), PARK_OFFSET);
        expect("offset of keys", buffer.getInt(TABLES_OFFSET + 4), block.keysOffset);
        expect("offset of queue pairs", buffer.getInt(TABLES_OFFSET + 8), block.queuePairsOffset);
        expect("offset of slots", buffer.getInt(TABLES_OFFSET + 12), block.slotsOffset);
        expect("offset of append queues", buffer.getInt(TABLES_OFFSET + 16), block.queuesOffset);
        return block;
    }

    private static void expect(String what, int found, int expected) {
        if (found != expected) {
            throw new IllegalStateException("control block " + what + " " + found + ", expected " + expected);
        }
    }

    /** The block's memory. */
    public AtomicBuffer buffer() {
        return buffer;
    }

    /** What there is room for. */
    public ControlLimits limits() {
        return limits;
    }

    /** Identity of the NIC that owns the block. */
    public long nicId() {
        return nicId;
    }

    /** Process id of the owner. */
    public long pid() {
        return buffer.getLong(PID_OFFSET);
    }

    /** Whether the owner has not closed its NIC in order. */
    public boolean isOpen() {
        return buffer.getIntVolatile(STATE_OFFSET) == STATE_OPEN;
    }

    /** Says that the NIC has closed. */
    public void close() {
        buffer.putIntVolatile(STATE_OFFSET, STATE_CLOSED);
    }

    // ---- park words -------------------------------------------------------------------------------------------------

    /**
     * Says that an engine is about to block. Followed by a full fence: what the caller reads next is read after the
     * word is visible, so the caller looks at its work again and only then blocks.
     *
     * @param engine 0 to maxEngines - 1
     */
    public void setParked(int engine) {
        buffer.putIntVolatile(parkOffset(engine), PARKED);
        VarHandle.fullFence();
    }

    /**
     * As {@link #setParked}, by an engine whose owner consumes nothing that peers write into memory directly: it is
     * woken for packets and doorbells, and a peer that appends or writes spares itself the wake-up.
     *
     * @param engine 0 to maxEngines - 1
     */
    public void setParkedForPackets(int engine) {
        buffer.putIntVolatile(parkOffset(engine), PARKED_FOR_PACKETS);
        VarHandle.fullFence();
    }

    /**
     * Says that an engine runs.
     *
     * @param engine 0 to maxEngines - 1
     */
    public void setRunning(int engine) {
        buffer.putIntRelease(parkOffset(engine), RUNNING);
    }

    /**
     * Whether an engine is parked. The caller has made its work visible by a compare-and-set or a volatile store (which
     * the commit of a direct append is); otherwise use {@link #isParkedFenced}.
     *
     * @param engine 0 to maxEngines - 1
     */
    public boolean isParked(int engine) {
        return buffer.getIntVolatile(parkOffset(engine)) != RUNNING;
    }

    /**
     * A full fence, then {@link #isParked}: for work that was made visible by a release store.
     *
     * @param engine 0 to maxEngines - 1
     */
    public boolean isParkedFenced(int engine) {
        VarHandle.fullFence();
        return isParked(engine);
    }

    /**
     * Whether any engine or guest sleeps that wants to be woken for what peers write directly; as {@link #isParked}.
     */
    public boolean isAnyParked() {
        for (int offset = PARK_OFFSET; offset < parkEnd; offset += LINE) {
            if (buffer.getIntVolatile(offset) == PARKED) {
                return true;
            }
        }
        return false;
    }

    private int parkOffset(int engine) {
        if (engine < 0 || engine >= limits.maxEngines()) {
            throw new IndexOutOfBoundsException("engine " + engine + ", limit " + limits.maxEngines());
        }
        return PARK_OFFSET + engine * LINE;
    }

    // ---- arrivals ---------------------------------------------------------------------------------------------------

    /**
     * Tells an engine that a link of its has something; a number that no link can have does nothing. The caller has
     * made visible what it tells of, and fenced. If the link was marked already this only reads.
     *
     * @param engine 0 to maxEngines - 1
     * @param number of the link at the engine
     */
    public void markArrival(int engine, int number) {
        if (engine < 0 || engine >= limits.maxEngines() || number < 0 || number >= MAX_ANNOUNCING) {
            return; // what a peer has said
        }
        int summary = arrivalsOffset + engine * ARRIVALS_LENGTH;
        int word = number >>> 6;
        setBit(summary + LINE + word * Long.BYTES, 1L << number);
        setBit(summary, 1L << word); // also if the word had the bit: whoever set it may have died before this
    }

    private void setBit(int offset, long bit) {
        long before = buffer.getLongVolatile(offset);
        while ((before & bit) == 0 && !buffer.compareAndSetLong(offset, before, before | bit)) {
            before = buffer.getLongVolatile(offset);
        }
    }

    /**
     * Owner: takes the bits of the words in which arrivals are marked. Costs one read if there are none.
     *
     * @param engine 0 to maxEngines - 1
     */
    public long takeArrivals(int engine) {
        return take(arrivalsOffset + engine * ARRIVALS_LENGTH);
    }

    /**
     * Owner: takes the bits of a word: those of the links with numbers from 64 times its index on.
     *
     * @param engine 0 to maxEngines - 1
     * @param word a bit of {@link #takeArrivals(int)}
     */
    public long takeArrivals(int engine, int word) {
        return take(arrivalsOffset + engine * ARRIVALS_LENGTH + LINE + word * Long.BYTES);
    }

    private long take(int offset) {
        return buffer.getLongVolatile(offset) == 0 ? 0 : buffer.getAndSetLong(offset, 0);
    }

    /** Whether arrivals are marked for an engine. */
    public boolean hasArrivals(int engine) {
        return buffer.getLongVolatile(arrivalsOffset + engine * ARRIVALS_LENGTH) != 0;
    }

    // ---- queue pair words -------------------------------------------------------------------------------------------

    /**
     * A queue pair's word, read with acquire semantics.
     *
     * @param qpNumber queue pair of the owner
     * @return a {@link QueuePairWord}; of whichever queue pair has the number's slot now
     */
    public long qpWord(int qpNumber) {
        return buffer.getLongVolatile(queuePairsOffset + qpSlot(qpNumber) * QP_WORD_LENGTH);
    }

    /** The slot of a queue pair: the low bits of its number, any value; above them it has a generation. */
    public int qpSlot(int qpNumber) {
        return qpNumber & queuePairMask;
    }

    /**
     * Publishes a queue pair's word; owner only. From its first word on, the slot of that number is watched.
     *
     * @param qpNumber queue pair of the owner
     * @param word a {@link QueuePairWord}
     */
    public void setQpWord(int qpNumber, long word) {
        int slot = qpSlot(qpNumber);
        int inUse;
        while ((inUse = buffer.getIntVolatile(SLOTS_IN_USE_OFFSET)) <= slot) {
            if (buffer.compareAndSetInt(SLOTS_IN_USE_OFFSET, inUse, slot + 1)) {
                break;
            }
        }
        buffer.putLongVolatile(queuePairsOffset + slot * QP_WORD_LENGTH, word);
    }

    // ---- in-flight slots --------------------------------------------------------------------------------------------

    /**
     * Publishes that a direct memory operation under a key is in flight, by a compare-and-set that is a full fence too;
     * the queue pair's word and the key are looked at after it.
     *
     * <p>A slot is taken from nobody: an initiator that has stood still since it looked, while the queue pair was given
     * to another, finds that one's operation there, or its own later look says that it is too late. So only one of them
     * writes it.
     *
     * @param qpNumber queue pair of the owner that the operation goes to
     * @param key of the region
     * @return false if another initiator has the slot
     */
    public boolean beginAccess(int qpNumber, int key) {
        int offset = slotOffset(qpSlot(qpNumber)) + SLOT_WORD_OFFSET;
        return buffer.compareAndSetLong(offset, 0, memorySlotWord(key));
    }

    private static long memorySlotWord(int key) {
        return (long) key << 32 | SLOT_MEMORY;
    }

    /**
     * Ends what {@link #beginAccess} began; the operation's stores are visible before.
     *
     * @param qpNumber as there
     */
    public void endAccess(int qpNumber) {
        buffer.putLongRelease(slotOffset(qpSlot(qpNumber)) + SLOT_WORD_OFFSET, 0);
    }

    /** Index of an engine's own slot, behind those of the queue pairs: for appends by the owner. */
    public int ownerSlot(int engine) {
        parkOffset(engine);
        return limits.maxQueuePairs() + engine;
    }

    /** Number of slots: queue pairs and engines. */
    public int slotCount() {
        return slotCount;
    }

    /**
     * Offset of a slot.
     *
     * @param slot 0 to {@link #slotCount} - 1, checked
     */
    public int slotOffset(int slot) {
        if (slot < 0 || slot >= slotCount) {
            throw new IndexOutOfBoundsException("slot " + slot + ", limit " + slotCount);
        }
        return slotsOffset + slot * SLOT_LENGTH;
    }

    /** Number of queue pair slots that may be in use; the engines' slots come on top. */
    public int slotsInUse() {
        return Math.max(0, Math.min(buffer.getIntVolatile(SLOTS_IN_USE_OFFSET), limits.maxQueuePairs()));
    }

    /**
     * Whether nothing is in flight under a slot.
     *
     * @param slot 0 to {@link #slotCount} - 1
     */
    public boolean isSlotIdle(int slot) {
        return buffer.getLongVolatile(slotOffset(slot) + SLOT_WORD_OFFSET) == 0;
    }

    /**
     * Whether some direct operation is in flight under a key. The caller has invalidated the key and fenced.
     *
     * @param key of the region
     */
    public boolean isKeyInFlight(int key) {
        int end = slotsOffset + slotsInUse() * SLOT_LENGTH;
        long word = memorySlotWord(key);
        for (int offset = slotsOffset; offset < end; offset += SLOT_LENGTH) {
            if (buffer.getLongVolatile(offset + SLOT_WORD_OFFSET) == word) {
                return true;
            }
        }
        return false;
    }

    // ---- tables -----------------------------------------------------------------------------------------------------

    /**
     * Offset of a key entry.
     *
     * @param index 0 to maxKeys - 1; not checked here
     */
    public int keyOffset(int index) {
        return keysOffset + index * KEY_ENTRY_LENGTH;
    }

    /**
     * Offset of an append queue's entry.
     *
     * @param queueId 0 to maxAppendQueues - 1; not checked here
     */
    public int queueOffset(int queueId) {
        return queuesOffset + queueId * queueEntryLength;
    }

    /**
     * Offset of an offered chunk.
     *
     * @param offer 0 to {@link ControlDescriptor#OFFERS_PER_LENGTH} x {@link ControlDescriptor#OFFER_LENGTHS} - 1; not
     *     checked here
     */
    public int offerOffset(int offer) {
        return offersOffset + offer * OFFER_LENGTH;
    }
}

package io.verbena.nic.memory;

/**
 * Layout of a NIC's control block: what its peers on the direct path must see of it. All fields are little-endian (the
 * byte order of every machine the NIC runs on) and naturally aligned; offsets of the tables follow from the limits and
 * stand in the header too, so that a peer can refuse a block that it would read differently.
 *
 * <pre>
 *   +----------------------------------------------------------------+ 0
 *   | header: magic, version, length, NIC id, pid, limits, offsets    |  256 bytes
 *   +----------------------------------------------------------------+ 256
 *   | park words: one line of 128 bytes an engine                     |
 *   +----------------------------------------------------------------+ arrivals
 *   | arrivals: 640 bytes an engine                                   |
 *   +----------------------------------------------------------------+ keys
 *   | key table: 64 bytes a region                                    |
 *   +----------------------------------------------------------------+ queue pairs
 *   | queue pair words: 8 bytes a queue pair number                   |
 *   +----------------------------------------------------------------+ in-flight slots
 *   | slots: 64 bytes a queue pair number, then one for each engine   |
 *   +----------------------------------------------------------------+ append queues
 *   | tail-pointer table: 512 bytes + 16 a chunk, for each queue      |
 *   +----------------------------------------------------------------+ offers
 *   | chunks that direct initiators may take: 16 bytes each           |
 *   +----------------------------------------------------------------+
 *
 *   header
 *    0        8       12       16       24       32      36      40      44      48      52      56     60
 *   +--------+-------+--------+--------+--------+-------+-------+-------+-------+-------+-------+-------+
 *   | magic  |version| length | NIC id |  pid   |engines| keys  |  QPs  |queues |chunks | state | slots |
 *   +--------+-------+--------+--------+--------+-------+-------+-------+-------+-------+-------+-------+
 *   64      68      72      76      80
 *   +-------+-------+-------+-------+-------+
 *   | parks | keys  |  QPs  | slots |queues |  offsets of the tables
 *   +-------+-------+-------+-------+-------+
 *   "slots" (60) is how many slots may be in use: the highest queue pair number that ever was, plus one.
 *
 *   key entry                                    a reader takes the key first and last
 *    0      4        8         12    16              24       32
 *   +------+--------+---------+-----+---------------+--------+
 *   | key  | access | segment | PD  | segment offset| length |   key 0: free or being changed
 *   +------+--------+---------+-----+---------------+--------+
 *
 *   arrivals of an engine: a bit for each link that has something for it; set by the link's peer
 *    0                       128
 *   +-----------------------+---------------------------------------------+
 *   | a bit a word, 8 bytes | 64 words of 64 bits: bit n is link number n |
 *   +-----------------------+---------------------------------------------+
 *
 *   in-flight slot: belongs to the direct initiator whose peer that queue pair is, from its compare-and-set of the
 *   second word from 0 on
 *    0                       8
 *   +-----------------------+---------------------------------------------+
 *   | claim of an append    | kind (4 bits) queue (20) - (8) length (32)  |   0 in the second word: idle
 *   +-----------------------+---------------------------------------------+
 *   of a memory operation the second word is kind (4 bits) - (28) key (32)
 *
 *   offer: written by the owner, and from offered to taken by a compare-and-set of a direct initiator
 *    0                                                     8             12
 *   +-----------------------------------------------------+-------------+
 *   | 0 empty; 01 generation (23): offered;                | segment (4) |
 *   | 1 queue (31) sequence (32): that queue's chunk        |             |
 *   +-----------------------------------------------------+-------------+
 * </pre>
 */
public final class ControlDescriptor {
    /** {@code VERBENA1} in ASCII, read as a little-endian long. */
    public static final long MAGIC = 0x31414E4542524556L;

    /** Version of this layout; a peer with another one is refused. */
    public static final int VERSION = 7;

    /** Largest control block in bytes. */
    public static final int MAX_LENGTH = 1 << 30;

    /** Two cache lines: what the adjacent-line prefetcher takes together. */
    public static final int LINE = 128;

    /** Bytes of the header. */
    public static final int HEADER_LENGTH = 256;

    /** Offset of the magic number (8 bytes), written last. */
    public static final int MAGIC_OFFSET = 0;

    /** Offset of the layout version. */
    public static final int VERSION_OFFSET = 8;

    /** Offset of the block's length in bytes. */
    public static final int LENGTH_OFFSET = 12;

    /** Offset of the NIC's 64-bit identity. */
    public static final int NIC_ID_OFFSET = 16;

    /** Offset of the owner's process id (8 bytes). */
    public static final int PID_OFFSET = 24;

    /** Offset of the five limits, 4 bytes each, in the order of {@link ControlLimits}. */
    public static final int LIMITS_OFFSET = 32;

    /** Offset of the NIC's state word. */
    public static final int STATE_OFFSET = 52;

    /** Offset of the number of slots that may be in use. */
    public static final int SLOTS_IN_USE_OFFSET = 60;

    /** Offset of the five table offsets, 4 bytes each. */
    public static final int TABLES_OFFSET = 64;

    /** State word: the NIC is open. */
    public static final int STATE_OPEN = 1;

    /** State word: the NIC has closed in order. */
    public static final int STATE_CLOSED = 2;

    /** Offset of the first park word. */
    public static final int PARK_OFFSET = HEADER_LENGTH;

    /** Links of an engine that can announce what arrives. */
    public static final int MAX_ANNOUNCING = 4096;

    /** Bytes of an engine's arrivals: a line with the summary, and a bit a link. */
    public static final int ARRIVALS_LENGTH = LINE + MAX_ANNOUNCING / Byte.SIZE;

    /** Bytes of a key entry. */
    public static final int KEY_ENTRY_LENGTH = 64;

    /** In a key entry: the key, 0 if none. */
    public static final int KEY_OFFSET = 0;

    /** In a key entry: access flags. */
    public static final int KEY_ACCESS_OFFSET = 4;

    /** In a key entry: segment id, -1 if peers cannot map it. */
    public static final int KEY_SEGMENT_OFFSET = 8;

    /** In a key entry: protection domain. */
    public static final int KEY_PD_OFFSET = 12;

    /** In a key entry: offset of the region in its segment (8 bytes). */
    public static final int KEY_SEGMENT_POSITION_OFFSET = 16;

    /** In a key entry: length of the region (8 bytes). */
    public static final int KEY_LENGTH_OFFSET = 24;

    /** Bytes of a queue pair word. */
    public static final int QP_WORD_LENGTH = 8;

    /** Bytes of an in-flight slot. */
    public static final int SLOT_LENGTH = 64;

    /** In a slot: the tail word that an append expects. */
    public static final int SLOT_SUBJECT_OFFSET = 0;

    /** In a slot: kind, and queue and length or key; 0 is idle. */
    public static final int SLOT_WORD_OFFSET = 8;

    /** Slot kind: a WRITE, READ or atomic under a memory key. */
    public static final int SLOT_MEMORY = 1;

    /** Slot kind: an append whose record lies at the tail word in the slot. */
    public static final int SLOT_APPEND = 2;

    /** Slot kind: an append whose record begins the chunk after the tail word in the slot. */
    public static final int SLOT_ROLL = 3;

    /** Mask of the kind proper. */
    public static final int SLOT_KIND_MASK = 3;

    /** Bit beside the kind: the claim has succeeded; set before the payload is touched. */
    public static final int SLOT_CLAIMED = 4;

    /** In place of a kind: an initiator has the slot, and nothing in flight yet. */
    public static final int SLOT_HELD = 8;

    /** Bytes of a queue's entry before its chunk table. */
    public static final int QUEUE_FIXED_LENGTH = 4 * LINE;

    /** Bytes of a chunk table entry. */
    public static final int CHUNK_ENTRY_LENGTH = 16;

    /** Bytes of an offer. */
    public static final int OFFER_LENGTH = 16;

    /** In an offer: what it is, 8 bytes. */
    public static final int OFFER_WORD_OFFSET = 0;

    /** In an offer: segment id of the chunk. */
    public static final int OFFER_SEGMENT_OFFSET = 8;

    /** Chunks of one length that are offered at a time. */
    public static final int OFFERS_PER_LENGTH = 32;

    /** Lengths that chunks may have. */
    public static final int OFFER_LENGTHS = 11;

    private ControlDescriptor() {}

    /**
     * Bytes of one queue's entry in the tail-pointer table.
     *
     * @param maxChunks chunks in its chunk table
     */
    public static int queueEntryLength(int maxChunks) {
        return align(QUEUE_FIXED_LENGTH + maxChunks * CHUNK_ENTRY_LENGTH);
    }

    static int arrivalsOffset(int maxEngines) {
        return PARK_OFFSET + maxEngines * LINE;
    }

    static int keysOffset(int maxEngines) {
        return arrivalsOffset(maxEngines) + maxEngines * ARRIVALS_LENGTH;
    }

    static int queuePairsOffset(int maxEngines, int maxKeys) {
        return keysOffset(maxEngines) + maxKeys * KEY_ENTRY_LENGTH;
    }

    static int slotsOffset(int maxEngines, int maxKeys, int maxQueuePairs) {
        return align(queuePairsOffset(maxEngines, maxKeys) + maxQueuePairs * QP_WORD_LENGTH);
    }

    static int queuesOffset(int maxEngines, int maxKeys, int maxQueuePairs) {
        return align(slotsOffset(maxEngines, maxKeys, maxQueuePairs) + (maxQueuePairs + maxEngines) * SLOT_LENGTH);
    }

    static long offersOffset(int maxEngines, int maxKeys, int maxQueuePairs, int maxAppendQueues, int maxChunks) {
        return queuesOffset(maxEngines, maxKeys, maxQueuePairs) + (long) maxAppendQueues * queueEntryLength(maxChunks);
    }

    static long length(int maxEngines, int maxKeys, int maxQueuePairs, int maxAppendQueues, int maxChunks) {
        return offersOffset(maxEngines, maxKeys, maxQueuePairs, maxAppendQueues, maxChunks)
                + OFFER_LENGTHS * OFFERS_PER_LENGTH * OFFER_LENGTH;
    }

    /**
     * Bytes of a control block with the given limits.
     *
     * @param limits of the NIC
     */
    public static int length(ControlLimits limits) {
        return (int) length(
                limits.maxEngines(),
                limits.maxKeys(),
                limits.maxQueuePairs(),
                limits.maxAppendQueues(),
                limits.maxChunksPerQueue());
    }

    private static int align(int length) {
        return (length + LINE - 1) & -LINE;
    }
}

package io.verbena.nic.append;

import static io.verbena.nic.memory.ControlDescriptor.CHUNK_ENTRY_LENGTH;
import static io.verbena.nic.memory.ControlDescriptor.LINE;
import static io.verbena.nic.memory.ControlDescriptor.QUEUE_FIXED_LENGTH;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_KIND_MASK;

/**
 * Layout of an append queue's entry in the tail-pointer table (RIMA 3.2), which lies in the control block.
 *
 * <pre>
 *      0      4              8             12             16       20   24           28       32             40
 *     +------+--------------+-------------+--------------+--------+----+------------+--------+--------------+------+
 *     | key  | chunk length | max message | record limit | engine | PD | chunk mask | shares | memory limit | lent |
 *     +------+--------------+-------------+--------------+--------+----+------------+--------+--------------+------+
 *  128| tail                                                                        |   changed by everyone
 *     +-----------------------------------------------------------------------------+
 *  256| head | records | bytes | next sequence | whether the engine takes them (4)  |   the consumer's
 *     +-----------------------------------------------------------------------------+
 *  384| RNRs | watermark crossings | holes | padding | allocations | footprint | high-water mark |
 *  440| resets | releases | held records | held bytes | starved |
 *     +-----------------------------------------------------------------------------+
 *  480| wanted offers: 4 words, of the sequence s at s mod 4                         |   changed by everyone
 *     +-----------------------------------------------------------------------------+
 *  512| chunk table: {sequence (4), segment (4), offset in the segment (8)}, ...      |
 *     +-----------------------------------------------------------------------------+
 *
 *   tail, head:  63        sequence of the chunk        32 31      offset in the chunk      0
 *   lent:        63  sequence before which is lent       32 31  0 nothing, LENT, LENT_TO_RESTING 0
 *   wanted:      63        sequence of the chunk        32 31   offer   23 22 its generation  0, or -1: closed
 * </pre>
 *
 * The sequence only ever grows (modulo 2^32), also over destruction and creation of a queue under the same id, so a
 * word never comes twice and a compare-and-set of the tail cannot succeed by accident. An offset of -1 in the tail says
 * that the queue is gone. Chunk {@code s} is announced when the entry at {@code s & mask} holds the sequence {@code s}.
 */
public final class AppendQueueDescriptor {
    /** Offset of the key, 0 if there is no queue. */
    public static final int KEY_OFFSET = 0;

    /** Offset of the length of a chunk. */
    public static final int CHUNK_LENGTH_OFFSET = 4;

    /** Offset of the largest message in bytes. */
    public static final int MAX_MESSAGE_OFFSET = 8;

    /** Offset of the largest payload that goes into a chunk; longer messages get a mapping of their own. */
    public static final int RECORD_LIMIT_OFFSET = 12;

    /** Offset of the index of the engine whose work wakes the consumer. */
    public static final int ENGINE_OFFSET = 16;

    /** Offset of the protection domain. */
    public static final int PD_OFFSET = 20;

    /** Offset of the number of chunk table entries less one. */
    public static final int CHUNK_MASK_OFFSET = 24;

    /** Offset of the word that is not 0 while the queue takes chunks from the reserve that the NIC's queues share. */
    public static final int SHARES_RESERVE_OFFSET = 28;

    /** Offset of the most bytes that may be mapped (8 bytes). */
    public static final int MEMORY_LIMIT_OFFSET = 32;

    /** Offset of the word that says for which sequences direct initiators may take offered chunks (8 bytes). */
    public static final int LENT_OFFSET = 40;

    /** Offset of the tail word. */
    public static final int TAIL_OFFSET = LINE;

    /** Offset of the head word. */
    public static final int HEAD_OFFSET = 2 * LINE;

    /** Offset of the number of messages consumed (8 bytes). */
    public static final int RECORDS_OFFSET = HEAD_OFFSET + 8;

    /** Offset of the number of payload bytes consumed (8 bytes). */
    public static final int BYTES_OFFSET = HEAD_OFFSET + 16;

    /** Offset of the sequence that the next queue under this id begins with. */
    public static final int NEXT_SEQUENCE_OFFSET = HEAD_OFFSET + 24;

    /** Offset of the word that is not 0 while the thread of the queue's engine takes its messages (4 bytes). */
    public static final int TAKEN_BY_ENGINE_OFFSET = HEAD_OFFSET + 32;

    /** Offset of the number of appends that were answered RNR (8 bytes, like all counters that follow). */
    public static final int RNR_OFFSET = 3 * LINE;

    /** Offset of the number of times that free space fell below the low watermark. */
    public static final int WATERMARK_OFFSET = RNR_OFFSET + 8;

    /** Offset of the number of claims of stalled or dead initiators that were turned into padding. */
    public static final int HOLES_OFFSET = RNR_OFFSET + 16;

    /** Offset of the number of bytes of padding consumed. */
    public static final int PADDING_OFFSET = RNR_OFFSET + 24;

    /** Offset of the number of mappings allocated. */
    public static final int ALLOCATIONS_OFFSET = RNR_OFFSET + 32;

    /** Offset of the number of bytes mapped now. */
    public static final int FOOTPRINT_OFFSET = RNR_OFFSET + 40;

    /** Offset of the most bytes that were mapped at a time. */
    public static final int HIGH_WATER_OFFSET = RNR_OFFSET + 48;

    /** Offset of the number of times that the empty queue started at the top of a clean chunk. */
    public static final int RESETS_OFFSET = RNR_OFFSET + 56;

    /** Offset of the number of mappings given back. */
    public static final int RELEASES_OFFSET = RNR_OFFSET + 64;

    /** Offset of the number of records taken and not released. */
    public static final int HELD_RECORDS_OFFSET = RNR_OFFSET + 72;

    /** Offset of the number of bytes of records taken and not released. */
    public static final int HELD_BYTES_OFFSET = RNR_OFFSET + 80;

    /** Offset of the word that is not 0 while memory has been refused for long and no consumer can give any back. */
    public static final int STARVED_OFFSET = RNR_OFFSET + 88;

    /** Offset of the words that say which offer a sequence is to get (8 bytes each). */
    public static final int WANTED_OFFSET = RNR_OFFSET + 96;

    /** Words of wanted offers: so many sequences ahead of the announced ones can be taken. */
    public static final int WANTED = 4;

    /** Offset of the chunk table. */
    public static final int CHUNKS_OFFSET = QUEUE_FIXED_LENGTH;

    /** In a chunk entry: sequence. */
    public static final int CHUNK_SEQUENCE_OFFSET = 0;

    /** In a chunk entry: segment id. */
    public static final int CHUNK_SEGMENT_OFFSET = 4;

    /** In a chunk entry: offset in the segment. */
    public static final int CHUNK_POSITION_OFFSET = 8;

    /** Offset in a tail word that says that the queue is gone. */
    static final int GONE = -1;

    private AppendQueueDescriptor() {}

    static int chunkEntry(int queueOffset, int sequence, int mask) {
        return queueOffset + CHUNKS_OFFSET + (sequence & mask) * CHUNK_ENTRY_LENGTH;
    }

    static long position(int sequence, int offset) {
        return ((long) sequence << 32) | (offset & 0xFFFF_FFFFL);
    }

    static int sequence(long position) {
        return (int) (position >>> 32);
    }

    static int offset(long position) {
        return (int) position;
    }

    /** Bytes from one position to a later one. */
    static long distance(long from, long to, int chunkLength) {
        return (long) (sequence(to) - sequence(from)) * chunkLength + offset(to) - offset(from);
    }

    /** The second word of an in-flight slot; layout in {@link io.verbena.nic.memory.ControlDescriptor}. */
    static long slotWord(int kind, int queueId, int alignedLength) {
        return kind | ((long) queueId << 4) | ((long) alignedLength << 32);
    }

    static int slotKind(long slotWord) {
        return (int) slotWord & SLOT_KIND_MASK;
    }

    static int slotQueue(long slotWord) {
        return (int) (slotWord >>> 4) & 0xFFFFF;
    }

    static int slotLength(long slotWord) {
        return (int) (slotWord >>> 32);
    }
}

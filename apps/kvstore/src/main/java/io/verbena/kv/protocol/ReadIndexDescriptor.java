package io.verbena.kv.protocol;

import java.nio.ByteOrder;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Layout of a shard's read index: the region in which it publishes strings, for clients that read them by one RDMA READ
 * (the one-sided GET of DRUM, fig. 15). A table of sets; a key belongs to one set, and its entry lies in any slot of
 * it. Little-endian.
 *
 * <pre>
 *   region                                  set: {@value #WAYS} slots, one READ
 *   +------------------------------+        +--------+--------+--------+--------+
 *  0| magic (8)                    |        | slot 0 | slot 1 | slot 2 | slot 3 |
 *  8| layout version (4)           |        +--------+--------+--------+--------+
 * 12| slot length (4), a power of 2|
 * 16| log2 of the sets (4)         |        slot
 * 20| zeros, up to 64              |        +------------------------------------+
 *   +------------------------------+       0| version (8): 0 free, odd: changes  |
 * 64| set 0                        |       8| checksum (8) of what follows       |
 *   +------------------------------+      16| database (2) | length of key (2)   |
 *   | set 1                       ...     20| length of value (4)                |
 *                                         24| key, and the value behind it       |
 *                                           +------------------------------------+
 * </pre>
 *
 * <p>The shard alone writes, and it gives each entry that it publishes a version that no entry of the region had
 * before. A READ copies in any order while the shard writes, so a copy may mix several states of a slot. The checksum
 * (XXH64) is seeded with the version: a copy whose version is even, not 0 and fits its checksum is what the slot held
 * when its version was read, and anything else is refused. Chance lets a mixed copy pass once in 2^64.
 *
 * <p>Static; thread-safe.
 */
public final class ReadIndexDescriptor {
    /** Name of the region on a shard's node. */
    public static final String REGION = "read-index";
    /** First 8 bytes of the region. */
    public static final long MAGIC = 0x5844_4956_4b42_5256L;
    /** Version of the layout that this code writes and reads. */
    public static final int LAYOUT_VERSION = 1;
    /** Slots of a set. */
    public static final int WAYS = 4;
    /** Least length of a slot in bytes. */
    public static final int MIN_SLOT_LENGTH = 64;
    /** Greatest length of a slot in bytes: a READ is {@value #WAYS} times as long. */
    public static final int MAX_SLOT_LENGTH = 4096;
    /** Bytes before the first set. */
    public static final int HEADER_LENGTH = 64;
    /** Greatest log2 of the sets. */
    public static final int MAX_SETS_BITS = 24;

    /** Offset of the version in a slot, i64. */
    public static final int VERSION_OFFSET = 0;
    /** Offset of the checksum in a slot, i64. */
    public static final int CHECKSUM_OFFSET = 8;
    /** Offset of the key in a slot; the value follows it. */
    public static final int KEY_OFFSET = 24;
    /** Version of a slot that holds nothing. */
    public static final long FREE = 0;

    private static final int LAYOUT_VERSION_OFFSET = 8;
    private static final int SLOT_LENGTH_OFFSET = 12;
    private static final int SETS_BITS_OFFSET = 16;
    private static final int DATABASE_OFFSET = 16;
    private static final int KEY_LENGTH_OFFSET = 18;
    private static final int VALUE_LENGTH_OFFSET = 20;

    private ReadIndexDescriptor() {}

    // ---- region -----------------------------------------------------------------------------------------------------

    /**
     * The address of a shard's index.
     *
     * @param shard address of the inbox to which the shard's requests go
     */
    public static String addressOf(String shard) {
        return shard.substring(0, shard.lastIndexOf('/') + 1) + REGION;
    }

    /**
     * How many sets fit.
     *
     * @param bytes of the region at most
     * @param slotLength in bytes, a power of two
     * @return log2 of their number; negative if there is no room for one
     */
    public static int setsBits(long bytes, int slotLength) {
        long sets = (bytes - HEADER_LENGTH) / ((long) slotLength * WAYS);
        return sets < 1 ? -1 : Math.min(MAX_SETS_BITS, Long.SIZE - 1 - Long.numberOfLeadingZeros(sets));
    }

    /** Bytes of a region. */
    public static long regionLength(int setsBits, int slotLength) {
        return HEADER_LENGTH + (((long) slotLength * WAYS) << setsBits);
    }

    /** Writes the header of a region. */
    public static void putHeader(MutableDirectBuffer region, int setsBits, int slotLength) {
        region.putInt(LAYOUT_VERSION_OFFSET, LAYOUT_VERSION, ByteOrder.LITTLE_ENDIAN);
        region.putInt(SLOT_LENGTH_OFFSET, slotLength, ByteOrder.LITTLE_ENDIAN);
        region.putInt(SETS_BITS_OFFSET, setsBits, ByteOrder.LITTLE_ENDIAN);
        region.putLong(0, MAGIC, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Checks a header that was read.
     *
     * @param header the first {@link #HEADER_LENGTH} bytes of a region
     * @param length of the region in bytes
     * @throws ProtocolException if it is no such region, of another version, or of another length; names both values
     */
    public static void checkHeader(DirectBuffer header, long length) {
        long magic = header.getLong(0, ByteOrder.LITTLE_ENDIAN);
        if (magic != MAGIC) {
            throw new ProtocolException(
                    "read index has magic " + Long.toHexString(magic) + ", not " + Long.toHexString(MAGIC));
        }
        int version = header.getInt(LAYOUT_VERSION_OFFSET, ByteOrder.LITTLE_ENDIAN);
        if (version != LAYOUT_VERSION) {
            throw new ProtocolException("read index has layout version " + version + ", this side " + LAYOUT_VERSION);
        }
        int slotLength = slotLength(header);
        int setsBits = setsBits(header);
        if (slotLength < MIN_SLOT_LENGTH || slotLength > MAX_SLOT_LENGTH || !BitUtil.isPowerOfTwo(slotLength)) {
            throw new ProtocolException("read index has slots of " + slotLength + " bytes, not a power of two in "
                    + MIN_SLOT_LENGTH + " to " + MAX_SLOT_LENGTH);
        }
        if (setsBits < 0 || setsBits > MAX_SETS_BITS || regionLength(setsBits, slotLength) > length) {
            throw new ProtocolException("read index of " + length + " bytes has 2^" + setsBits + " sets of " + WAYS
                    + " slots of " + slotLength + " bytes");
        }
    }

    /** Bytes of a slot, as a header says. */
    public static int slotLength(DirectBuffer header) {
        return header.getInt(SLOT_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** Log2 of the sets, as a header says. */
    public static int setsBits(DirectBuffer header) {
        return header.getInt(SETS_BITS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** The set of a key, from 0. */
    public static int setOf(int database, DirectBuffer key, int offset, int length, int setsBits) {
        return (int) (XxHash64.hash(key, offset, length, database) & ((1L << setsBits) - 1));
    }

    /** Offset of a slot in its region; slots are counted through all sets. */
    public static long slotOffset(int slot, int slotLength) {
        return HEADER_LENGTH + (long) slot * slotLength;
    }

    // ---- slots ------------------------------------------------------------------------------------------------------

    /** Whether key and value fit into a slot together. */
    public static boolean fits(long keyLength, long valueLength, int slotLength) {
        return keyLength + valueLength <= slotLength - KEY_OFFSET;
    }

    /**
     * Fills a slot, all but its version.
     *
     * @param region that holds the slot
     * @param slot its offset
     * @param version under which it will be published: even and not {@link #FREE}
     */
    public static void putEntry(
            UnsafeBuffer region,
            int slot,
            long version,
            int database,
            DirectBuffer key,
            int keyOffset,
            int keyLength,
            DirectBuffer value,
            int valueOffset,
            int valueLength) {
        region.putShort(slot + DATABASE_OFFSET, (short) database, ByteOrder.LITTLE_ENDIAN);
        region.putShort(slot + KEY_LENGTH_OFFSET, (short) keyLength, ByteOrder.LITTLE_ENDIAN);
        region.putInt(slot + VALUE_LENGTH_OFFSET, valueLength, ByteOrder.LITTLE_ENDIAN);
        region.putBytes(slot + KEY_OFFSET, key, keyOffset, keyLength);
        region.putBytes(slot + KEY_OFFSET + keyLength, value, valueOffset, valueLength);
        region.putLong(
                slot + CHECKSUM_OFFSET,
                checksum(region, slot, version, keyLength, valueLength),
                ByteOrder.LITTLE_ENDIAN);
    }

    private static long checksum(DirectBuffer buffer, int slot, long version, int keyLength, int valueLength) {
        return XxHash64.hash(
                buffer, slot + DATABASE_OFFSET, KEY_OFFSET - DATABASE_OFFSET + keyLength + valueLength, version);
    }

    /**
     * Whether a copy of a slot is of a key: cheap, and to be believed only together with {@link #isWhole}.
     *
     * @param copy holds the slot
     * @param slot its offset
     */
    public static boolean isOf(
            DirectBuffer copy, int slot, int database, DirectBuffer key, int keyOffset, int keyLength) {
        if ((copy.getShort(slot + DATABASE_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xffff) != database
                || (copy.getShort(slot + KEY_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xffff) != keyLength) {
            return false;
        }
        int at = slot + KEY_OFFSET;
        int i = 0;
        for (; i <= keyLength - Long.BYTES; i += Long.BYTES) {
            if (copy.getLong(at + i) != key.getLong(keyOffset + i)) {
                return false;
            }
        }
        for (; i < keyLength; i++) {
            if (copy.getByte(at + i) != key.getByte(keyOffset + i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a copy of a slot is an entry as it was published, and no mixture. */
    public static boolean isWhole(DirectBuffer copy, int slot, int slotLength) {
        long version = version(copy, slot);
        int keyLength = copy.getShort(slot + KEY_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xffff;
        int valueLength = valueLength(copy, slot);
        return version != FREE
                && (version & 1) == 0
                && valueLength >= 0
                && fits(keyLength, valueLength, slotLength)
                && copy.getLong(slot + CHECKSUM_OFFSET, ByteOrder.LITTLE_ENDIAN)
                        == checksum(copy, slot, version, keyLength, valueLength);
    }

    /** Version of a slot. */
    public static long version(DirectBuffer copy, int slot) {
        return copy.getLong(slot + VERSION_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /** Bytes of a slot's value. */
    public static int valueLength(DirectBuffer copy, int slot) {
        return copy.getInt(slot + VALUE_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }
}

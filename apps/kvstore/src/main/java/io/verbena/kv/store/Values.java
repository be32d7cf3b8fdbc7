package io.verbena.kv.store;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The structures that values are made of, and what can be done with a value of any type: release, copy, flatten,
 * measure.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class Values {
    /** What {@link #freePart} returns when nothing is left. */
    static final long FREED = -1;

    /** Larger structures are freed piece by piece. */
    private static final int MAX_FREED_AT_ONCE = 64;

    private final Memory memory;
    private final StringBlock strings;
    private final QuickList lists;
    private final PackedList packedLists;
    private final IntegerSet integerSets;
    private final Dictionary members;
    private final SetValue sets;
    private final HashValue hashes;
    private final SortedSetValue sortedSets;
    private final Reclaimer reclaimer;
    private @Nullable Overflow overflow;

    Values(Memory memory, Allocator allocator, SipHash hash, SplittableRandom random, Dictionary keys) {
        this.memory = memory;
        strings = new StringBlock(memory, allocator);
        lists = new QuickList(memory, allocator);
        packedLists = new PackedList(memory, allocator);
        integerSets = new IntegerSet(memory, allocator);
        members = new Dictionary(memory, allocator, hash, 0);
        sets = newSetValue();
        Dictionary valued = new Dictionary(memory, allocator, hash, Long.BYTES);
        hashes = new HashValue(memory, packedLists, valued, strings);
        sortedSets = new SortedSetValue(memory, packedLists, valued, new SkipList(memory, allocator, valued, random));
        reclaimer = new Reclaimer(this, keys);
    }

    /** Says where values are that are out; none is before. */
    void overflow(@Nullable Overflow where) {
        overflow = where;
    }

    private Overflow remote() {
        Overflow known = overflow;
        if (known == null) {
            throw new IllegalStateException("a value is out, but there is no overflow");
        }
        return known;
    }

    StringBlock strings() {
        return strings;
    }

    QuickList lists() {
        return lists;
    }

    PackedList packedLists() {
        return packedLists;
    }

    SetValue sets() {
        return sets;
    }

    /** Another view of sets, with a position of its own. */
    SetValue newSetValue() {
        return new SetValue(memory, integerSets, members);
    }

    HashValue hashes() {
        return hashes;
    }

    SortedSetValue sortedSets() {
        return sortedSets;
    }

    Reclaimer reclaimer() {
        return reclaimer;
    }

    /** Releases the value of a key. */
    void releaseOf(long entry) {
        release(
                memory.getByte(entry + Keyspace.TYPE),
                memory.getByte(entry + Keyspace.ENCODING),
                memory.getLong(entry + Dictionary.VALUE));
    }

    /** Releases a value: at once if it is small, else by the reclaimer. */
    void release(byte type, byte encoding, long value) {
        switch (encoding) {
            case ValueType.INT -> {}
            case ValueType.REMOTE -> remote().free(value);
            case ValueType.EMBSTR, ValueType.RAW -> strings.free(value);
            case ValueType.LISTPACK -> packedLists.free(value);
            case ValueType.INTSET -> sets.freeIntegers(value);
            default -> {
                if (blocks(type, value) > MAX_FREED_AT_ONCE) {
                    reclaimer.value(type, value);
                    return;
                }
                for (long progress = 0; progress != FREED; ) {
                    progress = freePart(type, value, progress);
                }
            }
        }
    }

    /** About how many blocks a value has that is a structure of many. */
    private int blocks(byte type, long value) {
        return switch (type) {
            case ValueType.LIST -> lists.nodes(value);
            case ValueType.SET -> sets.size(ValueType.HASHTABLE, value);
            case ValueType.HASH -> hashes.size(ValueType.HASHTABLE, value);
            case ValueType.SORTED_SET -> sortedSets.size(ValueType.SKIPLIST, value);
            default -> throw new IllegalStateException("type " + type);
        };
    }

    /**
     * Frees a part of a value that is a structure of many blocks.
     *
     * @param progress 0 to start, else what the last call returned
     * @return how far it has come, or {@link #FREED}
     */
    long freePart(byte type, long value, long progress) {
        return switch (type) {
            case ValueType.LIST -> lists.freePart(value, progress);
            case ValueType.SET -> sets.freePart(value, progress);
            case ValueType.HASH -> hashes.freePart(value, progress);
            case ValueType.SORTED_SET -> sortedSets.freePart(value, progress);
            default -> throw new IllegalStateException("type " + type);
        };
    }

    /** Copies a value; returns the copy. */
    long copy(byte type, byte encoding, long value) {
        return switch (type) {
            case ValueType.STRING -> encoding == ValueType.INT ? value : strings.copy(value);
            case ValueType.LIST -> lists.copy(value);
            case ValueType.SET -> sets.copy(encoding, value);
            case ValueType.HASH -> hashes.copy(encoding, value);
            case ValueType.SORTED_SET -> sortedSets.copy(encoding, value);
            default -> throw new IllegalStateException("type " + type);
        };
    }

    /**
     * Appends a value that is a structure of many blocks to a flat one.
     *
     * @return false if it has no room there
     */
    boolean flatten(byte type, long value, FlatValue to) {
        return switch (type) {
            case ValueType.LIST -> lists.flatten(value, to);
            case ValueType.SET -> sets.flatten(value, to);
            case ValueType.HASH -> hashes.flatten(value, to);
            case ValueType.SORTED_SET -> sortedSets.flatten(value, to);
            default -> throw new IllegalStateException("type " + type);
        };
    }

    /**
     * Makes a structure of many blocks of a flat value; returns it.
     *
     * @throws AllocationFailedException if there is no memory for it; none of it is left then
     */
    long restore(byte type, FlatValue from) {
        return switch (type) {
            case ValueType.LIST -> lists.restore(from);
            case ValueType.SET -> sets.restore(from);
            case ValueType.HASH -> hashes.restore(from);
            case ValueType.SORTED_SET -> sortedSets.restore(from);
            default -> throw new IllegalStateException("type " + type);
        };
    }

    /** Where the bytes begin in a value that is one block, and is moved. */
    static int blockHeader(byte encoding) {
        return encoding == ValueType.LISTPACK || encoding == ValueType.INTSET ? 0 : StringBlock.BYTES;
    }

    /** Bytes of a value that is one block, behind the {@linkplain #blockHeader header}. */
    int blockLength(byte encoding, long block) {
        return switch (encoding) {
            case ValueType.EMBSTR, ValueType.RAW -> strings.length(block);
            case ValueType.LISTPACK -> packedLists.end(block);
            case ValueType.INTSET -> integerSets.length(block);
            default -> throw new IllegalStateException("encoding " + encoding);
        };
    }

    /** Elements of a value that is a structure of many blocks. */
    int elements(byte type, long value) {
        return type == ValueType.LIST ? lists.size(value) : blocks(type, value);
    }

    /** Bytes that a value takes beside the entry of its key, estimated from so many elements; 0 looks at all. */
    long footprint(byte type, byte encoding, long value, long samples) {
        if (encoding == ValueType.REMOTE) {
            return 0;
        }
        return switch (type) {
            case ValueType.STRING -> encoding == ValueType.INT ? 0 : strings.footprint(value);
            case ValueType.LIST -> lists.footprint(value, samples);
            case ValueType.SET -> sets.footprint(encoding, value, samples);
            case ValueType.HASH -> hashes.footprint(encoding, value, samples);
            case ValueType.SORTED_SET -> sortedSets.footprint(encoding, value, samples);
            default -> throw new IllegalStateException("type " + type);
        };
    }

    static long extrapolate(long bytes, long counted, long size) {
        return counted == 0 ? 0 : bytes * size / counted;
    }
}

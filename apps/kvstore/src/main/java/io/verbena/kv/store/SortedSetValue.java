package io.verbena.kv.store;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sorted sets. Up to {@link #MAX_PACKED} members of up to {@link #MAX_PACKED_LENGTH} bytes are a {@link PackedList} of
 * members and scores in their order; others a {@link SkipList} with its dictionary.
 *
 * <p>This object also holds one position, a member and its score, which searches set and walks move. Ranks count from
 * the least score, which is 0. Single-threaded, as the shard that owns it.
 */
final class SortedSetValue implements Members {
    /** Most members of a packed sorted set. */
    static final int MAX_PACKED = 128;
    /** Most bytes of a member of a packed sorted set. */
    static final int MAX_PACKED_LENGTH = 64;
    /** Redis packs whole scores up to this as integers. */
    private static final double MAX_PACKED_INTEGER = 0x1p62;

    private final Memory memory;
    private final PackedList packed;
    private final Dictionary dictionary;
    private final SkipList skipLists;
    private final UnsafeBuffer scoreBytes = new UnsafeBuffer(new byte[Double.BYTES]);

    private byte encoding;
    private long address;
    private int at;
    private long node;

    SortedSetValue(Memory memory, PackedList packed, Dictionary dictionary, SkipList skipLists) {
        this.memory = memory;
        this.packed = packed;
        this.dictionary = dictionary;
        this.skipLists = skipLists;
    }

    @Override
    public Dictionary dictionary() {
        return dictionary;
    }

    @Override
    public long dictionaryOf(long set) {
        return skipLists.dictionary(set);
    }

    @Override
    public int size(byte setEncoding, long set) {
        return setEncoding == ValueType.LISTPACK ? packed.size(set) / 2 : skipLists.size(set);
    }

    /** Sets the position to a member; false if it is not there. */
    boolean find(byte setEncoding, long set, UnsafeBuffer member, int offset, int length) {
        encoding = setEncoding;
        address = set;
        if (setEncoding == ValueType.LISTPACK) {
            at = packed.find(set, 2, member, offset, length);
            return at >= 0;
        }
        long entry = dictionary.find(
                skipLists.dictionary(set), member, offset, length, dictionary.hash(member, offset, length));
        node = entry == Memory.NULL ? Memory.NULL : dictionary.value(entry);
        return node != Memory.NULL;
    }

    double score() {
        return encoding == ValueType.LISTPACK ? packedScore(at) : skipLists.score(node);
    }

    private double packedScore(int member) {
        return memory.getDouble(packed.bytes(address, packed.next(address, member)));
    }

    private long memberAddress() {
        return encoding == ValueType.LISTPACK
                ? packed.bytes(address, at)
                : dictionary.keyAddress(skipLists.entry(node));
    }

    private int memberLength() {
        return encoding == ValueType.LISTPACK
                ? packed.length(address, at)
                : dictionary.keyLength(skipLists.entry(node));
    }

    @Override
    public boolean matches(ScanOptions scan) {
        return scan.matches(memberAddress(), memberLength());
    }

    @Override
    public void bulkMember(Execution e) {
        e.bulk(memberAddress(), memberLength());
    }

    @Override
    public void bulkValue(Execution e) {
        e.reply.doubleValue(score());
    }

    /** As Redis shows scores in scans: whole numbers that it packed as integers, without an exponent. */
    @Override
    public int bulkScanned(Execution e) {
        bulkMember(e);
        double score = score();
        if (encoding == ValueType.LISTPACK && Math.abs(score) <= MAX_PACKED_INTEGER && score == (long) score) {
            e.reply.bulkInteger((long) score);
        } else {
            e.reply.bulk(e.scratch, 0, e.doubleText.putShort(score, e.scratch, 0));
        }
        return 2;
    }

    /** Rank of the position. */
    int rank() {
        if (encoding == ValueType.SKIPLIST) {
            return skipLists.rank(address, node);
        }
        int rank = 0;
        for (int i = PackedList.FIRST; i < at; i = nextPair(i)) {
            rank++;
        }
        return rank;
    }

    private int nextPair(int member) {
        return packed.next(address, packed.next(address, member));
    }

    @Override
    public boolean first(byte setEncoding, long set) {
        seek(setEncoding, set, 0);
        return size(setEncoding, set) > 0;
    }

    /** Sets the position to a rank, which must exist. */
    @Override
    public void seek(byte setEncoding, long set, int rank) {
        encoding = setEncoding;
        address = set;
        if (setEncoding == ValueType.SKIPLIST) {
            node = skipLists.byRank(set, rank);
            return;
        }
        at = PackedList.FIRST;
        for (int i = 0; i < rank; i++) {
            at = nextPair(at);
        }
    }

    @Override
    public void at(long set, long entry) {
        encoding = ValueType.SKIPLIST;
        address = set;
        node = dictionary.value(entry);
    }

    @Override
    public void random(byte setEncoding, long set, SplittableRandom random) {
        if (setEncoding == ValueType.LISTPACK) {
            seek(setEncoding, set, random.nextInt(packed.size(set) / 2));
        } else {
            at(set, dictionary.random(skipLists.dictionary(set), random));
        }
    }

    @Override
    public boolean next() {
        if (encoding == ValueType.LISTPACK) {
            at = nextPair(at);
            return at < packed.end(address);
        }
        node = skipLists.next(node);
        return node != Memory.NULL;
    }

    /** Moves the position to the previous rank; false if it was at the first. */
    boolean previous() {
        if (encoding == ValueType.LISTPACK) {
            if (at == PackedList.FIRST) {
                return false;
            }
            at = packed.previous(address, packed.previous(address, at));
            return true;
        }
        node = skipLists.previous(node);
        return node != Memory.NULL;
    }

    /** Number of members whose score is less than one, or not more. */
    int countBelow(byte setEncoding, long set, double score, boolean orEqual) {
        if (setEncoding == ValueType.SKIPLIST) {
            return skipLists.countBelow(set, score, orEqual);
        }
        address = set;
        int count = 0;
        for (int i = PackedList.FIRST; i < packed.end(set); i = nextPair(i)) {
            double other = packedScore(i);
            if (orEqual ? other > score : other >= score) {
                break;
            }
            count++;
        }
        return count;
    }

    /** Number of members that are less than some bytes, or not more; all scores must be the same. */
    int countBelow(byte setEncoding, long set, UnsafeBuffer member, int offset, int length, boolean orEqual) {
        if (setEncoding == ValueType.SKIPLIST) {
            return skipLists.countBelow(set, member, offset, length, orEqual);
        }
        address = set;
        int count = 0;
        for (int i = PackedList.FIRST; i < packed.end(set); i = nextPair(i)) {
            int order = comparePacked(i, member, offset, length);
            if (orEqual ? order > 0 : order >= 0) {
                break;
            }
            count++;
        }
        return count;
    }

    private int comparePacked(int member, UnsafeBuffer other, int offset, int length) {
        long bytes = packed.bytes(address, member);
        return Bytes.compare(
                memory.buffer(bytes), Memory.offset(bytes), packed.length(address, member), other, offset, length);
    }

    /** Adds a member that is not there to the set of a key, whose value may change. */
    void insert(Keyspace keyspace, long entry, double score, UnsafeBuffer member, int offset, int length) {
        encoding = keyspace.encoding(entry);
        address = keyspace.value(entry);
        if (encoding == ValueType.LISTPACK && (length > MAX_PACKED_LENGTH || packed.size(address) >= 2 * MAX_PACKED)) {
            unpack(keyspace, entry);
        }
        if (encoding == ValueType.SKIPLIST) {
            skipLists.insert(address, score, member, offset, length);
        } else {
            keyspace.value(entry, insertPacked(score, member, offset, length));
        }
    }

    private long insertPacked(double score, UnsafeBuffer member, int offset, int length) {
        int position = PackedList.FIRST;
        int end = packed.end(address);
        while (position < end) {
            double other = packedScore(position);
            if (other > score || (other == score && comparePacked(position, member, offset, length) > 0)) {
                break;
            }
            position = nextPair(position);
        }
        // Adding zero makes -0 a 0: as Redis does, which packs whole numbers as integers.
        scoreBytes.putDouble(0, score + 0.0);
        address = packed.ensure(address, Packed.size(length) + Packed.size(Double.BYTES));
        address = packed.insert(address, position, member, offset, length);
        address = packed.insert(address, packed.next(address, position), scoreBytes, 0, Double.BYTES);
        return address;
    }

    private void unpack(Keyspace keyspace, long entry) {
        long list = skipLists.create(packed.size(address) / 2 + 1);
        try {
            for (int i = PackedList.FIRST; i < packed.end(address); i = nextPair(i)) {
                long member = packed.bytes(address, i);
                skipLists.insert(
                        list, packedScore(i), memory.buffer(member), Memory.offset(member), packed.length(address, i));
            }
        } catch (AllocationFailedException failure) {
            freeList(list);
            throw failure;
        }
        packed.free(address);
        keyspace.value(entry, ValueType.SKIPLIST, list);
        encoding = ValueType.SKIPLIST;
        address = list;
    }

    /** Gives the member at the position, which is that of an argument, another score. */
    void update(Keyspace keyspace, long entry, double score, UnsafeBuffer member, int offset, int length) {
        if (encoding == ValueType.SKIPLIST) {
            skipLists.update(address, node, score);
            return;
        }
        packed.remove(address, at, 2);
        keyspace.value(entry, insertPacked(score, member, offset, length));
    }

    /** Removes the member at the position. The position is lost. */
    void remove() {
        if (encoding == ValueType.LISTPACK) {
            packed.remove(address, at, 2);
        } else {
            skipLists.remove(address, node);
        }
    }

    /** Removes so many members from a rank on. */
    void removeRange(byte setEncoding, long set, int rank, int count) {
        seek(setEncoding, set, rank);
        if (setEncoding == ValueType.LISTPACK) {
            packed.remove(set, at, 2 * count);
            return;
        }
        for (int i = 0; i < count; i++) {
            long following = skipLists.next(node);
            skipLists.remove(set, node);
            node = following;
        }
    }

    long copy(byte setEncoding, long set) {
        if (setEncoding == ValueType.LISTPACK) {
            return packed.copy(set);
        }
        long copy = skipLists.create(skipLists.size(set));
        try {
            for (long n = skipLists.first(set); n != Memory.NULL; n = skipLists.next(n)) {
                long entry = skipLists.entry(n);
                long member = dictionary.keyAddress(entry);
                skipLists.insert(
                        copy,
                        skipLists.score(n),
                        memory.buffer(member),
                        Memory.offset(member),
                        dictionary.keyLength(entry));
            }
        } catch (AllocationFailedException failure) {
            freeList(copy);
            throw failure;
        }
        return copy;
    }

    /** Appends the members and scores of a skip list to a flat value; false if they have no room there. */
    boolean flatten(long set, FlatValue to) {
        for (boolean more = first(ValueType.SKIPLIST, set); more; more = next()) {
            long member = memberAddress();
            scoreBytes.putDouble(0, score());
            if (!to.add(memory.buffer(member), Memory.offset(member), memberLength())
                    || !to.add(scoreBytes, 0, Double.BYTES)) {
                return false;
            }
        }
        return true;
    }

    /** Makes a skip list of a flat value; returns it. */
    long restore(FlatValue from) {
        long list = skipLists.create(from.elements() / 2);
        try {
            while (from.next()) {
                int member = from.offset();
                int length = from.length();
                from.next();
                skipLists.insert(list, from.buffer().getDouble(from.offset()), from.buffer(), member, length);
            }
        } catch (AllocationFailedException failure) {
            freeList(list);
            throw failure;
        }
        return list;
    }

    private void freeList(long list) {
        for (long progress = 0; progress != Values.FREED; ) {
            progress = skipLists.freePart(list, progress);
        }
    }

    long freePart(long set, long progress) {
        return skipLists.freePart(set, progress);
    }

    /** Bytes of a set, estimated from so many members; 0 looks at all. */
    long footprint(byte setEncoding, long set, long samples) {
        if (setEncoding == ValueType.LISTPACK) {
            return packed.footprint(set);
        }
        long bytes = 0;
        long count = 0;
        for (long n = skipLists.first(set);
                n != Memory.NULL && (samples == 0 || count < samples);
                n = skipLists.next(n)) {
            bytes += skipLists.elementFootprint(n);
            count++;
        }
        return skipLists.fixedFootprint(set) + Values.extrapolate(bytes, count, skipLists.size(set));
    }
}

package io.verbena.kv.store;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sets. Up to {@link #MAX_INTEGERS} members that are all integers are an {@link IntegerSet}; others a
 * {@link Dictionary} without values.
 *
 * <p>This object also holds one position, a member, which walks move. Single-threaded, as the shard that owns it.
 */
final class SetValue implements Members {
    /** Most members of a set of integers. */
    static final int MAX_INTEGERS = 512;

    private final Memory memory;
    private final IntegerSet integers;
    private final Dictionary dictionary;
    private final DecimalParser decimals = new DecimalParser();
    private final UnsafeBuffer numberText = new UnsafeBuffer(new byte[DecimalParser.MAX_LENGTH]);

    /** Apart from the other, for a member that is being added may be the text of a position. */
    private final UnsafeBuffer unpackedText = new UnsafeBuffer(new byte[DecimalParser.MAX_LENGTH]);

    private byte encoding;
    private long address;
    /** Index in a set of integers, or bucket of a dictionary. */
    private int position;

    private long dictionaryEntry;
    private int numberLength;

    SetValue(Memory memory, IntegerSet integers, Dictionary dictionary) {
        this.memory = memory;
        this.integers = integers;
        this.dictionary = dictionary;
    }

    @Override
    public Dictionary dictionary() {
        return dictionary;
    }

    /** Encoding of a new set that starts with a member. */
    byte encodingFor(UnsafeBuffer member, int offset, int length) {
        return decimals.parse(member, offset, length) ? ValueType.INTSET : ValueType.HASHTABLE;
    }

    long create(byte setEncoding) {
        return setEncoding == ValueType.INTSET ? integers.create() : dictionary.create();
    }

    @Override
    public int size(byte setEncoding, long set) {
        return setEncoding == ValueType.INTSET ? integers.size(set) : dictionary.size(set);
    }

    boolean contains(byte setEncoding, long set, UnsafeBuffer member, int offset, int length) {
        if (setEncoding == ValueType.INTSET) {
            return decimals.parse(member, offset, length) && integers.indexOf(set, decimals.value()) >= 0;
        }
        return dictionary.find(set, member, offset, length, dictionary.hash(member, offset, length)) != Memory.NULL;
    }

    /**
     * Adds a member; false if it was there. The set may have changed its encoding or place: {@link #encoding()} and
     * {@link #address()} tell.
     */
    boolean add(byte setEncoding, long set, UnsafeBuffer member, int offset, int length) {
        encoding = setEncoding;
        address = set;
        if (setEncoding == ValueType.INTSET) {
            boolean number = decimals.parse(member, offset, length);
            int index = number ? integers.indexOf(set, decimals.value()) : -1;
            if (index >= 0) {
                return false;
            }
            if (number && integers.size(set) < MAX_INTEGERS) {
                address = integers.insert(set, -index - 1, decimals.value());
                return true;
            }
            unpack(member, offset, length);
            return true;
        }
        int hash = dictionary.hash(member, offset, length);
        if (dictionary.find(address, member, offset, length, hash) != Memory.NULL) {
            return false;
        }
        dictionary.insert(address, member, offset, length, hash);
        return true;
    }

    /** Encoding after {@link #add}. */
    byte encoding() {
        return encoding;
    }

    /** Address after {@link #add}. */
    long address() {
        return address;
    }

    /** Turns the integers and a member that is none of them into a dictionary. */
    private void unpack(UnsafeBuffer member, int offset, int length) {
        int size = integers.size(address);
        long table = dictionary.create(size + 1);
        try {
            for (int i = 0; i < size; i++) {
                int digits = unpackedText.putLongAscii(0, integers.get(address, i));
                dictionary.insert(table, unpackedText, 0, digits, dictionary.hash(unpackedText, 0, digits));
            }
            dictionary.insert(table, member, offset, length, dictionary.hash(member, offset, length));
        } catch (AllocationFailedException failure) {
            freeTable(table);
            throw failure;
        }
        integers.free(address);
        encoding = ValueType.HASHTABLE;
        address = table;
    }

    /** Removes a member; false if it was not there. */
    boolean remove(byte setEncoding, long set, UnsafeBuffer member, int offset, int length) {
        if (setEncoding == ValueType.INTSET) {
            int index = decimals.parse(member, offset, length) ? integers.indexOf(set, decimals.value()) : -1;
            if (index < 0) {
                return false;
            }
            integers.remove(set, index);
            return true;
        }
        long found = dictionary.find(set, member, offset, length, dictionary.hash(member, offset, length));
        if (found == Memory.NULL) {
            return false;
        }
        dictionary.unlink(set, found);
        dictionary.freeEntry(found);
        return true;
    }

    /** Removes the member at the position. The position is lost. */
    void removeHere() {
        if (encoding == ValueType.INTSET) {
            integers.remove(address, position);
        } else {
            dictionary.unlink(address, dictionaryEntry);
            dictionary.freeEntry(dictionaryEntry);
        }
    }

    @Override
    public boolean first(byte setEncoding, long set) {
        encoding = setEncoding;
        address = set;
        position = -1;
        dictionaryEntry = Memory.NULL;
        return next();
    }

    @Override
    public boolean next() {
        if (encoding == ValueType.INTSET) {
            if (++position >= integers.size(address)) {
                return false;
            }
            writeNumber();
            return true;
        }
        if (dictionaryEntry != Memory.NULL) {
            dictionaryEntry = dictionary.next(dictionaryEntry);
        }
        while (dictionaryEntry == Memory.NULL) {
            if (++position >= dictionary.buckets(address)) {
                return false;
            }
            dictionaryEntry = dictionary.bucketHead(address, position);
        }
        return true;
    }

    @Override
    public void seek(byte setEncoding, long set, int index) {
        encoding = setEncoding;
        address = set;
        position = index;
        writeNumber();
    }

    @Override
    public void random(byte setEncoding, long set, SplittableRandom random) {
        if (setEncoding == ValueType.INTSET) {
            seek(setEncoding, set, random.nextInt(integers.size(set)));
        } else {
            at(set, dictionary.random(set, random));
        }
    }

    @Override
    public void at(long set, long entry) {
        encoding = ValueType.HASHTABLE;
        address = set;
        dictionaryEntry = entry;
    }

    private void writeNumber() {
        numberLength = numberText.putLongAscii(0, integers.get(address, position));
    }

    /** The buffer that holds the member at the position. */
    UnsafeBuffer memberBuffer() {
        return encoding == ValueType.INTSET ? numberText : memory.buffer(dictionaryEntry);
    }

    int memberOffset() {
        return encoding == ValueType.INTSET ? 0 : Memory.offset(dictionary.keyAddress(dictionaryEntry));
    }

    int memberLength() {
        return encoding == ValueType.INTSET ? numberLength : dictionary.keyLength(dictionaryEntry);
    }

    @Override
    public boolean matches(ScanOptions scan) {
        return scan.matches(memberBuffer(), memberOffset(), memberLength());
    }

    @Override
    public void bulkMember(Execution e) {
        e.reply.bulk(memberBuffer(), memberOffset(), memberLength());
    }

    @Override
    public void bulkValue(Execution e) {
        throw new UnsupportedOperationException("members of sets have no values");
    }

    @Override
    public int bulkScanned(Execution e) {
        bulkMember(e);
        return 1;
    }

    long copy(byte setEncoding, long set) {
        if (setEncoding == ValueType.INTSET) {
            return integers.copy(set);
        }
        long copy = dictionary.create(dictionary.size(set));
        try {
            for (boolean more = first(setEncoding, set); more; more = next()) {
                dictionary.insert(
                        copy, memberBuffer(), memberOffset(), memberLength(), dictionary.keyHash(dictionaryEntry));
            }
        } catch (AllocationFailedException failure) {
            freeTable(copy);
            throw failure;
        }
        return copy;
    }

    /** Appends the members of a set that is a dictionary to a flat value; false if they have no room there. */
    boolean flatten(long set, FlatValue to) {
        for (boolean more = first(ValueType.HASHTABLE, set); more; more = next()) {
            if (!to.add(memberBuffer(), memberOffset(), memberLength())) {
                return false;
            }
        }
        return true;
    }

    /** Makes a dictionary of a flat value; returns it. */
    long restore(FlatValue from) {
        long set = dictionary.create(from.elements());
        try {
            while (from.next()) {
                int hash = dictionary.hash(from.buffer(), from.offset(), from.length());
                dictionary.insert(set, from.buffer(), from.offset(), from.length(), hash);
            }
        } catch (AllocationFailedException failure) {
            freeTable(set);
            throw failure;
        }
        return set;
    }

    void freeIntegers(long set) {
        integers.free(set);
    }

    private void freeTable(long table) {
        for (long progress = 0; progress != Values.FREED; ) {
            progress = freePart(table, progress);
        }
    }

    /** Frees the members of one bucket; see {@link Values#freePart}. */
    long freePart(long set, long bucket) {
        if (bucket >= dictionary.buckets(set)) {
            dictionary.destroy(set);
            return Values.FREED;
        }
        long entry = dictionary.bucketHead(set, (int) bucket);
        while (entry != Memory.NULL) {
            long next = dictionary.next(entry);
            dictionary.freeEntry(entry);
            entry = next;
        }
        return bucket + 1;
    }

    /** Bytes of a set, estimated from so many members; 0 looks at all. */
    long footprint(byte setEncoding, long set, long samples) {
        if (setEncoding == ValueType.INTSET) {
            return integers.footprint(set);
        }
        long bytes = 0;
        long count = 0;
        for (boolean more = first(setEncoding, set); more && (samples == 0 || count < samples); more = next()) {
            bytes += dictionary.entryFootprint(dictionaryEntry);
            count++;
        }
        return dictionary.tableFootprint(set) + Values.extrapolate(bytes, count, dictionary.size(set));
    }
}

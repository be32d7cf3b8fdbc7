package io.verbena.kv.store;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Hashes. Up to {@link #MAX_PACKED} fields of up to {@link #MAX_PACKED_LENGTH} bytes are a {@link PackedList} of fields
 * and values in the order in which they came; others a {@link Dictionary} whose values are {@link StringBlock}s.
 *
 * <p>This object also holds one position, a field and its value, which searches set and walks move. Single-threaded, as
 * the shard that owns it.
 */
final class HashValue implements Members {
    /** Most fields of a packed hash. */
    static final int MAX_PACKED = 128;
    /** Most bytes of a field or value of a packed hash. */
    static final int MAX_PACKED_LENGTH = 64;

    private final Memory memory;
    private final PackedList packed;
    private final Dictionary dictionary;
    private final StringBlock strings;

    private byte encoding;
    private long address;
    /** Position of a packed field, or bucket of a dictionary. */
    private int position;

    private long dictionaryEntry;
    private long insertedEntry;

    HashValue(Memory memory, PackedList packed, Dictionary dictionary, StringBlock strings) {
        this.memory = memory;
        this.packed = packed;
        this.dictionary = dictionary;
        this.strings = strings;
    }

    @Override
    public Dictionary dictionary() {
        return dictionary;
    }

    @Override
    public int size(byte hashEncoding, long hash) {
        return hashEncoding == ValueType.LISTPACK ? packed.size(hash) / 2 : dictionary.size(hash);
    }

    /** Sets the position to a field; false if it is not there. */
    boolean find(byte hashEncoding, long hash, UnsafeBuffer field, int offset, int length) {
        encoding = hashEncoding;
        address = hash;
        if (hashEncoding == ValueType.LISTPACK) {
            position = packed.find(hash, 2, field, offset, length);
            return position >= 0;
        }
        dictionaryEntry = dictionary.find(hash, field, offset, length, dictionary.hash(field, offset, length));
        return dictionaryEntry != Memory.NULL;
    }

    private long fieldAddress() {
        return encoding == ValueType.LISTPACK
                ? packed.bytes(address, position)
                : dictionary.keyAddress(dictionaryEntry);
    }

    private int fieldLength() {
        return encoding == ValueType.LISTPACK
                ? packed.length(address, position)
                : dictionary.keyLength(dictionaryEntry);
    }

    long valueAddress() {
        return encoding == ValueType.LISTPACK
                ? packed.bytes(address, packed.next(address, position))
                : dictionary.value(dictionaryEntry) + StringBlock.BYTES;
    }

    int valueLength() {
        return encoding == ValueType.LISTPACK
                ? packed.length(address, packed.next(address, position))
                : strings.length(dictionary.value(dictionaryEntry));
    }

    @Override
    public boolean matches(ScanOptions scan) {
        return scan.matches(fieldAddress(), fieldLength());
    }

    @Override
    public long scannedLength(long hash, long entry) {
        return (long) dictionary.keyLength(entry) + strings.length(dictionary.value(entry));
    }

    @Override
    public void bulkMember(Execution e) {
        e.bulk(fieldAddress(), fieldLength());
    }

    @Override
    public void bulkValue(Execution e) {
        e.bulk(valueAddress(), valueLength());
    }

    /**
     * Sets the value of the field that {@link #find} looked for, of the hash of a key; the key's value may change.
     *
     * @return true if the field was not there
     */
    boolean set(
            Keyspace keyspace,
            long entry,
            boolean found,
            UnsafeBuffer field,
            int fieldOffset,
            int fieldLength,
            UnsafeBuffer value,
            int valueOffset,
            int valueLength) {
        if (encoding == ValueType.LISTPACK
                && (fieldLength > MAX_PACKED_LENGTH
                        || valueLength > MAX_PACKED_LENGTH
                        || (!found && packed.size(address) >= 2 * MAX_PACKED))) {
            unpack(keyspace, entry);
            if (found) {
                find(encoding, address, field, fieldOffset, fieldLength);
            }
        }
        if (encoding == ValueType.LISTPACK) {
            setPacked(found, field, fieldOffset, fieldLength, value, valueOffset, valueLength);
            keyspace.value(entry, address);
        } else if (found) {
            dictionary.value(
                    dictionaryEntry, strings.set(dictionary.value(dictionaryEntry), value, valueOffset, valueLength));
        } else {
            long block = strings.create(value, valueOffset, valueLength);
            insert(address, field, fieldOffset, fieldLength, block);
        }
        return !found;
    }

    private void setPacked(
            boolean found,
            UnsafeBuffer field,
            int fieldOffset,
            int fieldLength,
            UnsafeBuffer value,
            int valueOffset,
            int valueLength) {
        if (found) {
            address = packed.replace(address, packed.next(address, position), value, valueOffset, valueLength);
            return;
        }
        address = packed.ensure(address, Packed.size(fieldLength) + Packed.size(valueLength));
        address = packed.insert(address, packed.end(address), field, fieldOffset, fieldLength);
        address = packed.insert(address, packed.end(address), value, valueOffset, valueLength);
    }

    /**
     * Sets the value of the field that {@link #find} looked for, of a hash that is a dictionary, and does not free the
     * one that it had; returns that, or {@link Memory#NULL} if there was none. The position is the field then.
     */
    long exchange(
            boolean found,
            UnsafeBuffer field,
            int fieldOffset,
            int fieldLength,
            UnsafeBuffer value,
            int valueOffset,
            int valueLength) {
        long block = strings.create(value, valueOffset, valueLength);
        long before = found ? dictionary.value(dictionaryEntry) : Memory.NULL;
        if (found) {
            dictionary.value(dictionaryEntry, block);
        } else {
            insert(address, field, fieldOffset, fieldLength, block);
            dictionaryEntry = insertedEntry;
        }
        return before;
    }

    /** Entry of the position in a dictionary. */
    long dictionaryEntry() {
        return dictionaryEntry;
    }

    /** Gives a field the value that {@link #exchange} returned, or removes it if that was {@link Memory#NULL}. */
    void restore(long hash, long entry, long value) {
        if (value == Memory.NULL) {
            at(hash, entry);
            remove();
        } else {
            strings.free(dictionary.value(entry));
            dictionary.value(entry, value);
        }
    }

    private void insert(long hash, UnsafeBuffer field, int offset, int length, long block) {
        try {
            int code = dictionary.hash(field, offset, length);
            long entry = dictionary.insert(hash, field, offset, length, code);
            dictionary.value(entry, block);
            insertedEntry = entry;
        } catch (AllocationFailedException failure) {
            strings.free(block);
            throw failure;
        }
    }

    private void unpack(Keyspace keyspace, long entry) {
        long table = dictionary.create(packed.size(address) / 2 + 1);
        try {
            int end = packed.end(address);
            for (int at = PackedList.FIRST; at < end; ) {
                int valueAt = packed.next(address, at);
                long value = packed.bytes(address, valueAt);
                long block =
                        strings.create(memory.buffer(value), Memory.offset(value), packed.length(address, valueAt));
                long field = packed.bytes(address, at);
                insert(table, memory.buffer(field), Memory.offset(field), packed.length(address, at), block);
                at = packed.next(address, valueAt);
            }
        } catch (AllocationFailedException failure) {
            freeTable(table);
            throw failure;
        }
        packed.free(address);
        keyspace.value(entry, ValueType.HASHTABLE, table);
        encoding = ValueType.HASHTABLE;
        address = table;
    }

    /** Removes the field at the position. */
    void remove() {
        if (encoding == ValueType.LISTPACK) {
            packed.remove(address, position, 2);
        } else {
            dictionary.unlink(address, dictionaryEntry);
            strings.free(dictionary.value(dictionaryEntry));
            dictionary.freeEntry(dictionaryEntry);
        }
    }

    @Override
    public boolean first(byte hashEncoding, long hash) {
        encoding = hashEncoding;
        address = hash;
        if (hashEncoding == ValueType.LISTPACK) {
            position = PackedList.FIRST;
            return packed.size(hash) > 0;
        }
        position = -1;
        dictionaryEntry = Memory.NULL;
        return next();
    }

    @Override
    public boolean next() {
        if (encoding == ValueType.LISTPACK) {
            position = packed.next(address, packed.next(address, position));
            return position < packed.end(address);
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
    public void seek(byte hashEncoding, long hash, int index) {
        first(hashEncoding, hash);
        for (int i = 0; i < index; i++) {
            next();
        }
    }

    @Override
    public void at(long hash, long entry) {
        encoding = ValueType.HASHTABLE;
        address = hash;
        dictionaryEntry = entry;
    }

    @Override
    public void random(byte hashEncoding, long hash, SplittableRandom random) {
        if (hashEncoding == ValueType.LISTPACK) {
            seek(hashEncoding, hash, random.nextInt(packed.size(hash) / 2));
        } else {
            at(hash, dictionary.random(hash, random));
        }
    }

    long copy(byte hashEncoding, long hash) {
        if (hashEncoding == ValueType.LISTPACK) {
            return packed.copy(hash);
        }
        long copy = dictionary.create(dictionary.size(hash));
        try {
            for (boolean more = first(hashEncoding, hash); more; more = next()) {
                long field = fieldAddress();
                insert(
                        copy,
                        memory.buffer(field),
                        Memory.offset(field),
                        fieldLength(),
                        strings.copy(dictionary.value(dictionaryEntry)));
            }
        } catch (AllocationFailedException failure) {
            freeTable(copy);
            throw failure;
        }
        return copy;
    }

    /** Appends the fields and values of a dictionary to a flat value; false if they have no room there. */
    boolean flatten(long hash, FlatValue to) {
        for (boolean more = first(ValueType.HASHTABLE, hash); more; more = next()) {
            if (!add(to, fieldAddress(), fieldLength()) || !add(to, valueAddress(), valueLength())) {
                return false;
            }
        }
        return true;
    }

    private boolean add(FlatValue to, long bytes, int length) {
        return to.add(memory.buffer(bytes), Memory.offset(bytes), length);
    }

    /** Makes a dictionary of a flat value; returns it. */
    long restore(FlatValue from) {
        long hash = dictionary.create(from.elements() / 2);
        try {
            while (from.next()) {
                int field = from.offset();
                int fieldLength = from.length();
                from.next();
                long block = strings.create(from.buffer(), from.offset(), from.length());
                insert(hash, from.buffer(), field, fieldLength, block);
            }
        } catch (AllocationFailedException failure) {
            freeTable(hash);
            throw failure;
        }
        return hash;
    }

    private void freeTable(long table) {
        for (long progress = 0; progress != Values.FREED; ) {
            progress = freePart(table, progress);
        }
    }

    /** Frees the fields of one bucket; see {@link Values#freePart}. */
    long freePart(long hash, long bucket) {
        if (bucket >= dictionary.buckets(hash)) {
            dictionary.destroy(hash);
            return Values.FREED;
        }
        long entry = dictionary.bucketHead(hash, (int) bucket);
        while (entry != Memory.NULL) {
            long next = dictionary.next(entry);
            strings.free(dictionary.value(entry));
            dictionary.freeEntry(entry);
            entry = next;
        }
        return bucket + 1;
    }

    /** Bytes of a hash, estimated from so many fields; 0 looks at all. */
    long footprint(byte hashEncoding, long hash, long samples) {
        if (hashEncoding == ValueType.LISTPACK) {
            return packed.footprint(hash);
        }
        long bytes = 0;
        long count = 0;
        for (boolean more = first(hashEncoding, hash); more && (samples == 0 || count < samples); more = next()) {
            bytes += dictionary.entryFootprint(dictionaryEntry) + strings.footprint(dictionary.value(dictionaryEntry));
            count++;
        }
        return dictionary.tableFootprint(hash) + Values.extrapolate(bytes, count, dictionary.size(hash));
    }
}

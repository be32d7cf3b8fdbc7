package io.verbena.kv.store;

import java.util.SplittableRandom;

/**
 * Hashes, sets and sorted sets as scans and random picks see them: a position that moves over the members of the value
 * at an address, and what replies show of the member there. A hash's members are its fields. Single-threaded, as the
 * shard that owns them.
 */
interface Members {
    int size(byte encoding, long address);

    /** Sets the position to the first member; false if there is none. */
    boolean first(byte encoding, long address);

    /** Moves the position to the next member; false if it was at the last. */
    boolean next();

    /** Sets the position to a member by its index in the order of a walk; not for {@link ValueType#HASHTABLE}. */
    void seek(byte encoding, long address, int index);

    /** Sets the position to a random member of a value that is not empty. */
    void random(byte encoding, long address, SplittableRandom random);

    /** What reads the dictionaries of values that have one; see {@link ValueType#hasDictionary}. */
    Dictionary dictionary();

    /** Header of the dictionary of a value. */
    default long dictionaryOf(long address) {
        return address;
    }

    /** Sets the position to an entry of the dictionary of a value that has one, else to an index. */
    default void goTo(byte encoding, long address, long place) {
        if (ValueType.hasDictionary(encoding)) {
            at(address, place);
        } else {
            seek(encoding, address, (int) place);
        }
    }

    /** Sets the position to an entry of the dictionary of a value. */
    void at(long address, long entry);

    /** True if the member matches the pattern of a scan. */
    boolean matches(ScanOptions scan);

    /** Bytes that a scan shows of an entry of the dictionary of a value; about, for numbers. */
    default long scannedLength(long address, long entry) {
        return dictionary().keyLength(entry);
    }

    /** Replies with the member. */
    void bulkMember(Execution e);

    /** Replies with the member's value; not for sets. */
    void bulkValue(Execution e);

    /** Replies with what a scan shows of the member; returns how many elements that is. */
    default int bulkScanned(Execution e) {
        bulkMember(e);
        bulkValue(e);
        return 2;
    }
}

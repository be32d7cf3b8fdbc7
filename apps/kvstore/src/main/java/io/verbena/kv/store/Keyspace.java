package io.verbena.kv.store;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One database: a dictionary from key to value, and the heap of the keys that expire.
 *
 * <pre>
 *   value part of an entry
 *   16 value (8): a number or an address, by type and encoding
 *   24 index in the expiry heap plus 1, or 0 (4)
 *   28 last access in units of 10 ms (4)
 *   32 type (1)
 *   33 encoding (1)
 *   34 flags (1)
 *   36 slot in the read index plus 1, or 0 (4)
 * </pre>
 *
 * <p>Whatever changes a key's value, type or expiry, or removes it, comes through here: the read index learns of it in
 * {@link #set}, {@link #value}, {@link #expireAt}, {@link #persist}, {@link #moveExpiry} and where keys go. Who changes
 * the bytes of a value in place sets the value too, within the same request.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class Keyspace {
    /** Bytes of the value part. */
    static final int VALUE_LENGTH = 24;
    /** Offset of the index in the expiry heap. */
    static final int EXPIRY = 24;
    /** Never expires. */
    static final long NO_EXPIRY = -1;

    private static final int ACCESSED = 28;
    static final int TYPE = 32;
    static final int ENCODING = 33;
    /** Offset of the slot in the read index. */
    static final int SLOT = 36;

    private static final int FLAGS = 34;
    private static final byte FLAG_EVICTION_CANDIDATE = 1;
    private static final byte FLAG_TOO_LONG = 2;
    private static final int ACCESS_UNIT_MILLIS = 10;

    private final Memory memory;
    private final Dictionary dictionary;
    private final Values values;
    private final ExpiryHeap expiries;
    private final EvictionPool evictionPool;
    private final ShardStatistics statistics;
    private final int number;
    private final @Nullable ReadIndex readIndex;
    private long header = Memory.NULL;
    private int lookedUpHash;

    /**
     * Makes an empty database.
     *
     * @param number of the database
     * @param readIndex where its strings are published; null for nowhere
     */
    Keyspace(
            Memory memory,
            Allocator allocator,
            Dictionary dictionary,
            Values values,
            EvictionPool evictionPool,
            ShardStatistics statistics,
            int number,
            @Nullable ReadIndex readIndex) {
        this.memory = memory;
        this.dictionary = dictionary;
        this.values = values;
        this.evictionPool = evictionPool;
        this.statistics = statistics;
        this.number = number;
        this.readIndex = readIndex;
        this.expiries = new ExpiryHeap(memory, allocator);
    }

    int size() {
        return header == Memory.NULL ? 0 : dictionary.size(header);
    }

    int expiringSize() {
        return expiries.size();
    }

    Dictionary dictionary() {
        return dictionary;
    }

    /** Header of the dictionary; {@link Memory#NULL} if there never was a key. */
    long header() {
        return header;
    }

    /**
     * Finds a key, and removes it instead if its time is over.
     *
     * @return its entry, or {@link Memory#NULL}
     */
    long lookup(UnsafeBuffer key, int offset, int length, long now) {
        int hash = dictionary.hash(key, offset, length);
        lookedUpHash = hash;
        if (header == Memory.NULL) {
            return Memory.NULL;
        }
        long entry = dictionary.find(header, key, offset, length, hash);
        if (entry == Memory.NULL || !isExpired(entry, now)) {
            return entry;
        }
        expire(entry);
        return Memory.NULL;
    }

    boolean isExpired(long entry, long now) {
        return memory.getInt(entry + EXPIRY) != 0 && now > expiries.expiry(entry);
    }

    /** Adds the key that the last {@link #lookup} did not find. */
    long add(UnsafeBuffer key, int offset, int length, byte type, byte encoding, long value, long now) {
        if (header == Memory.NULL) {
            header = dictionary.create();
        }
        long entry = dictionary.insert(header, key, offset, length, lookedUpHash);
        set(entry, type, encoding, value);
        touch(entry, now);
        return entry;
    }

    byte type(long entry) {
        return memory.getByte(entry + TYPE);
    }

    byte encoding(long entry) {
        return memory.getByte(entry + ENCODING);
    }

    /** The encoding that clients see: of a value that is out, the one that it has when it is here. */
    byte visibleEncoding(long entry) {
        byte encoding = encoding(entry);
        return encoding == ValueType.REMOTE ? Overflow.encoding(value(entry)) : encoding;
    }

    long value(long entry) {
        return memory.getLong(entry + Dictionary.VALUE);
    }

    /** Sets type, encoding and value; what was there before is the caller's to release. */
    void set(long entry, byte type, byte encoding, long value) {
        memory.putLong(entry + Dictionary.VALUE, value);
        memory.putByte(entry + TYPE, type);
        memory.putByte(entry + ENCODING, encoding);
        changed(entry);
    }

    void value(long entry, long value) {
        memory.putLong(entry + Dictionary.VALUE, value);
        changed(entry);
    }

    /** Sets encoding and value. */
    void value(long entry, byte encoding, long value) {
        memory.putLong(entry + Dictionary.VALUE, value);
        memory.putByte(entry + ENCODING, encoding);
        changed(entry);
    }

    private void changed(long entry) {
        if (readIndex != null) {
            readIndex.changed(number, entry);
        }
    }

    /** A client has asked for a string, which it could read by itself if it were published. */
    void wanted(long entry) {
        if (readIndex != null) {
            readIndex.wanted(number, entry);
        }
    }

    void releaseValue(long entry) {
        values.release(type(entry), encoding(entry), value(entry));
    }

    void touch(long entry, long now) {
        memory.putInt(entry + ACCESSED, accessTime(now));
        if (isTooLong(entry)) {
            flag(entry, FLAG_TOO_LONG, false);
        }
    }

    /** Milliseconds since the last access, in steps of 10. */
    long idleMillis(long entry, long now) {
        return Integer.toUnsignedLong(accessTime(now) - memory.getInt(entry + ACCESSED)) * ACCESS_UNIT_MILLIS;
    }

    private static int accessTime(long now) {
        return (int) (now / ACCESS_UNIT_MILLIS);
    }

    /** Expiry in Unix milliseconds or {@link #NO_EXPIRY}. */
    long expiry(long entry) {
        return expiries.expiry(entry);
    }

    void expireAt(long entry, long when) {
        expiries.set(entry, when);
        changed(entry);
    }

    /** Makes sure that the next {@link #expireAt} allocates nothing, unless a key stops to expire in between. */
    void prepareExpiry() {
        expiries.prepare();
    }

    /** Gives the expiry of a key to another, which has none. Allocates nothing. */
    void moveExpiry(long from, long to) {
        if (memory.getInt(from + EXPIRY) != 0) {
            expiries.move(from, to);
            changed(to);
        }
    }

    /** Returns false if the key did not expire. */
    boolean persist(long entry) {
        boolean expires = memory.getInt(entry + EXPIRY) != 0;
        expiries.remove(entry);
        if (expires) {
            changed(entry);
        }
        return expires;
    }

    /** Removes a key and releases its value. */
    void delete(long entry) {
        dictionary.unlink(header, entry);
        releaseValue(entry);
        freeEntry(entry);
    }

    /** Removes a key without releasing its value, which lives on elsewhere. */
    void detach(long entry) {
        dictionary.unlink(header, entry);
        freeEntry(entry);
    }

    private void freeEntry(long entry) {
        if (readIndex != null) {
            readIndex.removed(entry);
        }
        expiries.remove(entry);
        if ((memory.getByte(entry + FLAGS) & FLAG_EVICTION_CANDIDATE) != 0) {
            evictionPool.forget(entry);
        }
        dictionary.freeEntry(entry);
    }

    private void expire(long entry) {
        statistics.expire();
        delete(entry);
    }

    /** Removes keys whose time is over, at most that many; returns how many. */
    int expire(long now, int limit) {
        int count = 0;
        while (count < limit && expiries.size() > 0 && now > expiries.soonest()) {
            expire(expiries.soonestEntry());
            count++;
        }
        expiries.trim();
        return count;
    }

    /** Moves the table towards its new size; returns the steps made, at most that many. */
    int rehash(int limit) {
        int steps = 0;
        while (steps < limit && header != Memory.NULL && dictionary.rehashStep(header)) {
            steps++;
        }
        return steps;
    }

    long random(SplittableRandom random) {
        return header == Memory.NULL ? Memory.NULL : dictionary.random(header, random);
    }

    /** A random key that expires; {@link Memory#NULL} if none does. */
    long randomExpiring(SplittableRandom random) {
        return expiries.size() == 0 ? Memory.NULL : expiries.random(random);
    }

    void markEvictionCandidate(long entry, boolean candidate) {
        flag(entry, FLAG_EVICTION_CANDIDATE, candidate);
    }

    private void flag(long entry, byte flag, boolean set) {
        byte flags = memory.getByte(entry + FLAGS);
        memory.putByte(entry + FLAGS, (byte) (set ? flags | flag : flags & ~flag));
    }

    /** A value was found too long to be moved out; it may be shorter when it has been used. */
    void markTooLong(long entry) {
        flag(entry, FLAG_TOO_LONG, true);
    }

    /** Whether a value was found too long to be moved out, and has not been used since. */
    boolean isTooLong(long entry) {
        return (memory.getByte(entry + FLAGS) & FLAG_TOO_LONG) != 0;
    }

    boolean isEvictionCandidate(long entry) {
        return (memory.getByte(entry + FLAGS) & FLAG_EVICTION_CANDIDATE) != 0;
    }

    /** Removes all keys; the memory is given back piece by piece by the reclaimer. */
    void flush() {
        if (header != Memory.NULL) {
            evictionPool.forget(this);
            expiries.clear();
            values.reclaimer().keyspace(header);
            header = Memory.NULL;
            clearReadIndex();
        }
    }

    /** Forgets all keys, whose memory is gone. */
    void forget() {
        header = Memory.NULL;
        expiries.forget();
        clearReadIndex();
    }

    private void clearReadIndex() {
        if (readIndex != null) {
            readIndex.cleared(number);
        }
    }
}

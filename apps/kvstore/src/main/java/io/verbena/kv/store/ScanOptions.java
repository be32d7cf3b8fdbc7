package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.ReplyType;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What SCAN, HSCAN, SSCAN and ZSCAN share: cursor, COUNT and MATCH. Reusable; single-threaded, as the shard that owns
 * it.
 */
final class ScanOptions {
    private static final byte[] COUNT = word("count");
    private static final byte[] MATCH = word("match");
    private static final long DEFAULT_COUNT = 10;
    /** Buckets that are looked at for each element wanted, at most. */
    private static final int BUCKETS_PER_ELEMENT = 10;

    /** Elements that one call collects, whatever COUNT asks for, save for the rest of a bucket. */
    static final int MAX_COUNT = 10_000;
    /** Bytes of elements after which a call collects no more. */
    static final int MAX_BYTES = 512 * 1024;

    private final Execution e;
    private long cursor;
    private long count;
    private int pattern;

    ScanOptions(Execution execution) {
        e = execution;
    }

    /** Reads the cursor; replies with an error and returns false if it is none. */
    boolean parseCursor(int argument) {
        if (!e.decimals.parseCursor(e.in, e.at(argument), e.length(argument))) {
            e.error(Errors.INVALID_CURSOR);
            return false;
        }
        cursor = e.decimals.value();
        return true;
    }

    /** Executes a scan of the members of a key of a type. Those that are packed come all at once. */
    void scan(byte type, Members members) {
        if (!parseCursor(1)) {
            return;
        }
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            openReply(0);
            return;
        }
        if (!e.hasType(entry, type) || !parse(2)) {
            return;
        }
        byte encoding = e.keyspace.encoding(entry);
        long address = e.keyspace.value(entry);
        int elements = 0;
        int open;
        if (ValueType.hasDictionary(encoding)) {
            open = openReply(collect(members.dictionary(), members.dictionaryOf(address), members, address));
            for (int i = 0; i < e.entries.size(); i++) {
                members.at(address, e.entries.get(i));
                elements += show(members);
            }
        } else {
            open = openReply(0);
            for (boolean more = members.first(encoding, address); more; more = members.next()) {
                elements += show(members);
            }
        }
        e.reply.closeAggregate(open, elements);
    }

    private int show(Members members) {
        return members.matches(this) ? members.bulkScanned(e) : 0;
    }

    /** Writes the head of a scan's reply; returns the open array of its elements. */
    int openReply(long next) {
        e.reply.array(2);
        e.reply.bulkInteger(next);
        return e.reply.openAggregate(ReplyType.ARRAY);
    }

    void reset() {
        count = DEFAULT_COUNT;
        pattern = -1;
    }

    /** Reads all options from an argument on; replies with an error and returns false if they are wrong. */
    boolean parse(int first) {
        reset();
        for (int i = first; i < e.argc(); i += 2) {
            if (!parseOption(i)) {
                return false;
            }
        }
        return true;
    }

    /** Reads one option and its value. */
    boolean parseOption(int argument) {
        boolean more = argument + 1 < e.argc();
        if (more && e.is(argument, COUNT)) {
            if (!e.integer(argument + 1)) {
                return false;
            }
            if (e.number() < 1) {
                e.error(Errors.SYNTAX);
                return false;
            }
            count = e.number();
            return true;
        }
        if (more && e.is(argument, MATCH)) {
            pattern = argument + 1;
            // The star matches all: no need to compare.
            if (e.length(pattern) == 1 && e.in.getByte(e.at(pattern)) == '*') {
                pattern = -1;
            }
            return true;
        }
        e.error(Errors.SYNTAX);
        return false;
    }

    /**
     * Collects about as many entries as wanted, from the cursor on, whole buckets always; fewer if their number, their
     * bytes or the buckets looked at reach a bound.
     *
     * @param members of the value at an address; null for keys
     * @return the next cursor
     */
    long collect(Dictionary dictionary, long header, @Nullable Members members, long address) {
        e.entries.clear();
        long next = cursor;
        int wanted = (int) Math.min(count, MAX_COUNT);
        int rounds = wanted * BUCKETS_PER_ELEMENT;
        int counted = 0;
        long bytes = 0;
        do {
            next = dictionary.scan(header, next, e.entries);
            for (; counted < e.entries.size(); counted++) {
                long entry = e.entries.get(counted);
                bytes += members == null ? dictionary.keyLength(entry) : members.scannedLength(address, entry);
            }
        } while (next != 0 && rounds-- > 0 && counted < wanted && bytes < MAX_BYTES);
        return next;
    }

    /** True if a key or member matches the pattern, or there is none. */
    boolean matches(Dictionary dictionary, long entry) {
        return pattern < 0 || matches(dictionary, entry, pattern);
    }

    boolean matches(Dictionary dictionary, long entry, int patternArgument) {
        long key = dictionary.keyAddress(entry);
        return GlobPattern.matches(
                e.in,
                e.at(patternArgument),
                e.length(patternArgument),
                e.memory.buffer(key),
                Memory.offset(key),
                dictionary.keyLength(entry));
    }

    /** True if bytes match the pattern, or there is none. */
    boolean matches(long address, int length) {
        return matches(e.memory.buffer(address), Memory.offset(address), length);
    }

    boolean matches(UnsafeBuffer text, int offset, int length) {
        return pattern < 0 || GlobPattern.matches(e.in, e.at(pattern), e.length(pattern), text, offset, length);
    }
}

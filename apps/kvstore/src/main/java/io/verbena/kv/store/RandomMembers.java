package io.verbena.kv.store;

import org.agrona.collections.LongHashSet;

/**
 * What HRANDFIELD, SRANDMEMBER and ZRANDMEMBER share: their arguments, and one member, so many with repetition, or so
 * many that are distinct. Reusable; single-threaded, as the shard that owns it.
 */
final class RandomMembers {
    /**
     * If more than one in so many are wanted, picks are drawn from a list of all; else drawn again when seen before.
     */
    private static final int SAMPLE_ALL_FACTOR = 3;
    /** Beyond so many members the set of those that were seen is not kept. */
    private static final int MAX_KEPT = 64 * 1024;

    private final Execution e;
    private LongHashSet seen = new LongHashSet();

    RandomMembers(Execution execution) {
        e = execution;
    }

    /** Executes the operation on a key of a type; the word, in lower case, asks for values too. */
    void execute(byte type, Members members, byte[] withValuesWord) {
        boolean many = e.argc() > 1;
        boolean withValues = e.argc() > 2;
        if (many && !e.integer(1)) {
            return;
        }
        long wanted = many ? e.number() : 1;
        if (wanted == Long.MIN_VALUE) {
            e.rangeError();
            return;
        }
        if (e.argc() > 3 || (withValues && !e.is(2, withValuesWord))) {
            e.error(Errors.SYNTAX);
            return;
        }
        if (withValues && (wanted < -(Long.MAX_VALUE / 2) || wanted > Long.MAX_VALUE / 2)) {
            e.error(Errors.OUT_OF_RANGE);
            return;
        }
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            if (many) {
                e.reply.array(0);
            } else {
                e.reply.nil();
            }
            return;
        }
        if (!e.hasType(entry, type)) {
            return;
        }
        byte encoding = e.keyspace.encoding(entry);
        long address = e.keyspace.value(entry);
        if (!many) {
            members.random(encoding, address, e.random);
            members.bulkMember(e);
        } else if (wanted >= 0) {
            distinct(members, encoding, address, wanted, withValues);
        } else if (e.isReplyCountAllowed(withValues ? -2 * wanted : -wanted)) {
            open((int) -wanted, withValues);
            for (long i = wanted; i < 0; i++) {
                members.random(encoding, address, e.random);
                reply(members, withValues);
            }
        }
    }

    private void open(int count, boolean withValues) {
        e.reply.array(withValues && !e.resp3 ? 2 * count : count);
    }

    private void reply(Members members, boolean withValues) {
        if (withValues && e.resp3) {
            e.reply.array(2);
        }
        members.bulkMember(e);
        if (withValues) {
            members.bulkValue(e);
        }
    }

    private void distinct(Members members, byte encoding, long address, long wanted, boolean withValues) {
        int size = members.size(encoding, address);
        int count = (int) Math.min(wanted, size);
        if (!e.isReplyCountAllowed(withValues ? 2L * count : count)) {
            return;
        }
        open(count, withValues);
        if (count == size) {
            for (boolean more = members.first(encoding, address); more; more = members.next()) {
                reply(members, withValues);
            }
            return;
        }
        choose(members, encoding, address, count);
        for (int i = 0; i < count; i++) {
            members.goTo(encoding, address, e.entries.get(i));
            reply(members, withValues);
        }
    }

    /**
     * Chooses so many distinct members at random, fewer than there are. Their places are the first of {@link
     * Execution#entries} then: entries where the value has a dictionary, else indexes.
     */
    void choose(Members members, byte encoding, long address, int count) {
        int size = members.size(encoding, address);
        e.entries.clear();
        if (!ValueType.hasDictionary(encoding)) {
            for (int i = 0; i < size; i++) {
                e.entries.add(i);
            }
            takeRandom(count);
        } else if ((long) count * SAMPLE_ALL_FACTOR > size) {
            collectAll(members.dictionary(), members.dictionaryOf(address));
            takeRandom(count);
        } else {
            seen.clear();
            while (seen.size() < count) {
                long member = members.dictionary().random(members.dictionaryOf(address), e.random);
                if (seen.add(member)) {
                    e.entries.add(member);
                }
            }
            if (count > MAX_KEPT) {
                seen = new LongHashSet();
            }
        }
    }

    /** Collects all entries of a dictionary. */
    private void collectAll(Dictionary dictionary, long header) {
        for (int i = 0; i < dictionary.buckets(header); i++) {
            for (long entry = dictionary.bucketHead(header, i); entry != Memory.NULL; entry = dictionary.next(entry)) {
                e.entries.add(entry);
            }
        }
    }

    /** Swaps so many random ones of what was collected to the front. */
    private void takeRandom(int count) {
        for (int i = 0; i < count; i++) {
            int chosen = i + e.random.nextInt(e.entries.size() - i);
            long taken = e.entries.get(chosen);
            e.entries.set(chosen, e.entries.get(i));
            e.entries.set(i, taken);
        }
    }
}

package io.verbena.kv.store;

import org.agrona.collections.LongHashSet;

/**
 * What HRANDFIELD, SRANDMEMBER and ZRANDMEMBER share: their arguments, and one member, so many with repetition, or so many
 * that are distinct. Reusable; single-threaded, as the shard that owns it.
 */
final class RandomMembers {
    /** If more than one in so many are wanted, picks are drawn from a list of all; else drawn again when seen before. */
    private static final int SAMPLE_ALL_FACTOR = 3;

    private final Execution e;
    private final LongHashSet seen = new LongHashSet();

    RandomMembers(final Execution execution) {
        e = execution;
    }

    /** Executes the operation on a key of a type; the word, in lower case, asks for values too. */
    void execute(final byte type, final Members members, final byte[] withValuesWord) {
        final boolean many = e.argc() > 1;
        final boolean withValues = e.argc() > 2;
        if (many && !e.integer(1)) {
            return;
        }
        final long wanted = many ? e.number() : 1;
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
        final long entry = e.lookupRead(0);
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
        final byte encoding = e.keyspace.encoding(entry);
        final long address = e.keyspace.value(entry);
        if (!many) {
            members.random(encoding, address, e.random);
            members.bulkMember(e);
        } else if (wanted >= 0) {
            distinct(members, encoding, address, wanted, withValues);
        } else if (e.isReplyCountAllowed(-wanted)) {
            open((int) -wanted, withValues);
            for (long i = wanted; i < 0; i++) {
                members.random(encoding, address, e.random);
                reply(members, withValues);
            }
        }
    }

    private void open(final int count, final boolean withValues) {
        e.reply.array(withValues && !e.resp3 ? 2 * count : count);
    }

    private void reply(final Members members, final boolean withValues) {
        if (withValues && e.resp3) {
            e.reply.array(2);
        }
        members.bulkMember(e);
        if (withValues) {
            members.bulkValue(e);
        }
    }

    private void distinct(
            final Members members,
            final byte encoding,
            final long address,
            final long wanted,
            final boolean withValues) {
        final int size = members.size(encoding, address);
        final int count = (int) Math.min(wanted, size);
        open(count, withValues);
        if (count == size) {
            for (boolean more = members.first(encoding, address); more; more = members.next()) {
                reply(members, withValues);
            }
        } else if (ValueType.hasDictionary(encoding) && (long) count * SAMPLE_ALL_FACTOR <= size) {
            seen.clear();
            while (seen.size() < count) {
                final long member = members.dictionary().random(members.dictionaryOf(address), e.random);
                if (seen.add(member)) {
                    members.at(address, member);
                    reply(members, withValues);
                }
            }
        } else if (encoding == ValueType.HASHTABLE) {
            collectAll(members.dictionary(), address);
            for (int i = 0; i < count; i++) {
                members.at(address, takeRandom(i));
                reply(members, withValues);
            }
        } else {
            e.entries.clear();
            for (int i = 0; i < size; i++) {
                e.entries.add(i);
            }
            for (int i = 0; i < count; i++) {
                members.seek(encoding, address, (int) takeRandom(i));
                reply(members, withValues);
            }
        }
    }

    /** Collects all entries of a dictionary. */
    private void collectAll(final Dictionary dictionary, final long header) {
        e.entries.clear();
        for (int i = 0; i < dictionary.buckets(header); i++) {
            for (long entry = dictionary.bucketHead(header, i); entry != Memory.NULL; entry = dictionary.next(entry)) {
                e.entries.add(entry);
            }
        }
    }

    /** Swaps a random one of the collected entries from an index on to that index, and returns it. */
    private long takeRandom(final int index) {
        final int chosen = index + e.random.nextInt(e.entries.size() - index);
        final long taken = e.entries.get(chosen);
        e.entries.set(chosen, e.entries.get(index));
        e.entries.set(index, taken);
        return taken;
    }
}

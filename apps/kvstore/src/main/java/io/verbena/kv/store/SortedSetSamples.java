package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.KvOp;
import org.agrona.collections.LongHashSet;

/** Operations that show a part of a sorted set: scans and random members. Single-threaded, as the shard that owns it. */
final class SortedSetSamples {
    private static final byte[] WITH_SCORES = word("withscores");
    private static final int SAMPLE_ALL_FACTOR = 3;
    /** Redis packs whole scores up to this as integers. */
    private static final double MAX_PACKED_INTEGER = 0x1p62;

    private final Execution e;
    private final SortedSetValue sets;
    private final ScanOptions scans;
    private final LongHashSet seen = new LongHashSet();

    SortedSetSamples(final Execution execution, final ScanOptions scans) {
        e = execution;
        sets = execution.values.sortedSets();
        this.scans = scans;
    }

    void execute(final KvOp op) {
        if (op == KvOp.ZSCAN) {
            scan();
        } else {
            random();
        }
    }

    private byte encoding(final long entry) {
        return e.keyspace.encoding(entry);
    }

    private long set(final long entry) {
        return e.keyspace.value(entry);
    }

    private void bulkMember() {
        final long address = sets.memberAddress();
        e.reply.bulk(e.memory.buffer(address), Memory.offset(address), sets.memberLength());
    }

    private void bulkScore() {
        e.reply.bulk(e.scratch, 0, e.doubleText.putShort(sets.score(), e.scratch, 0));
    }

    /** As Redis shows scores that it packed: whole numbers as integers, without an exponent. */
    private void bulkPackedScore() {
        final double score = sets.score();
        if (Math.abs(score) <= MAX_PACKED_INTEGER && score == (long) score) {
            e.reply.bulkInteger((long) score);
        } else {
            bulkScore();
        }
    }

    private void scan() {
        final long entry = scans.begin(ValueType.SORTED_SET);
        if (entry == Memory.NULL) {
            return;
        }
        int count = 0;
        if (encoding(entry) == ValueType.LISTPACK) {
            final int open = scans.openReply(0);
            sets.seek(ValueType.LISTPACK, set(entry), 0);
            do {
                if (scans.matches(sets.memberAddress(), sets.memberLength())) {
                    bulkMember();
                    bulkPackedScore();
                    count += 2;
                }
            } while (sets.next());
            e.reply.closeAggregate(open, count);
            return;
        }
        final Dictionary dictionary = sets.dictionary();
        final int open = scans.openReply(scans.collect(dictionary, sets.dictionaryOf(set(entry))));
        for (int i = 0; i < e.entries.size(); i++) {
            if (scans.matches(dictionary, e.entries.get(i))) {
                sets.at(set(entry), e.entries.get(i));
                bulkMember();
                bulkScore();
                count += 2;
            }
        }
        e.reply.closeAggregate(open, count);
    }

    private void random() {
        final boolean many = e.argc() > 1;
        final boolean withScores = e.argc() > 2;
        if (many && !e.integer(1)) {
            return;
        }
        final long wanted = many ? e.number() : 1;
        if (wanted == Long.MIN_VALUE) {
            e.rangeError();
            return;
        }
        if (e.argc() > 3 || (withScores && !e.is(2, WITH_SCORES))) {
            e.error(Errors.SYNTAX);
            return;
        }
        if (withScores && (wanted < -(Long.MAX_VALUE / 2) || wanted > Long.MAX_VALUE / 2)) {
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
        if (!e.hasType(entry, ValueType.SORTED_SET)) {
            return;
        }
        if (!many) {
            sets.random(encoding(entry), set(entry), e.random);
            bulkMember();
        } else if (wanted < 0) {
            if (!e.isReplyCountAllowed(-wanted)) {
                return;
            }
            openPairs((int) -wanted, withScores);
            for (long i = wanted; i < 0; i++) {
                sets.random(encoding(entry), set(entry), e.random);
                replyPair(withScores);
            }
        } else {
            distinct(entry, wanted, withScores);
        }
    }

    private void openPairs(final int count, final boolean withScores) {
        e.reply.array(withScores && !e.resp3 ? 2 * count : count);
    }

    private void replyPair(final boolean withScores) {
        if (withScores && e.resp3) {
            e.reply.array(2);
        }
        bulkMember();
        if (withScores) {
            e.reply.doubleValue(sets.score());
        }
    }

    private void distinct(final long entry, final long wanted, final boolean withScores) {
        final byte encoding = encoding(entry);
        final long set = set(entry);
        final int size = sets.size(encoding, set);
        final int count = (int) Math.min(wanted, size);
        openPairs(count, withScores);
        if (count == 0) {
            return;
        }
        if (encoding == ValueType.LISTPACK || (long) count * SAMPLE_ALL_FACTOR > size) {
            e.entries.clear();
            for (int i = 0; i < size; i++) {
                e.entries.add(i);
            }
            for (int i = 0; i < count; i++) {
                // The whole set comes in its order.
                sets.seek(encoding, set, count == size ? i : (int) e.takeRandom(i));
                replyPair(withScores);
            }
            return;
        }
        seen.clear();
        while (seen.size() < count) {
            final long member = sets.dictionary().random(sets.dictionaryOf(set), e.random);
            if (seen.add(member)) {
                sets.at(set, member);
                replyPair(withScores);
            }
        }
    }
}

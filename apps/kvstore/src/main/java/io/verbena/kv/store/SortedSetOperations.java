package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.KvOp;

/** Operations on sorted sets, save for ranges. Single-threaded, as the shard that owns it. */
final class SortedSetOperations {
    private static final byte[] NX = word("nx");
    private static final byte[] XX = word("xx");
    private static final byte[] GT = word("gt");
    private static final byte[] LT = word("lt");
    private static final byte[] CH = word("ch");
    private static final byte[] INCR = word("incr");
    private static final byte[] WITH_SCORES = word("withscores");
    private static final int FLAG_NX = 1;
    private static final int FLAG_XX = 1 << 1;
    private static final int FLAG_GT = 1 << 2;
    private static final int FLAG_LT = 1 << 3;
    private static final int FLAG_CH = 1 << 4;
    private static final int FLAG_INCR = 1 << 5;

    private static final int DONE_LENGTH = 3;
    private static final long ADDED = 0;
    private static final long UPDATED = 1;

    /** What came of adding a member. */
    private enum Outcome {
        NOTHING,
        SAME,
        ADDED,
        UPDATED,
        NOT_A_NUMBER
    }

    private final Execution e;
    private final SortedSetValue sets;
    private final ScanOptions scans;
    private final RandomMembers randoms;
    /** What a ZADD has done so far: of each change the argument of the member, what it was, and the former score. */
    private final LongList done = new LongList();

    private double resultingScore;

    SortedSetOperations(Execution execution, ScanOptions scans, RandomMembers randoms) {
        e = execution;
        sets = execution.values.sortedSets();
        this.scans = scans;
        this.randoms = randoms;
    }

    void execute(KvOp op) {
        switch (op) {
            case ZADD -> add(0);
            case ZINCRBY -> add(FLAG_INCR);
            case ZREM -> remove();
            case ZSCORE -> score();
            case ZMSCORE -> scores();
            case ZCARD -> size();
            case ZRANK -> rank(false);
            case ZREVRANK -> rank(true);
            case ZPOPMIN -> pop(false);
            case ZPOPMAX -> pop(true);
            case ZSCAN -> scans.scan(ValueType.SORTED_SET, sets);
            case ZRANDMEMBER -> randoms.execute(ValueType.SORTED_SET, sets, WITH_SCORES);
            default -> throw new IllegalStateException(op.name());
        }
    }

    private byte encoding(long entry) {
        return e.keyspace.encoding(entry);
    }

    private long set(long entry) {
        return e.keyspace.value(entry);
    }

    private int size(long entry) {
        return sets.size(encoding(entry), set(entry));
    }

    private boolean find(long entry, int argument) {
        return sets.find(encoding(entry), set(entry), e.in, e.at(argument), e.length(argument));
    }

    private void deleteIfEmpty(long entry) {
        if (size(entry) == 0) {
            e.keyspace.delete(entry);
        }
    }

    private void add(int givenFlags) {
        int flags = givenFlags;
        int first = 1;
        for (; first < e.argc(); first++) {
            int flag = flag(first);
            if (flag == 0) {
                break;
            }
            flags |= flag;
        }
        int pairs = (e.argc() - first) / 2;
        if (pairs == 0 || ((e.argc() - first) & 1) != 0) {
            e.error(Errors.SYNTAX);
            return;
        }
        if (!areCompatible(flags, pairs)) {
            return;
        }
        // All scores are checked before anything is changed.
        for (int i = 0; i < pairs; i++) {
            if (!e.floating(first + 2 * i, Errors.NOT_A_FLOAT)) {
                return;
            }
        }
        long entry = e.lookupWrite(0);
        if (entry != Memory.NULL && !e.hasType(entry, ValueType.SORTED_SET)) {
            return;
        }
        if (entry == Memory.NULL && (flags & FLAG_XX) == 0) {
            entry = addKey();
        }
        if (entry == Memory.NULL) {
            replyToAdd(flags, 0, 0, Outcome.NOTHING);
        } else {
            addAll(entry, flags, first, pairs);
        }
    }

    /** Adds pairs of score and member, the first of them at argument {@code first}: all, or none if one cannot be. */
    private void addAll(long entry, int flags, int first, int pairs) {
        int added = 0;
        int updated = 0;
        Outcome outcome = Outcome.NOTHING;
        done.clear();
        boolean complete = false;
        try {
            for (int i = 0; i < pairs; i++) {
                e.floats.parse(e.in, e.at(first + 2 * i), e.length(first + 2 * i));
                outcome = add(entry, flags, e.floats.value(), first + 2 * i + 1);
                if (outcome == Outcome.NOT_A_NUMBER) {
                    e.error(Errors.SCORE_IS_NAN);
                    return;
                }
                added += outcome == Outcome.ADDED ? 1 : 0;
                updated += outcome == Outcome.UPDATED ? 1 : 0;
            }
            complete = true;
        } finally {
            if (!complete) {
                undo(entry);
            }
            deleteIfEmpty(entry);
        }
        replyToAdd(flags, added, updated, outcome);
    }

    private void replyToAdd(int flags, int added, int updated, Outcome last) {
        if ((flags & FLAG_INCR) == 0) {
            e.reply.integer((flags & FLAG_CH) != 0 ? added + updated : added);
        } else if (last == Outcome.NOTHING) {
            e.reply.nil();
        } else {
            e.reply.doubleValue(resultingScore);
        }
    }

    /** Gives the members that were added or updated their former scores, the last first. Allocates nothing. */
    private void undo(long entry) {
        for (int i = done.size() - DONE_LENGTH; i >= 0; i -= DONE_LENGTH) {
            int member = (int) done.get(i);
            find(entry, member);
            if (done.get(i + 1) == ADDED) {
                sets.remove();
            } else {
                double score = Double.longBitsToDouble(done.get(i + 2));
                sets.update(e.keyspace, entry, score, e.in, e.at(member), e.length(member));
            }
        }
    }

    private void note(int member, long what, double score) {
        done.add(member);
        done.add(what);
        done.add(Double.doubleToRawLongBits(score));
    }

    private int flag(int argument) {
        if (e.is(argument, NX)) {
            return FLAG_NX;
        }
        if (e.is(argument, XX)) {
            return FLAG_XX;
        }
        if (e.is(argument, GT)) {
            return FLAG_GT;
        }
        if (e.is(argument, LT)) {
            return FLAG_LT;
        }
        if (e.is(argument, CH)) {
            return FLAG_CH;
        }
        return e.is(argument, INCR) ? FLAG_INCR : 0;
    }

    private boolean areCompatible(int flags, int pairs) {
        boolean nx = (flags & FLAG_NX) != 0;
        boolean gt = (flags & FLAG_GT) != 0;
        boolean lt = (flags & FLAG_LT) != 0;
        if (nx && (flags & FLAG_XX) != 0) {
            e.error(Errors.ZADD_NX_XX);
            return false;
        }
        if ((gt && nx) || (lt && nx) || (gt && lt)) {
            e.error(Errors.ZADD_GT_LT_NX);
            return false;
        }
        if ((flags & FLAG_INCR) != 0 && pairs > 1) {
            e.error(Errors.ZADD_INCR_PAIRS);
            return false;
        }
        return true;
    }

    private long addKey() {
        return e.addOrRelease(
                0,
                ValueType.SORTED_SET,
                ValueType.LISTPACK,
                e.values.packedLists().create());
    }

    private Outcome add(long entry, int flags, double given, int member) {
        if (!find(entry, member)) {
            if ((flags & FLAG_XX) != 0) {
                return Outcome.NOTHING;
            }
            done.prepareAdd(DONE_LENGTH);
            sets.insert(e.keyspace, entry, given, e.in, e.at(member), e.length(member));
            note(member, ADDED, given);
            resultingScore = given;
            return Outcome.ADDED;
        }
        if ((flags & FLAG_NX) != 0) {
            return Outcome.NOTHING;
        }
        double current = sets.score();
        double score = (flags & FLAG_INCR) != 0 ? current + given : given;
        if (Double.isNaN(score)) {
            return Outcome.NOT_A_NUMBER;
        }
        if (((flags & FLAG_LT) != 0 && score >= current) || ((flags & FLAG_GT) != 0 && score <= current)) {
            return Outcome.NOTHING;
        }
        resultingScore = score;
        if (score == current) {
            return Outcome.SAME;
        }
        done.prepareAdd(DONE_LENGTH);
        sets.update(e.keyspace, entry, score, e.in, e.at(member), e.length(member));
        note(member, UPDATED, current);
        return Outcome.UPDATED;
    }

    private void remove() {
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(entry, ValueType.SORTED_SET)) {
            return;
        }
        int removed = 0;
        for (int i = 1; i < e.argc(); i++) {
            if (find(entry, i)) {
                sets.remove();
                removed++;
            }
        }
        deleteIfEmpty(entry);
        e.reply.integer(removed);
    }

    private void score() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.nil();
        } else if (e.hasType(entry, ValueType.SORTED_SET)) {
            scoreOf(entry, 1);
        }
    }

    private void scoreOf(long entry, int member) {
        if (entry != Memory.NULL && find(entry, member)) {
            e.reply.doubleValue(sets.score());
        } else {
            e.reply.nil();
        }
    }

    private void scores() {
        long entry = e.lookupRead(0);
        if (entry != Memory.NULL && !e.hasType(entry, ValueType.SORTED_SET)) {
            return;
        }
        e.reply.array(e.argc() - 1);
        for (int i = 1; i < e.argc(); i++) {
            scoreOf(entry, i);
        }
    }

    private void size() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.SORTED_SET)) {
            e.reply.integer(size(entry));
        }
    }

    private void rank(boolean reverse) {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.nil();
        } else if (e.hasType(entry, ValueType.SORTED_SET)) {
            if (find(entry, 1)) {
                int rank = sets.rank();
                e.reply.integer(reverse ? size(entry) - 1 - rank : rank);
            } else {
                e.reply.nil();
            }
        }
    }

    private void pop(boolean greatest) {
        if (e.argc() > 2) {
            e.error(Errors.SYNTAX);
            return;
        }
        boolean many = e.argc() == 2;
        if (many && !e.naturalNumber(1, Errors.MUST_BE_POSITIVE)) {
            return;
        }
        long wanted = many ? e.number() : 1;
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.reply.array(0);
            return;
        }
        if (!e.hasType(entry, ValueType.SORTED_SET)) {
            return;
        }
        int size = size(entry);
        int count = (int) Math.min(wanted, size);
        boolean nested = many && e.resp3;
        if (!e.isReplyCountAllowed(2L * count)) {
            return;
        }
        // All is in the reply before the first is removed: a reply that is too long ends the command with nothing
        // changed.
        e.reply.array(nested ? count : 2 * count);
        if (count == 0) {
            return;
        }
        sets.seek(encoding(entry), set(entry), greatest ? size - 1 : 0);
        for (int i = 0; i < count; i++) {
            if (nested) {
                e.reply.array(2);
            }
            sets.bulkMember(e);
            sets.bulkValue(e);
            if (i + 1 < count) {
                if (greatest) {
                    sets.previous();
                } else {
                    sets.next();
                }
            }
        }
        sets.removeRange(encoding(entry), set(entry), greatest ? size - count : 0, count);
        deleteIfEmpty(entry);
    }
}

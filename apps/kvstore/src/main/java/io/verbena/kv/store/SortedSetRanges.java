package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.KvOp;

/**
 * Ranges of sorted sets by rank, by score and by member. Each range is turned into one of ranks first, which a skip
 * list finds in O(log n). Single-threaded, as the shard that owns it.
 */
final class SortedSetRanges {
    private static final byte[] WITH_SCORES = word("withscores");
    private static final byte[] LIMIT = word("limit");
    private static final byte[] REV = word("rev");
    private static final byte[] BY_LEX = word("bylex");
    private static final byte[] BY_SCORE = word("byscore");

    /** What the bounds of a range are; AUTO is not said yet. */
    private enum By {
        AUTO,
        RANK,
        SCORE,
        LEX
    }

    private final Execution e;
    private final SortedSetValue sets;

    private By by = By.RANK;
    private boolean reverse;
    private boolean withScores;
    private long offset;
    private long limit;

    private long minRank;
    private long maxRank;
    private double minScore;
    private double maxScore;
    private boolean minExclusive;
    private boolean maxExclusive;
    /** Arguments of the bounds by member. */
    private int minArgument;

    private int maxArgument;

    /** The range as ranks, the last one included. */
    private int firstRank;

    private int lastRank;

    SortedSetRanges(Execution execution) {
        e = execution;
        sets = execution.values.sortedSets();
    }

    void execute(KvOp op) {
        reverse = false;
        switch (op) {
            case ZRANGE -> range(By.AUTO, true);
            case ZREVRANGE -> {
                reverse = true;
                range(By.RANK, false);
            }
            case ZRANGEBYSCORE -> range(By.SCORE, false);
            case ZREVRANGEBYSCORE -> {
                reverse = true;
                range(By.SCORE, false);
            }
            case ZRANGEBYLEX -> range(By.LEX, false);
            case ZREVRANGEBYLEX -> {
                reverse = true;
                range(By.LEX, false);
            }
            case ZCOUNT -> count(By.SCORE);
            case ZLEXCOUNT -> count(By.LEX);
            case ZREMRANGEBYRANK -> remove(By.RANK);
            case ZREMRANGEBYSCORE -> remove(By.SCORE);
            case ZREMRANGEBYLEX -> remove(By.LEX);
            default -> throw new IllegalStateException(op.name());
        }
    }

    private void range(By givenBy, boolean mayReverse) {
        by = givenBy;
        if (!parseOptions(mayReverse) || !parseBounds()) {
            return;
        }
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.array(0);
            return;
        }
        if (!e.hasType(entry, ValueType.SORTED_SET)) {
            return;
        }
        toRanks(entry);
        int count = Math.max(0, lastRank - firstRank + 1);
        int start = reverse ? lastRank : firstRank;
        if (by != By.RANK) {
            long skipped = offset < 0 ? count : Math.min(offset, count);
            count -= (int) skipped;
            start += reverse ? -(int) skipped : (int) skipped;
            count = limit < 0 ? count : (int) Math.min(limit, count);
        }
        reply(entry, start, count);
    }

    private boolean parseOptions(boolean mayReverse) {
        withScores = false;
        offset = 0;
        limit = -1;
        for (int i = 3; i < e.argc(); i++) {
            if (e.is(i, WITH_SCORES)) {
                withScores = true;
            } else if (e.is(i, LIMIT) && i + 2 < e.argc()) {
                if (!e.integer(i + 1)) {
                    return false;
                }
                offset = e.number();
                if (!e.integer(i + 2)) {
                    return false;
                }
                limit = e.number();
                i += 2;
            } else if (mayReverse && !reverse && e.is(i, REV)) {
                reverse = true;
            } else if (by == By.AUTO && e.is(i, BY_LEX)) {
                by = By.LEX;
            } else if (by == By.AUTO && e.is(i, BY_SCORE)) {
                by = By.SCORE;
            } else {
                e.error(Errors.SYNTAX);
                return false;
            }
        }
        by = by == By.AUTO ? By.RANK : by;
        if (limit != -1 && by == By.RANK) {
            e.error(Errors.LIMIT_WITHOUT_RANGE);
            return false;
        }
        if (withScores && by == By.LEX) {
            e.error(Errors.WITHSCORES_BY_LEX);
            return false;
        }
        return true;
    }

    /**
     * Reads the bounds of the range from arguments 1 and 2; replies with an error and returns false if they are none.
     */
    private boolean parseBounds() {
        // Reversed ranges by score and member name their greater bound first.
        boolean swapped = reverse && by != By.RANK;
        minArgument = swapped ? 2 : 1;
        maxArgument = swapped ? 1 : 2;
        return switch (by) {
            case SCORE -> parseScores();
            case LEX -> parseMembers();
            default -> parseRanks();
        };
    }

    private boolean parseRanks() {
        if (!e.integer(1)) {
            return false;
        }
        minRank = e.number();
        if (!e.integer(2)) {
            return false;
        }
        maxRank = e.number();
        return true;
    }

    private boolean parseScores() {
        minExclusive = isExclusive(minArgument);
        maxExclusive = isExclusive(maxArgument);
        if (!parseScore(minArgument, minExclusive)) {
            return false;
        }
        minScore = e.floats.value();
        if (!parseScore(maxArgument, maxExclusive)) {
            return false;
        }
        maxScore = e.floats.value();
        return true;
    }

    private boolean isExclusive(int argument) {
        return e.length(argument) > 0 && e.in.getByte(e.at(argument)) == '(';
    }

    private boolean parseScore(int argument, boolean exclusive) {
        int skip = exclusive ? 1 : 0;
        if (e.floats.parseBound(e.in, e.at(argument) + skip, e.length(argument) - skip)) {
            return true;
        }
        e.error(Errors.RANGE_NOT_A_FLOAT);
        return false;
    }

    private boolean parseMembers() {
        if (isMemberBound(minArgument) && isMemberBound(maxArgument)) {
            minExclusive = isExclusive(minArgument);
            maxExclusive = isExclusive(maxArgument);
            return true;
        }
        e.error(Errors.RANGE_NOT_A_STRING);
        return false;
    }

    private boolean isMemberBound(int argument) {
        if (e.length(argument) == 0) {
            return false;
        }
        byte first = e.in.getByte(e.at(argument));
        return first == '[' || first == '(' || ((first == '-' || first == '+') && e.length(argument) == 1);
    }

    private void toRanks(long entry) {
        byte encoding = e.keyspace.encoding(entry);
        long set = e.keyspace.value(entry);
        int size = sets.size(encoding, set);
        switch (by) {
            case SCORE -> {
                firstRank = sets.countBelow(encoding, set, minScore, minExclusive);
                lastRank = sets.countBelow(encoding, set, maxScore, !maxExclusive) - 1;
            }
            case LEX -> {
                firstRank = countBelow(encoding, set, size, minArgument, minExclusive);
                lastRank = countBelow(encoding, set, size, maxArgument, !maxExclusive) - 1;
            }
            default -> {
                long from = Math.max(0, minRank < 0 ? size + minRank : minRank);
                long to = Math.min(size - 1L, maxRank < 0 ? size + maxRank : maxRank);
                firstRank = (int) Math.min(from, size);
                lastRank = (int) Math.max(to, -1);
                if (reverse && firstRank <= lastRank) {
                    int swap = size - 1 - firstRank;
                    firstRank = size - 1 - lastRank;
                    lastRank = swap;
                }
            }
        }
    }

    private int countBelow(byte encoding, long set, int size, int argument, boolean orEqual) {
        byte first = e.in.getByte(e.at(argument));
        if (first == '-' || first == '+') {
            return first == '-' ? 0 : size;
        }
        return sets.countBelow(encoding, set, e.in, e.at(argument) + 1, e.length(argument) - 1, orEqual);
    }

    private void reply(long entry, int start, int count) {
        if (!e.isReplyCountAllowed(withScores ? 2L * count : count)) {
            return;
        }
        e.reply.array(withScores && !e.resp3 ? 2 * count : count);
        if (count <= 0) {
            return;
        }
        sets.seek(e.keyspace.encoding(entry), e.keyspace.value(entry), start);
        for (int i = 0; i < count; i++) {
            if (withScores && e.resp3) {
                e.reply.array(2);
            }
            sets.bulkMember(e);
            if (withScores) {
                sets.bulkValue(e);
            }
            if (i + 1 < count) {
                if (reverse) {
                    sets.previous();
                } else {
                    sets.next();
                }
            }
        }
    }

    private void count(By givenBy) {
        by = givenBy;
        if (!parseBounds()) {
            return;
        }
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.SORTED_SET)) {
            toRanks(entry);
            e.reply.integer(Math.max(0, lastRank - firstRank + 1));
        }
    }

    private void remove(By givenBy) {
        by = givenBy;
        if (!parseBounds()) {
            return;
        }
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(entry, ValueType.SORTED_SET)) {
            return;
        }
        toRanks(entry);
        int count = Math.max(0, lastRank - firstRank + 1);
        byte encoding = e.keyspace.encoding(entry);
        long set = e.keyspace.value(entry);
        if (count == sets.size(encoding, set)) {
            e.keyspace.delete(entry);
        } else if (count > 0) {
            sets.removeRange(encoding, set, firstRank, count);
        }
        e.reply.integer(count);
    }
}

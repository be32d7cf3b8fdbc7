package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyType;

/** Operations on lists. Single-threaded, as the shard that owns it. */
final class ListOperations {
    private static final byte[] LEFT = word("left");
    private static final byte[] RIGHT = word("right");
    private static final byte[] BEFORE = word("before");
    private static final byte[] AFTER = word("after");
    private static final byte[] RANK = word("rank");
    private static final byte[] COUNT = word("count");
    private static final byte[] MAXLEN = word("maxlen");

    private final Execution e;
    private final QuickList lists;

    ListOperations(Execution execution) {
        e = execution;
        lists = execution.values.lists();
    }

    void execute(KvOp op) {
        switch (op) {
            case LPUSH -> push(true, false);
            case RPUSH -> push(false, false);
            case LPUSHX -> push(true, true);
            case RPUSHX -> push(false, true);
            case LPOP -> pop(true);
            case RPOP -> pop(false);
            case LRANGE -> range();
            case LLEN -> length();
            case LINDEX -> index();
            case LSET -> set();
            case LREM -> remove();
            case LTRIM -> trim();
            case LINSERT -> insert();
            case LPOS -> position();
            case LMOVE -> {
                if ((!e.is(2, LEFT) && !e.is(2, RIGHT)) || (!e.is(3, LEFT) && !e.is(3, RIGHT))) {
                    e.error(Errors.SYNTAX);
                } else {
                    move(e.is(2, LEFT), e.is(3, LEFT));
                }
            }
            case RPOPLPUSH -> move(false, true);
            default -> throw new IllegalStateException(op.name());
        }
    }

    private long list(long entry) {
        return e.keyspace.value(entry);
    }

    private void push(boolean first, boolean onlyIfPresent) {
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            if (onlyIfPresent) {
                e.reply.integer(0);
                return;
            }
            entry = add(0);
        } else if (!e.hasType(entry, ValueType.LIST)) {
            return;
        }
        long list = list(entry);
        int before = lists.size(list);
        try {
            for (int i = 1; i < e.argc(); i++) {
                if (first) {
                    lists.pushFirst(list, e.in, e.at(i), e.length(i));
                } else {
                    lists.pushLast(list, e.in, e.at(i), e.length(i));
                }
            }
        } catch (AllocationFailedException failure) {
            trim(first, list, lists.size(list) - before);
            deleteIfEmpty(entry);
            throw failure;
        }
        e.reply.integer(lists.size(list));
    }

    private void trim(boolean first, long list, int count) {
        if (first) {
            lists.trimFirst(list, count);
        } else {
            lists.trimLast(list, count);
        }
    }

    private long add(int key) {
        return e.addOrRelease(key, ValueType.LIST, ValueType.QUICKLIST, lists.create());
    }

    private void deleteIfEmpty(long entry) {
        if (lists.size(list(entry)) == 0) {
            e.keyspace.delete(entry);
        }
    }

    private void pop(boolean first) {
        boolean many = e.argc() > 1;
        if (many && !e.naturalNumber(1, Errors.MUST_BE_POSITIVE)) {
            return;
        }
        long wanted = many ? e.number() : 1;
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            if (many) {
                e.reply.nilArray();
            } else {
                e.reply.nil();
            }
            return;
        }
        if (!e.hasType(entry, ValueType.LIST)) {
            return;
        }
        long list = list(entry);
        int count = (int) Math.min(wanted, lists.size(list));
        if (many) {
            if (!e.isReplyCountAllowed(count)) {
                return;
            }
            e.reply.array(count);
        }
        if (count == 0) {
            return;
        }
        // All is in the reply before the first is removed: a reply that is too long ends the command with nothing
        // changed.
        boolean more = first ? lists.seekFirst(list) : lists.seekLast(list);
        for (int i = 0; i < count && more; i++) {
            bulkHere();
            more = first ? lists.next() : lists.previous();
        }
        trim(first, list, count);
        deleteIfEmpty(entry);
    }

    private void bulkHere() {
        e.bulk(lists.elementAddress(), lists.elementLength());
    }

    private void range() {
        if (!e.integer(1)) {
            return;
        }
        long start = e.number();
        if (!e.integer(2)) {
            return;
        }
        long end = e.number();
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.array(0);
            return;
        }
        if (!e.hasType(entry, ValueType.LIST)) {
            return;
        }
        long list = list(entry);
        int size = lists.size(list);
        start = Math.max(0, start < 0 ? size + start : start);
        end = Math.min(size - 1, end < 0 ? size + end : end);
        if (start > end) {
            e.reply.array(0);
            return;
        }
        int count = (int) (end - start + 1);
        if (!e.isReplyCountAllowed(count)) {
            return;
        }
        e.reply.array(count);
        lists.seek(list, (int) start);
        for (int i = 0; i < count; i++) {
            bulkHere();
            lists.next();
        }
    }

    private void length() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.LIST)) {
            e.reply.integer(lists.size(list(entry)));
        }
    }

    /** Reads an argument as an index into a list and seeks it; 1 if it is there, 0 if not, -1 after an error. */
    private int seekArgument(long list, int argument) {
        if (!e.integer(argument)) {
            return -1;
        }
        int size = lists.size(list);
        long index = e.number() < 0 ? size + e.number() : e.number();
        if (index < 0 || index >= size) {
            return 0;
        }
        lists.seek(list, (int) index);
        return 1;
    }

    private void index() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.nil();
            return;
        }
        if (!e.hasType(entry, ValueType.LIST)) {
            return;
        }
        int found = seekArgument(list(entry), 1);
        if (found > 0) {
            bulkHere();
        } else if (found == 0) {
            e.reply.nil();
        }
    }

    private void set() {
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.error(Errors.NO_SUCH_KEY);
            return;
        }
        if (!e.hasType(entry, ValueType.LIST)) {
            return;
        }
        int found = seekArgument(list(entry), 1);
        if (found == 0) {
            e.error(Errors.INDEX_OUT_OF_RANGE);
        } else if (found > 0) {
            lists.replace(list(entry), e.in, e.at(2), e.length(2));
            e.ok();
        }
    }

    private void remove() {
        if (!e.integer(1)) {
            return;
        }
        long count = e.number();
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(entry, ValueType.LIST)) {
            return;
        }
        long list = list(entry);
        boolean forward = count >= 0;
        long limit = count == 0 || count == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(count);
        long removed = 0;
        boolean more = forward ? lists.seekFirst(list) : lists.seekLast(list);
        while (more && removed < limit) {
            if (lists.elementEquals(e.in, e.at(2), e.length(2))) {
                more = forward ? lists.removeAndNext(list) : lists.removeAndPrevious(list);
                removed++;
            } else {
                more = forward ? lists.next() : lists.previous();
            }
        }
        deleteIfEmpty(entry);
        e.reply.integer(removed);
    }

    private void trim() {
        if (!e.integer(1)) {
            return;
        }
        long start = e.number();
        if (!e.integer(2)) {
            return;
        }
        long end = e.number();
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.ok();
            return;
        }
        if (!e.hasType(entry, ValueType.LIST)) {
            return;
        }
        long list = list(entry);
        int size = lists.size(list);
        start = Math.max(0, start < 0 ? size + start : start);
        end = Math.min(size - 1, end < 0 ? size + end : end);
        if (start > end) {
            e.keyspace.delete(entry);
        } else {
            lists.trimFirst(list, (int) start);
            lists.trimLast(list, size - 1 - (int) end);
        }
        e.ok();
    }

    private void insert() {
        boolean before = e.is(1, BEFORE);
        if (!before && !e.is(1, AFTER)) {
            e.error(Errors.SYNTAX);
            return;
        }
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(entry, ValueType.LIST)) {
            return;
        }
        long list = list(entry);
        for (boolean more = lists.seekFirst(list); more; more = lists.next()) {
            if (lists.elementEquals(e.in, e.at(2), e.length(2))) {
                if (before) {
                    lists.insertBefore(list, e.in, e.at(3), e.length(3));
                } else {
                    lists.insertAfter(list, e.in, e.at(3), e.length(3));
                }
                e.reply.integer(lists.size(list));
                return;
            }
        }
        e.reply.integer(-1);
    }

    private void position() {
        long rank = 1;
        long count = -1;
        long maxLength = 0;
        for (int i = 2; i < e.argc(); i += 2) {
            boolean more = i + 1 < e.argc();
            if (more && e.is(i, RANK)) {
                if (!e.integer(i + 1)) {
                    return;
                }
                rank = e.number();
                if (rank == Long.MIN_VALUE) {
                    e.rangeError();
                    return;
                }
                if (rank == 0) {
                    e.error(Errors.RANK_ZERO);
                    return;
                }
            } else if (more && e.is(i, COUNT)) {
                if (!e.naturalNumber(i + 1, Errors.COUNT_NEGATIVE)) {
                    return;
                }
                count = e.number();
            } else if (more && e.is(i, MAXLEN)) {
                if (!e.naturalNumber(i + 1, Errors.MAXLEN_NEGATIVE)) {
                    return;
                }
                maxLength = e.number();
            } else {
                e.error(Errors.SYNTAX);
                return;
            }
        }
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            if (count < 0) {
                e.reply.nil();
            } else {
                e.reply.array(0);
            }
        } else if (e.hasType(entry, ValueType.LIST)) {
            findPositions(list(entry), rank, count, maxLength);
        }
    }

    private void findPositions(long list, long rank, long count, long maxLength) {
        boolean forward = rank > 0;
        int size = lists.size(list);
        int open = count < 0 ? -1 : e.reply.openAggregate(ReplyType.ARRAY);
        long toSkip = Math.abs(rank) - 1;
        int found = 0;
        int index = 0;
        boolean more = forward ? lists.seekFirst(list) : lists.seekLast(list);
        while (more && (maxLength == 0 || index < maxLength)) {
            if (lists.elementEquals(e.in, e.at(1), e.length(1)) && toSkip-- <= 0) {
                e.reply.integer(forward ? index : size - 1 - index);
                found++;
                if (count < 0 || found == count) {
                    break;
                }
            }
            index++;
            more = forward ? lists.next() : lists.previous();
        }
        if (count >= 0) {
            e.reply.closeAggregate(open, found);
        } else if (found == 0) {
            e.reply.nil();
        }
    }

    private void move(boolean fromFirst, boolean toFirst) {
        long source = e.lookupWrite(0);
        if (source == Memory.NULL) {
            e.reply.nil();
            return;
        }
        if (!e.hasType(source, ValueType.LIST)) {
            return;
        }
        long target = e.lookupWrite(1);
        if (target != Memory.NULL && !e.hasType(target, ValueType.LIST)) {
            return;
        }
        long from = list(source);
        if (fromFirst) {
            lists.seekFirst(from);
        } else {
            lists.seekLast(from);
        }
        // The reply holds a copy of the element, from which it is pushed: a push may move the node that it lies in.
        int length = lists.elementLength();
        int at = e.reply.claimBulk(length);
        e.reply.buffer().putBytes(at, lists.buffer(), lists.elementOffset(), length);
        if (target == Memory.NULL) {
            target = add(1);
        }
        long to = list(target);
        try {
            if (toFirst) {
                lists.pushFirst(to, e.reply.buffer(), at, length);
            } else {
                lists.pushLast(to, e.reply.buffer(), at, length);
            }
        } finally {
            deleteIfEmpty(target);
        }
        if (from == to && fromFirst == toFirst) {
            // The pushed copy lies in front of the original.
            if (fromFirst) {
                lists.seekFirst(from);
                lists.next();
                lists.removeAndNext(from);
            } else {
                lists.seekLast(from);
                lists.previous();
                lists.removeAndNext(from);
            }
        } else if (fromFirst) {
            lists.trimFirst(from, 1);
        } else {
            lists.trimLast(from, 1);
        }
        deleteIfEmpty(source);
    }
}

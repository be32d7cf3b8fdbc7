package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;

/** Operations on one set, and the move between two. Single-threaded, as the shard that owns it. */
final class SetOperations {
    private static final byte[] NO_VALUES = {};

    private final Execution e;
    private final SetValue sets;
    private final ScanOptions scans;
    private final RandomMembers randoms;

    SetOperations(Execution execution, ScanOptions scans, RandomMembers randoms) {
        e = execution;
        sets = execution.values.sets();
        this.scans = scans;
        this.randoms = randoms;
    }

    void execute(KvOp op) {
        switch (op) {
            case SADD -> add();
            case SREM -> remove();
            case SPOP -> pop();
            case SRANDMEMBER -> random();
            case SISMEMBER -> isMember();
            case SMISMEMBER -> areMembers();
            case SMEMBERS -> members();
            case SCARD -> size();
            case SSCAN -> scans.scan(ValueType.SET, sets);
            case SMOVE -> move();
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

    /** Makes an empty set for a key, with the encoding that suits a first member. */
    private long addKey(int key, int member) {
        byte encoding = sets.encodingFor(e.in, e.at(member), e.length(member));
        return e.addOrRelease(key, ValueType.SET, encoding, sets.create(encoding));
    }

    private boolean addMember(long entry, int argument) {
        boolean added = sets.add(encoding(entry), set(entry), e.in, e.at(argument), e.length(argument));
        e.keyspace.value(entry, sets.encoding(), sets.address());
        return added;
    }

    private boolean removeMember(long entry, int argument) {
        return sets.remove(encoding(entry), set(entry), e.in, e.at(argument), e.length(argument));
    }

    private boolean contains(long entry, int argument) {
        return sets.contains(encoding(entry), set(entry), e.in, e.at(argument), e.length(argument));
    }

    private void deleteIfEmpty(long entry) {
        if (size(entry) == 0) {
            e.keyspace.delete(entry);
        }
    }

    private void add() {
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            entry = addKey(0, 1);
        } else if (!e.hasType(entry, ValueType.SET)) {
            return;
        }
        // The arguments that were added, to remove them should one of them find no memory.
        e.entries.clear();
        try {
            for (int i = 1; i < e.argc(); i++) {
                e.entries.prepareAdd(1);
                if (addMember(entry, i)) {
                    e.entries.add(i);
                }
            }
        } catch (AllocationFailedException | OutOfMemoryError failure) {
            for (int i = 0; i < e.entries.size(); i++) {
                removeMember(entry, (int) e.entries.get(i));
            }
            deleteIfEmpty(entry);
            throw failure;
        }
        e.reply.integer(e.entries.size());
    }

    private void remove() {
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(entry, ValueType.SET)) {
            return;
        }
        int removed = 0;
        for (int i = 1; i < e.argc(); i++) {
            if (removeMember(entry, i)) {
                removed++;
            }
        }
        deleteIfEmpty(entry);
        e.reply.integer(removed);
    }

    private void pop() {
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
            if (many) {
                e.reply.set(0);
            } else {
                e.reply.nil();
            }
            return;
        }
        if (!e.hasType(entry, ValueType.SET)) {
            return;
        }
        int size = size(entry);
        int count = (int) Math.min(wanted, size);
        if (many) {
            if (!e.isReplyCountAllowed(count)) {
                return;
            }
            e.reply.set(count);
        }
        if (count == size) {
            bulkAll(entry);
            e.keyspace.delete(entry);
        } else {
            popSome(entry, count);
        }
    }

    /** Removes random members when all are in the reply: one that is too long ends the command with nothing changed. */
    private void popSome(long entry, int count) {
        byte encoding = encoding(entry);
        long set = set(entry);
        randoms.choose(sets, encoding, set, count);
        for (int i = 0; i < count; i++) {
            sets.goTo(encoding, set, e.entries.get(i));
            sets.bulkMember(e);
        }
        if (encoding == ValueType.INTSET) {
            e.entries.keepFirst(count);
            e.entries.sort();
        }
        // The last first: those in front of it keep their places.
        for (int i = count - 1; i >= 0; i--) {
            sets.goTo(encoding, set, e.entries.get(i));
            sets.removeHere();
        }
    }

    private void bulkAll(long entry) {
        for (boolean more = sets.first(encoding(entry), set(entry)); more; more = sets.next()) {
            sets.bulkMember(e);
        }
    }

    private void random() {
        if (e.argc() > 2) {
            e.error(Errors.SYNTAX);
        } else {
            randoms.execute(ValueType.SET, sets, NO_VALUES);
        }
    }

    private void isMember() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.SET)) {
            e.reply.integer(contains(entry, 1) ? 1 : 0);
        }
    }

    private void areMembers() {
        long entry = e.lookupRead(0);
        if (entry != Memory.NULL && !e.hasType(entry, ValueType.SET)) {
            return;
        }
        e.reply.array(e.argc() - 1);
        for (int i = 1; i < e.argc(); i++) {
            e.reply.integer(entry != Memory.NULL && contains(entry, i) ? 1 : 0);
        }
    }

    private void members() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.set(0);
        } else if (e.hasType(entry, ValueType.SET)) {
            if (e.isReplyCountAllowed(size(entry))) {
                e.reply.set(size(entry));
                bulkAll(entry);
            }
        }
    }

    private void size() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.SET)) {
            e.reply.integer(size(entry));
        }
    }

    private void move() {
        long source = e.lookupWrite(0);
        long target = e.lookupWrite(1);
        if (source == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(source, ValueType.SET) || (target != Memory.NULL && !e.hasType(target, ValueType.SET))) {
            return;
        }
        boolean member = contains(source, 2);
        if (source == target || !member) {
            e.reply.integer(member ? 1 : 0);
            return;
        }
        if (target == Memory.NULL) {
            target = addKey(1, 2);
        }
        try {
            addMember(target, 2);
        } finally {
            deleteIfEmpty(target);
        }
        removeMember(source, 2);
        deleteIfEmpty(source);
        e.reply.integer(1);
    }
}

package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;

/** Operations on one set, and the move between two. Single-threaded, as the shard that owns it. */
final class SetOperations {
    private static final byte[] NO_VALUES = {};

    private final Execution e;
    private final SetValue sets;
    private final ScanOptions scans;
    private final RandomMembers randoms;

    SetOperations(final Execution execution, final ScanOptions scans, final RandomMembers randoms) {
        e = execution;
        sets = execution.values.sets();
        this.scans = scans;
        this.randoms = randoms;
    }

    void execute(final KvOp op) {
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

    private byte encoding(final long entry) {
        return e.keyspace.encoding(entry);
    }

    private long set(final long entry) {
        return e.keyspace.value(entry);
    }

    private int size(final long entry) {
        return sets.size(encoding(entry), set(entry));
    }

    /** Makes an empty set for a key, with the encoding that suits a first member. */
    private long addKey(final int key, final int member) {
        final byte encoding = sets.encodingFor(e.in, e.at(member), e.length(member));
        final long set = sets.create(encoding);
        try {
            return e.add(key, ValueType.SET, encoding, set);
        } catch (final AllocationFailedException failure) {
            e.values.release(ValueType.SET, encoding, set);
            throw failure;
        }
    }

    private boolean addMember(final long entry, final int argument) {
        final boolean added = sets.add(encoding(entry), set(entry), e.in, e.at(argument), e.length(argument));
        e.keyspace.value(entry, sets.encoding(), sets.address());
        return added;
    }

    private boolean contains(final long entry, final int argument) {
        return sets.contains(encoding(entry), set(entry), e.in, e.at(argument), e.length(argument));
    }

    private void deleteIfEmpty(final long entry) {
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
        int added = 0;
        try {
            for (int i = 1; i < e.argc(); i++) {
                if (addMember(entry, i)) {
                    added++;
                }
            }
        } finally {
            deleteIfEmpty(entry);
        }
        e.reply.integer(added);
    }

    private void remove() {
        final long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(entry, ValueType.SET)) {
            return;
        }
        int removed = 0;
        for (int i = 1; i < e.argc(); i++) {
            if (sets.remove(encoding(entry), set(entry), e.in, e.at(i), e.length(i))) {
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
        final boolean many = e.argc() == 2;
        if (many && !e.naturalNumber(1, Errors.MUST_BE_POSITIVE)) {
            return;
        }
        final long wanted = many ? e.number() : 1;
        final long entry = e.lookupWrite(0);
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
        final int size = size(entry);
        final int count = (int) Math.min(wanted, size);
        if (many) {
            e.reply.set(count);
        }
        if (count == size) {
            bulkAll(entry);
            e.keyspace.delete(entry);
            return;
        }
        for (int i = 0; i < count; i++) {
            sets.random(encoding(entry), set(entry), e.random);
            sets.bulkMember(e);
            sets.removeHere();
        }
    }

    private void bulkAll(final long entry) {
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
        final long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.SET)) {
            e.reply.integer(contains(entry, 1) ? 1 : 0);
        }
    }

    private void areMembers() {
        final long entry = e.lookupRead(0);
        if (entry != Memory.NULL && !e.hasType(entry, ValueType.SET)) {
            return;
        }
        e.reply.array(e.argc() - 1);
        for (int i = 1; i < e.argc(); i++) {
            e.reply.integer(entry != Memory.NULL && contains(entry, i) ? 1 : 0);
        }
    }

    private void members() {
        final long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.set(0);
        } else if (e.hasType(entry, ValueType.SET)) {
            e.reply.set(size(entry));
            bulkAll(entry);
        }
    }

    private void size() {
        final long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.SET)) {
            e.reply.integer(size(entry));
        }
    }

    private void move() {
        final long source = e.lookupWrite(0);
        long target = e.lookupWrite(1);
        if (source == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(source, ValueType.SET) || (target != Memory.NULL && !e.hasType(target, ValueType.SET))) {
            return;
        }
        final boolean member = contains(source, 2);
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
        sets.remove(encoding(source), set(source), e.in, e.at(2), e.length(2));
        deleteIfEmpty(source);
        e.reply.integer(1);
    }
}

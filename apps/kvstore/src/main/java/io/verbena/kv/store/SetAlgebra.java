package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;

/** Intersection, union and difference of the sets of a shard. Single-threaded, as the shard that owns it. */
final class SetAlgebra {
    private final Execution e;
    /** Walks the sources. */
    private final SetValue sets;
    /** Adds to the result, so that the position of the walk stays. */
    private final SetValue adder;

    private byte resultEncoding;
    private long result = Memory.NULL;

    SetAlgebra(Execution execution) {
        e = execution;
        sets = execution.values.sets();
        adder = execution.values.newSetValue();
    }

    void execute(KvOp op) {
        boolean store = op == KvOp.SINTERSTORE || op == KvOp.SUNIONSTORE || op == KvOp.SDIFFSTORE;
        if (!collect(store ? 1 : 0)) {
            return;
        }
        resultEncoding = ValueType.INTSET;
        result = sets.create(resultEncoding);
        try {
            switch (op) {
                case SINTER, SINTERSTORE -> intersect();
                case SUNION, SUNIONSTORE -> unite();
                case SDIFF, SDIFFSTORE -> subtract();
                default -> throw new IllegalStateException(op.name());
            }
            if (store) {
                store();
            } else {
                reply();
            }
        } finally {
            if (result != Memory.NULL) {
                e.values.release(ValueType.SET, resultEncoding, result);
                result = Memory.NULL;
            }
        }
    }

    /**
     * Finds all sets; an absent one is {@link Memory#NULL}. Replies with an error and returns false on another type.
     */
    private boolean collect(int first) {
        e.entries.clear();
        for (int i = first; i < e.argc(); i++) {
            long entry = e.lookupRead(i);
            if (entry != Memory.NULL && !e.hasType(entry, ValueType.SET)) {
                return false;
            }
            e.entries.add(entry);
        }
        return true;
    }

    private boolean first(long entry) {
        return entry != Memory.NULL && sets.first(e.keyspace.encoding(entry), e.keyspace.value(entry));
    }

    private int size(long entry) {
        return sets.size(e.keyspace.encoding(entry), e.keyspace.value(entry));
    }

    private boolean contains(long entry) {
        return sets.contains(
                e.keyspace.encoding(entry),
                e.keyspace.value(entry),
                sets.memberBuffer(),
                sets.memberOffset(),
                sets.memberLength());
    }

    private void addHere() {
        adder.add(resultEncoding, result, sets.memberBuffer(), sets.memberOffset(), sets.memberLength());
        resultEncoding = adder.encoding();
        result = adder.address();
    }

    private void intersect() {
        long smallest = e.entries.get(0);
        for (int i = 0; i < e.entries.size() && smallest != Memory.NULL; i++) {
            long entry = e.entries.get(i);
            if (entry == Memory.NULL || size(entry) < size(smallest)) {
                smallest = entry;
            }
        }
        for (boolean more = first(smallest); more; more = sets.next()) {
            boolean inAll = true;
            for (int i = 0; i < e.entries.size() && inAll; i++) {
                inAll = e.entries.get(i) == smallest || contains(e.entries.get(i));
            }
            if (inAll) {
                addHere();
            }
        }
    }

    private void unite() {
        for (int i = 0; i < e.entries.size(); i++) {
            for (boolean more = first(e.entries.get(i)); more; more = sets.next()) {
                addHere();
            }
        }
    }

    private void subtract() {
        for (boolean more = first(e.entries.get(0)); more; more = sets.next()) {
            boolean inAny = false;
            for (int i = 1; i < e.entries.size() && !inAny; i++) {
                inAny = e.entries.get(i) != Memory.NULL && contains(e.entries.get(i));
            }
            if (!inAny) {
                addHere();
            }
        }
    }

    private void reply() {
        int size = sets.size(resultEncoding, result);
        if (!e.isReplyCountAllowed(size)) {
            return;
        }
        e.reply.set(size);
        for (boolean more = sets.first(resultEncoding, result); more; more = sets.next()) {
            sets.bulkMember(e);
        }
    }

    private void store() {
        int size = sets.size(resultEncoding, result);
        long target = e.lookupWrite(0);
        if (size == 0) {
            if (target != Memory.NULL) {
                e.keyspace.delete(target);
            }
        } else if (target == Memory.NULL) {
            e.add(0, ValueType.SET, resultEncoding, result);
            result = Memory.NULL;
        } else {
            e.keyspace.releaseValue(target);
            e.keyspace.persist(target);
            e.keyspace.set(target, ValueType.SET, resultEncoding, result);
            result = Memory.NULL;
        }
        e.reply.integer(size);
    }
}

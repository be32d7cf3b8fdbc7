package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyDescriptor;
import io.verbena.kv.protocol.ReplyTooLargeException;

/** Operations on hashes. Single-threaded, as the shard that owns it. */
final class HashOperations {
    private static final byte[] WITH_VALUES = word("withvalues");

    private final Execution e;
    private final HashValue hashes;
    private final ScanOptions scans;
    private final RandomMembers randoms;
    private final ExtendedFloat sum = new ExtendedFloat();
    private final ExtendedFloat increment = new ExtendedFloat();
    private final HashMultipleSet multipleSet;

    HashOperations(Execution execution, ScanOptions scans, RandomMembers randoms) {
        e = execution;
        hashes = execution.values.hashes();
        this.scans = scans;
        this.randoms = randoms;
        multipleSet = new HashMultipleSet(execution);
    }

    void execute(KvOp op) {
        switch (op) {
            case HSET, HMSET -> set(op == KvOp.HMSET);
            case HSETNX -> setIfAbsent();
            case HGET -> get();
            case HMGET -> getMany();
            case HGETALL -> getAll(true, true);
            case HKEYS -> getAll(true, false);
            case HVALS -> getAll(false, true);
            case HDEL -> delete();
            case HEXISTS -> exists();
            case HLEN -> size();
            case HSTRLEN -> valueLength();
            case HINCRBY -> increment();
            case HINCRBYFLOAT -> incrementFloat();
            case HSCAN -> scans.scan(ValueType.HASH, hashes);
            case HRANDFIELD -> randoms.execute(ValueType.HASH, hashes, WITH_VALUES);
            default -> throw new IllegalStateException(op.name());
        }
    }

    private byte encoding(long entry) {
        return e.keyspace.encoding(entry);
    }

    private long hash(long entry) {
        return e.keyspace.value(entry);
    }

    private int size(long entry) {
        return hashes.size(encoding(entry), hash(entry));
    }

    private boolean find(long entry, int argument) {
        return hashes.find(encoding(entry), hash(entry), e.in, e.at(argument), e.length(argument));
    }

    /** Finds the hash of argument 0 or makes it; {@link Memory#NULL} after an error. */
    private long openHash() {
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            return e.addOrRelease(
                    0,
                    ValueType.HASH,
                    ValueType.LISTPACK,
                    e.values.packedLists().create());
        }
        return e.hasType(entry, ValueType.HASH) ? entry : Memory.NULL;
    }

    private void deleteIfEmpty(long entry) {
        if (size(entry) == 0) {
            e.keyspace.delete(entry);
        }
    }

    private boolean put(long entry, int field, int value) {
        boolean found = find(entry, field);
        return hashes.set(
                e.keyspace, entry, found, e.in, e.at(field), e.length(field), e.in, e.at(value), e.length(value));
    }

    private void set(boolean status) {
        if ((e.argc() & 1) == 0) {
            e.arityError();
            return;
        }
        long entry = openHash();
        if (entry == Memory.NULL) {
            return;
        }
        int created;
        try {
            if (e.argc() == 3) {
                created = put(entry, 1, 2) ? 1 : 0;
            } else {
                created = multipleSet.execute(entry);
            }
        } finally {
            deleteIfEmpty(entry);
        }
        if (status) {
            e.ok();
        } else {
            e.reply.integer(created);
        }
    }

    private void setIfAbsent() {
        long entry = openHash();
        if (entry == Memory.NULL) {
            return;
        }
        if (find(entry, 1)) {
            e.reply.integer(0);
            return;
        }
        try {
            put(entry, 1, 2);
        } finally {
            deleteIfEmpty(entry);
        }
        e.reply.integer(1);
    }

    private void get() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.nil();
        } else if (e.hasType(entry, ValueType.HASH)) {
            if (find(entry, 1)) {
                hashes.bulkValue(e);
            } else {
                e.reply.nil();
            }
        }
    }

    private void getMany() {
        long entry = e.lookupRead(0);
        if (entry != Memory.NULL && !e.hasType(entry, ValueType.HASH)) {
            return;
        }
        e.reply.array(e.argc() - 1);
        for (int i = 1; i < e.argc(); i++) {
            if (entry != Memory.NULL && find(entry, i)) {
                hashes.bulkValue(e);
            } else {
                e.reply.nil();
            }
        }
    }

    private void getAll(boolean fields, boolean values) {
        long entry = e.lookupRead(0);
        if (entry != Memory.NULL && !e.hasType(entry, ValueType.HASH)) {
            return;
        }
        int size = entry == Memory.NULL ? 0 : size(entry);
        if (!e.isReplyCountAllowed(fields && values ? 2L * size : size)) {
            return;
        }
        if (fields && values) {
            e.reply.map(size);
        } else {
            e.reply.array(size);
        }
        if (size == 0) {
            return;
        }
        for (boolean more = hashes.first(encoding(entry), hash(entry)); more; more = hashes.next()) {
            if (fields) {
                hashes.bulkMember(e);
            }
            if (values) {
                hashes.bulkValue(e);
            }
        }
    }

    private void delete() {
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(entry, ValueType.HASH)) {
            return;
        }
        int deleted = 0;
        for (int i = 1; i < e.argc(); i++) {
            if (find(entry, i)) {
                hashes.remove();
                deleted++;
            }
        }
        deleteIfEmpty(entry);
        e.reply.integer(deleted);
    }

    private void exists() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.HASH)) {
            e.reply.integer(find(entry, 1) ? 1 : 0);
        }
    }

    private void size() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.HASH)) {
            e.reply.integer(size(entry));
        }
    }

    private void valueLength() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.HASH)) {
            e.reply.integer(find(entry, 1) ? hashes.valueLength() : 0);
        }
    }

    private void increment() {
        if (!e.integer(2)) {
            return;
        }
        long by = e.number();
        long entry = openHash();
        if (entry == Memory.NULL) {
            return;
        }
        boolean found = find(entry, 1);
        long value = 0;
        if (found) {
            long address = hashes.valueAddress();
            if (!e.decimals.parse(e.memory.buffer(address), Memory.offset(address), hashes.valueLength())) {
                e.error(Errors.HASH_VALUE_NOT_AN_INTEGER);
                return;
            }
            value = e.decimals.value();
        }
        long result = value + by;
        if (((value ^ result) & (by ^ result)) < 0) {
            e.error(Errors.OVERFLOW);
            return;
        }
        putScratch(entry, found, e.scratch.putLongAscii(0, result));
        e.reply.integer(result);
    }

    private void putScratch(long entry, boolean found, int length) {
        try {
            hashes.set(e.keyspace, entry, found, e.in, e.at(1), e.length(1), e.scratch, 0, length);
        } finally {
            deleteIfEmpty(entry);
        }
    }

    private void incrementFloat() {
        if (!increment.parse(e.in, e.at(2), e.length(2))) {
            e.error(Errors.NOT_A_FLOAT);
            return;
        }
        if (increment.isInfinite()) {
            e.error(Errors.VALUE_NAN_OR_INFINITY);
            return;
        }
        long entry = openHash();
        if (entry == Memory.NULL) {
            return;
        }
        boolean found = find(entry, 1);
        sum.set(0);
        if (found) {
            long address = hashes.valueAddress();
            if (!sum.parse(e.memory.buffer(address), Memory.offset(address), hashes.valueLength())) {
                e.error(Errors.HASH_VALUE_NOT_A_FLOAT);
                return;
            }
        }
        sum.add(increment);
        if (sum.isInfinite()) {
            e.error(Errors.NAN_OR_INFINITY);
            return;
        }
        int length = sum.put(e.doubleText, e.scratch, 0);
        try {
            e.requireReplyRoom(ReplyDescriptor.textLength(length));
        } catch (ReplyTooLargeException tooLarge) {
            deleteIfEmpty(entry);
            throw tooLarge;
        }
        putScratch(entry, found, length);
        e.reply.bulk(e.scratch, 0, length);
    }
}

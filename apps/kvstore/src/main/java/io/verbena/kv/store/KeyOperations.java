package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.KvOp;

/** Operations on keys, whatever their values are. Single-threaded, as the shard that owns it. */
final class KeyOperations {
    private static final byte[] NONE = word("none");
    private static final byte[] REPLACE = word("replace");
    private static final byte[] DB = word("db");
    private static final byte[] ENCODING = word("encoding");
    private static final byte[] REFCOUNT = word("refcount");
    private static final byte[] IDLETIME = word("idletime");
    private static final byte[] FREQ = word("freq");
    private static final byte[] USAGE = word("usage");
    private static final byte[] SAMPLES = word("samples");
    /** Redis shares one object for each of these numbers, and shows its reference count as this. */
    private static final int SHARED_INTEGERS = 10_000;

    private static final long SHARED_REFERENCES = Integer.MAX_VALUE;
    /** Elements of a value that MEMORY USAGE looks at unless told otherwise. */
    private static final int DEFAULT_SAMPLES = 5;

    private final Execution e;

    KeyOperations(Execution execution) {
        e = execution;
    }

    void execute(KvOp op) {
        switch (op) {
            case DEL, UNLINK -> delete();
            case EXISTS, TOUCH -> exists();
            case TYPE -> type();
            case RENAME, RENAMENX -> rename(op == KvOp.RENAMENX);
            case COPY -> copy();
            case OBJECT -> object();
            case MEMORY -> memory();
            default -> throw new IllegalStateException(op.name());
        }
    }

    private void delete() {
        int count = 0;
        for (int i = 0; i < e.argc(); i++) {
            long entry = e.lookupWrite(i);
            if (entry != Memory.NULL) {
                e.keyspace.delete(entry);
                count++;
            }
        }
        e.reply.integer(count);
    }

    private void exists() {
        int count = 0;
        for (int i = 0; i < e.argc(); i++) {
            long entry = e.op == KvOp.TOUCH ? e.lookupRead(i) : e.lookupQuietly(i);
            if (entry != Memory.NULL) {
                count++;
            }
        }
        e.reply.integer(count);
    }

    private void type() {
        long entry = e.lookupQuietly(0);
        e.reply.status(entry == Memory.NULL ? NONE : ValueType.name(e.keyspace.type(entry)));
    }

    private void rename(boolean onlyIfAbsent) {
        Keyspace keys = e.keyspace;
        long source = e.lookupWrite(0);
        if (source == Memory.NULL) {
            e.error(Errors.NO_SUCH_KEY);
            return;
        }
        long target = e.lookupWrite(1);
        if (target == source) {
            if (onlyIfAbsent) {
                e.reply.integer(0);
            } else {
                e.ok();
            }
            return;
        }
        if (target != Memory.NULL && onlyIfAbsent) {
            e.reply.integer(0);
            return;
        }
        byte type = keys.type(source);
        byte encoding = keys.encoding(source);
        long value = keys.value(source);
        long renamed;
        if (target == Memory.NULL) {
            renamed = e.add(1, type, encoding, value);
        } else {
            keys.releaseValue(target);
            keys.persist(target);
            keys.set(target, type, encoding, value);
            renamed = target;
        }
        keys.moveExpiry(source, renamed);
        keys.detach(source);
        if (onlyIfAbsent) {
            e.reply.integer(1);
        } else {
            e.ok();
        }
    }

    private void copy() {
        Keyspace targetKeys = e.keyspace;
        boolean replace = false;
        for (int i = 2; i < e.argc(); i++) {
            if (e.is(i, REPLACE)) {
                replace = true;
            } else if (e.is(i, DB) && i + 1 < e.argc()) {
                if (!e.integer(i + 1)) {
                    return;
                }
                if (e.number() < 0 || e.number() >= e.databases.length) {
                    e.error(Errors.DATABASE_OUT_OF_RANGE);
                    return;
                }
                targetKeys = e.databases[(int) e.number()];
                i++;
            } else {
                e.error(Errors.SYNTAX);
                return;
            }
        }
        boolean sameKey = e.length(0) == e.length(1) && Bytes.equal(e.in, e.at(0), e.in, e.at(1), e.length(0));
        if (targetKeys == e.keyspace && sameKey) {
            e.error(Errors.SAME_OBJECT);
            return;
        }
        long source = e.lookupRead(0);
        if (source == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        long found = targetKeys.lookup(e.in, e.at(1), e.length(1), e.now);
        if (found != Memory.NULL && !replace) {
            e.reply.integer(0);
            return;
        }
        long expiry = e.keyspace.expiry(source);
        if (expiry != Keyspace.NO_EXPIRY) {
            targetKeys.prepareExpiry();
        }
        long target = copyTo(targetKeys, found, source);
        if (expiry != Keyspace.NO_EXPIRY) {
            targetKeys.expireAt(target, expiry);
        } else {
            targetKeys.persist(target);
        }
        e.reply.integer(1);
    }

    /** Copies a value to a key, which is argument 1 and has been looked up; returns the entry. */
    private long copyTo(Keyspace targetKeys, long found, long source) {
        byte type = e.keyspace.type(source);
        byte encoding = e.keyspace.encoding(source);
        long value = e.values.copy(type, encoding, e.keyspace.value(source));
        if (found != Memory.NULL) {
            targetKeys.releaseValue(found);
            targetKeys.set(found, type, encoding, value);
            return found;
        }
        try {
            return targetKeys.add(e.in, e.at(1), e.length(1), type, encoding, value, e.now);
        } catch (AllocationFailedException failure) {
            e.values.release(type, encoding, value);
            throw failure;
        }
    }

    private void object() {
        boolean encoding = e.is(0, ENCODING);
        boolean references = e.is(0, REFCOUNT);
        boolean idle = e.is(0, IDLETIME);
        boolean frequency = e.is(0, FREQ);
        if (!encoding && !references && !idle && !frequency) {
            unknownSubcommand();
            return;
        }
        if (e.argc() != 2) {
            subcommandArity();
            return;
        }
        long entry = e.lookupQuietly(1);
        if (entry == Memory.NULL) {
            e.reply.nil();
        } else if (encoding) {
            e.reply.bulk(ValueType.encodingName(e.keyspace.visibleEncoding(entry)));
        } else if (references) {
            e.reply.integer(isShared(entry) ? SHARED_REFERENCES : 1);
        } else if (idle) {
            e.reply.integer(e.keyspace.idleMillis(entry, e.now) / 1000);
        } else {
            e.error(Errors.NO_FREQUENCY);
        }
    }

    private boolean isShared(long entry) {
        long value = e.keyspace.value(entry);
        return e.keyspace.encoding(entry) == ValueType.INT
                && value >= 0
                && value < SHARED_INTEGERS
                && (e.context.maxMemory() == 0 || e.context.evictionPolicy() == EvictionPolicy.REFUSE);
    }

    private void memory() {
        if (!e.is(0, USAGE)) {
            unknownSubcommand();
            return;
        }
        if (e.argc() < 2) {
            subcommandArity();
            return;
        }
        long samples = DEFAULT_SAMPLES;
        for (int i = 2; i < e.argc(); i += 2) {
            if (!e.is(i, SAMPLES) || i + 1 == e.argc()) {
                e.error(Errors.SYNTAX);
                return;
            }
            if (!e.integer(i + 1)) {
                return;
            }
            samples = e.number();
            if (samples < 0) {
                e.error(Errors.SYNTAX);
                return;
            }
        }
        long entry = e.lookupQuietly(1);
        if (entry == Memory.NULL) {
            e.reply.nil();
            return;
        }
        long value = e.values.footprint(
                e.keyspace.type(entry), e.keyspace.encoding(entry), e.keyspace.value(entry), samples);
        e.reply.integer(value + e.keyspace.dictionary().entryFootprint(entry));
    }

    private void unknownSubcommand() {
        e.error("ERR unknown subcommand '" + e.text(0) + "'. Try " + e.op.name() + " HELP.");
    }

    private void subcommandArity() {
        e.error("ERR wrong number of arguments for '" + e.op.lowerName() + "|"
                + e.text(0).toLowerCase(java.util.Locale.ROOT) + "' command");
    }
}

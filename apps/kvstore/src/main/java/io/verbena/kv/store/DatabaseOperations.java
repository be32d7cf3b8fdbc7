package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyType;

/** Operations on whole databases. Single-threaded, as the shard that owns it. */
final class DatabaseOperations {
    private static final byte[] TYPE = word("type");
    private static final byte[] ASYNC = word("async");
    private static final byte[] SYNC = word("sync");

    /** Keys whose time is over that RANDOMKEY removes. */
    private static final int MAX_EXPIRED_AT_ONCE = 1000;

    private static final int MAX_ATTEMPTS = 100;

    private final Execution e;
    private final ScanOptions options;
    private final Shard shard;

    DatabaseOperations(Execution execution, ScanOptions options, Shard shard) {
        e = execution;
        this.options = options;
        this.shard = shard;
    }

    void execute(KvOp op) {
        switch (op) {
            case SCAN -> scan();
            case KEYS -> keys();
            case RANDOMKEY -> randomKey();
            case DBSIZE -> e.reply.integer(e.keyspace.size());
            case FLUSHDB, FLUSHALL -> flush(op == KvOp.FLUSHALL);
            default -> throw new IllegalStateException(op.name());
        }
    }

    private void scan() {
        if (!options.parseCursor(0)) {
            return;
        }
        int typeArgument = -1;
        // TYPE is an option of SCAN alone; the others are read by what all scans share.
        options.reset();
        for (int i = 1; i < e.argc(); i += 2) {
            if (i + 1 < e.argc() && e.is(i, TYPE)) {
                typeArgument = i + 1;
            } else if (!options.parseOption(i)) {
                return;
            }
        }
        Dictionary dictionary = e.keyspace.dictionary();
        long header = e.keyspace.header();
        e.entries.clear();
        int open =
                options.openReply(header == Memory.NULL ? 0 : options.collect(dictionary, header, null, Memory.NULL));
        int count = 0;
        for (int i = 0; i < e.entries.size(); i++) {
            long entry = e.entries.get(i);
            if (options.matches(dictionary, entry)
                    && (typeArgument < 0 || e.is(typeArgument, ValueType.name(e.keyspace.type(entry))))
                    && !e.keyspace.isExpired(entry, e.now)) {
                e.bulkOfKey(dictionary, entry);
                count++;
            }
        }
        e.reply.closeAggregate(open, count);
    }

    private void keys() {
        Dictionary dictionary = e.keyspace.dictionary();
        // Of other patterns it cannot be told.
        if (e.length(0) == 1 && e.in.getByte(e.at(0)) == '*' && !e.isReplyCountAllowed(e.keyspace.size())) {
            return;
        }
        int open = e.reply.openAggregate(ReplyType.ARRAY);
        int count = 0;
        long header = e.keyspace.header();
        int buckets = header == Memory.NULL ? 0 : dictionary.buckets(header);
        for (int i = 0; i < buckets; i++) {
            long entry = dictionary.bucketHead(header, i);
            while (entry != Memory.NULL) {
                if (options.matches(dictionary, entry, 0) && !e.keyspace.isExpired(entry, e.now)) {
                    e.bulkOfKey(dictionary, entry);
                    count++;
                }
                entry = dictionary.next(entry);
            }
        }
        e.reply.closeAggregate(open, count);
    }

    private void randomKey() {
        e.keyspace.expire(e.now, MAX_EXPIRED_AT_ONCE);
        long entry = e.keyspace.random(e.random);
        // Where still more keys are over: a few attempts, then there is none.
        for (int i = 0; entry != Memory.NULL && e.keyspace.isExpired(entry, e.now); i++) {
            entry = i == MAX_ATTEMPTS ? Memory.NULL : e.keyspace.random(e.random);
        }
        if (entry == Memory.NULL) {
            e.reply.nil();
        } else {
            e.bulkOfKey(e.keyspace.dictionary(), entry);
        }
    }

    private void flush(boolean all) {
        if (e.argc() > 1 || (e.argc() == 1 && !e.is(0, ASYNC) && !e.is(0, SYNC))) {
            e.error(Errors.SYNTAX);
            return;
        }
        if (all) {
            shard.flushAll();
        } else {
            e.keyspace.flush();
        }
        e.ok();
    }
}

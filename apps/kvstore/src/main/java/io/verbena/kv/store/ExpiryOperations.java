package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.KvOp;

/** Operations on the time at which keys expire. Single-threaded, as the shard that owns it. */
final class ExpiryOperations {
    private static final byte[] NX = word("nx");
    private static final byte[] XX = word("xx");
    private static final byte[] GT = word("gt");
    private static final byte[] LT = word("lt");
    private static final int FLAG_NX = 1;
    private static final int FLAG_XX = 1 << 1;
    private static final int FLAG_GT = 1 << 2;
    private static final int FLAG_LT = 1 << 3;
    private static final int NO_KEY = -2;

    private final Execution e;

    ExpiryOperations(Execution execution) {
        e = execution;
    }

    void execute(KvOp op) {
        switch (op) {
            case EXPIRE -> expire(true, true);
            case PEXPIRE -> expire(false, true);
            case EXPIREAT -> expire(true, false);
            case PEXPIREAT -> expire(false, false);
            case TTL -> timeToLive(true, true);
            case PTTL -> timeToLive(false, true);
            case EXPIRETIME -> timeToLive(true, false);
            case PEXPIRETIME -> timeToLive(false, false);
            case PERSIST -> persist();
            default -> throw new IllegalStateException(op.name());
        }
    }

    private void expire(boolean seconds, boolean relative) {
        int flags = parseFlags();
        if (flags < 0 || !e.integer(1)) {
            return;
        }
        long when = e.number();
        if (seconds) {
            if (when > Long.MAX_VALUE / 1000 || when < Long.MIN_VALUE / 1000) {
                e.invalidExpireTime();
                return;
            }
            when *= 1000;
        }
        if (relative) {
            if (when > Long.MAX_VALUE - e.now) {
                e.invalidExpireTime();
                return;
            }
            when += e.now;
        }
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL || !isAllowed(flags, e.keyspace.expiry(entry), when)) {
            e.reply.integer(0);
            return;
        }
        if (when <= e.now) {
            e.keyspace.delete(entry);
        } else {
            e.keyspace.expireAt(entry, when);
        }
        e.reply.integer(1);
    }

    private static boolean isAllowed(int flags, long current, long when) {
        boolean expires = current != Keyspace.NO_EXPIRY;
        if ((flags & FLAG_NX) != 0 && expires) {
            return false;
        }
        if ((flags & FLAG_XX) != 0 && !expires) {
            return false;
        }
        // A key that does not expire counts as one that expires at the end of time.
        if ((flags & FLAG_GT) != 0 && (!expires || when <= current)) {
            return false;
        }
        return (flags & FLAG_LT) == 0 || !expires || when < current;
    }

    /** Returns the flags, or -1 after an error. */
    private int parseFlags() {
        int flags = 0;
        for (int i = 2; i < e.argc(); i++) {
            if (e.is(i, NX)) {
                flags |= FLAG_NX;
            } else if (e.is(i, XX)) {
                flags |= FLAG_XX;
            } else if (e.is(i, GT)) {
                flags |= FLAG_GT;
            } else if (e.is(i, LT)) {
                flags |= FLAG_LT;
            } else {
                e.error("ERR Unsupported option " + e.text(i));
                return -1;
            }
        }
        if ((flags & FLAG_NX) != 0 && flags != FLAG_NX) {
            e.error(Errors.EXPIRE_NX);
            return -1;
        }
        if ((flags & FLAG_GT) != 0 && (flags & FLAG_LT) != 0) {
            e.error(Errors.EXPIRE_GT_LT);
            return -1;
        }
        return flags;
    }

    private void timeToLive(boolean seconds, boolean relative) {
        long entry = e.lookupQuietly(0);
        if (entry == Memory.NULL) {
            e.reply.integer(NO_KEY);
            return;
        }
        long when = e.keyspace.expiry(entry);
        if (when == Keyspace.NO_EXPIRY) {
            e.reply.integer(Keyspace.NO_EXPIRY);
            return;
        }
        long millis = relative ? Math.max(0, when - e.now) : when;
        e.reply.integer(seconds ? (millis + 500) / 1000 : millis);
    }

    private void persist() {
        long entry = e.lookupWrite(0);
        e.reply.integer(entry != Memory.NULL && e.keyspace.persist(entry) ? 1 : 0);
    }
}

package io.verbena.kv.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The table of operations that a shard executes. Names, arities and key positions are those of Redis 7.0, save
 * for {@link #TRANSACTION} and the group {@link Group#TRANSFER}, which only callers of the store know; codes are the
 * wire's and never change their meaning.
 *
 * <p>Arguments are counted after the name: {@code GET k} has one argument, and its key is argument 0.
 */
public enum KvOp {

    // Requests within a request: each argument is a whole request, executed one after the other with nothing in
    // between.
    TRANSACTION(0x01, Group.DATABASE, 1, Keys.MANY, Flags.WRITE, Keys.NO_KEY, Keys.NO_KEY, 0),

    // Values longer than a message, see TransferDescriptor.
    UPLOAD(0x02, Group.TRANSFER, 4, 4, Flags.FAST, Keys.NO_KEY, Keys.NO_KEY, 0),
    DISCARD_UPLOAD(0x03, Group.TRANSFER, 1, 1, Flags.FAST, Keys.NO_KEY, Keys.NO_KEY, 0),
    EXECUTE_UPLOADED(0x04, Group.TRANSFER, 1, 1, Flags.WRITE, Keys.NO_KEY, Keys.NO_KEY, 0),
    READ_STREAM(0x05, Group.TRANSFER, 3, 3, Flags.FAST, Keys.NO_KEY, Keys.NO_KEY, 0),
    CLOSE_STREAM(0x06, Group.TRANSFER, 1, 1, Flags.FAST, Keys.NO_KEY, Keys.NO_KEY, 0),
    UPLOAD_REQUEST(0x07, Group.TRANSFER, 4, 4, Flags.FAST, Keys.NO_KEY, Keys.NO_KEY, 0),

    // Strings, counters and bits.
    GET(0x10, Group.STRING, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    SET(0x11, Group.STRING, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM, 0, 0, 1),
    SETNX(0x12, Group.STRING, 2, 2, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    SETEX(0x13, Group.STRING, 3, 3, Flags.WRITE | Flags.DENY_OOM, 0, 0, 1),
    PSETEX(0x14, Group.STRING, 3, 3, Flags.WRITE | Flags.DENY_OOM, 0, 0, 1),
    GETSET(0x15, Group.STRING, 2, 2, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    GETDEL(0x16, Group.STRING, 1, 1, Flags.WRITE | Flags.FAST, 0, 0, 1),
    GETEX(0x17, Group.STRING, 1, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    APPEND(0x18, Group.STRING, 2, 2, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    STRLEN(0x19, Group.STRING, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    GETRANGE(0x1a, Group.STRING, 3, 3, Flags.READ, 0, 0, 1),
    SUBSTR(0x1b, Group.STRING, 3, 3, Flags.READ, 0, 0, 1),
    SETRANGE(0x1c, Group.STRING, 3, 3, Flags.WRITE | Flags.DENY_OOM, 0, 0, 1),
    MGET(0x1d, Group.STRING, 1, Keys.MANY, Flags.READ | Flags.FAST, 0, Keys.LAST, 1),
    MSET(0x1e, Group.STRING, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM, 0, Keys.LAST, 2),
    MSETNX(0x1f, Group.STRING, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM, 0, Keys.LAST, 2),
    INCR(0x20, Group.COUNTER, 1, 1, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    DECR(0x21, Group.COUNTER, 1, 1, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    INCRBY(0x22, Group.COUNTER, 2, 2, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    DECRBY(0x23, Group.COUNTER, 2, 2, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    INCRBYFLOAT(0x24, Group.COUNTER, 2, 2, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    GETBIT(0x25, Group.BIT, 2, 2, Flags.READ | Flags.FAST, 0, 0, 1),
    SETBIT(0x26, Group.BIT, 3, 3, Flags.WRITE | Flags.DENY_OOM, 0, 0, 1),
    BITCOUNT(0x27, Group.BIT, 1, Keys.MANY, Flags.READ, 0, 0, 1),
    BITPOS(0x28, Group.BIT, 2, Keys.MANY, Flags.READ, 0, 0, 1),
    // Keys of any type, and their expiry.
    DEL(0x30, Group.KEY, 1, Keys.MANY, Flags.WRITE, 0, Keys.LAST, 1),
    UNLINK(0x31, Group.KEY, 1, Keys.MANY, Flags.WRITE | Flags.FAST, 0, Keys.LAST, 1),
    EXISTS(0x32, Group.KEY, 1, Keys.MANY, Flags.READ | Flags.FAST, 0, Keys.LAST, 1),
    TOUCH(0x33, Group.KEY, 1, Keys.MANY, Flags.READ | Flags.FAST, 0, Keys.LAST, 1),
    TYPE(0x34, Group.KEY, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    RENAME(0x35, Group.KEY, 2, 2, Flags.WRITE, 0, 1, 1),
    RENAMENX(0x36, Group.KEY, 2, 2, Flags.WRITE | Flags.FAST, 0, 1, 1),
    COPY(0x37, Group.KEY, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM, 0, 1, 1),
    OBJECT(0x38, Group.KEY, 1, Keys.MANY, Flags.READ, 1, 1, 1),
    MEMORY(0x39, Group.KEY, 1, Keys.MANY, Flags.READ, 1, 1, 1),
    EXPIRE(0x3a, Group.EXPIRY, 2, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    PEXPIRE(0x3b, Group.EXPIRY, 2, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    EXPIREAT(0x3c, Group.EXPIRY, 2, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    PEXPIREAT(0x3d, Group.EXPIRY, 2, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    TTL(0x3e, Group.EXPIRY, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    PTTL(0x3f, Group.EXPIRY, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    EXPIRETIME(0x40, Group.EXPIRY, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    PEXPIRETIME(0x41, Group.EXPIRY, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    PERSIST(0x42, Group.EXPIRY, 1, 1, Flags.WRITE | Flags.FAST, 0, 0, 1),

    // Whole databases.
    SCAN(0x50, Group.DATABASE, 1, Keys.MANY, Flags.READ | Flags.EVERY_SHARD, Keys.NO_KEY, Keys.NO_KEY, 0),
    KEYS(0x51, Group.DATABASE, 1, 1, Flags.READ | Flags.EVERY_SHARD, Keys.NO_KEY, Keys.NO_KEY, 0),
    RANDOMKEY(0x52, Group.DATABASE, 0, 0, Flags.READ | Flags.EVERY_SHARD, Keys.NO_KEY, Keys.NO_KEY, 0),
    DBSIZE(0x53, Group.DATABASE, 0, 0, Flags.READ | Flags.FAST | Flags.EVERY_SHARD, Keys.NO_KEY, Keys.NO_KEY, 0),
    FLUSHDB(0x54, Group.DATABASE, 0, Keys.MANY, Flags.WRITE | Flags.EVERY_SHARD, Keys.NO_KEY, Keys.NO_KEY, 0),
    FLUSHALL(0x55, Group.DATABASE, 0, Keys.MANY, Flags.WRITE | Flags.EVERY_SHARD, Keys.NO_KEY, Keys.NO_KEY, 0),

    // Lists.
    LPUSH(0x60, Group.LIST, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    RPUSH(0x61, Group.LIST, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    LPUSHX(0x62, Group.LIST, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    RPUSHX(0x63, Group.LIST, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    LPOP(0x64, Group.LIST, 1, 2, Flags.WRITE | Flags.FAST, 0, 0, 1),
    RPOP(0x65, Group.LIST, 1, 2, Flags.WRITE | Flags.FAST, 0, 0, 1),
    LRANGE(0x66, Group.LIST, 3, 3, Flags.READ, 0, 0, 1),
    LLEN(0x67, Group.LIST, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    LINDEX(0x68, Group.LIST, 2, 2, Flags.READ, 0, 0, 1),
    LSET(0x69, Group.LIST, 3, 3, Flags.WRITE | Flags.DENY_OOM, 0, 0, 1),
    LREM(0x6a, Group.LIST, 3, 3, Flags.WRITE, 0, 0, 1),
    LTRIM(0x6b, Group.LIST, 3, 3, Flags.WRITE, 0, 0, 1),
    LINSERT(0x6c, Group.LIST, 4, 4, Flags.WRITE | Flags.DENY_OOM, 0, 0, 1),
    LPOS(0x6d, Group.LIST, 2, Keys.MANY, Flags.READ, 0, 0, 1),
    LMOVE(0x6e, Group.LIST, 4, 4, Flags.WRITE | Flags.DENY_OOM, 0, 1, 1),
    RPOPLPUSH(0x6f, Group.LIST, 2, 2, Flags.WRITE | Flags.DENY_OOM, 0, 1, 1),

    // Sets.
    SADD(0x80, Group.SET, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    SREM(0x81, Group.SET, 2, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    SPOP(0x82, Group.SET, 1, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    SRANDMEMBER(0x83, Group.SET, 1, Keys.MANY, Flags.READ, 0, 0, 1),
    SISMEMBER(0x84, Group.SET, 2, 2, Flags.READ | Flags.FAST, 0, 0, 1),
    SMISMEMBER(0x85, Group.SET, 2, Keys.MANY, Flags.READ | Flags.FAST, 0, 0, 1),
    SMEMBERS(0x86, Group.SET, 1, 1, Flags.READ, 0, 0, 1),
    SCARD(0x87, Group.SET, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    SSCAN(0x88, Group.SET, 2, Keys.MANY, Flags.READ, 0, 0, 1),
    SMOVE(0x89, Group.SET, 3, 3, Flags.WRITE | Flags.FAST, 0, 1, 1),
    SINTER(0x8a, Group.SET_ALGEBRA, 1, Keys.MANY, Flags.READ, 0, Keys.LAST, 1),
    SUNION(0x8b, Group.SET_ALGEBRA, 1, Keys.MANY, Flags.READ, 0, Keys.LAST, 1),
    SDIFF(0x8c, Group.SET_ALGEBRA, 1, Keys.MANY, Flags.READ, 0, Keys.LAST, 1),
    SINTERSTORE(0x8d, Group.SET_ALGEBRA, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM, 0, Keys.LAST, 1),
    SUNIONSTORE(0x8e, Group.SET_ALGEBRA, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM, 0, Keys.LAST, 1),
    SDIFFSTORE(0x8f, Group.SET_ALGEBRA, 2, Keys.MANY, Flags.WRITE | Flags.DENY_OOM, 0, Keys.LAST, 1),

    // Hashes.
    HSET(0xa0, Group.HASH, 3, Keys.MANY, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    HSETNX(0xa1, Group.HASH, 3, 3, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    HMSET(0xa2, Group.HASH, 3, Keys.MANY, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    HGET(0xa3, Group.HASH, 2, 2, Flags.READ | Flags.FAST, 0, 0, 1),
    HMGET(0xa4, Group.HASH, 2, Keys.MANY, Flags.READ | Flags.FAST, 0, 0, 1),
    HGETALL(0xa5, Group.HASH, 1, 1, Flags.READ, 0, 0, 1),
    HDEL(0xa6, Group.HASH, 2, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    HEXISTS(0xa7, Group.HASH, 2, 2, Flags.READ | Flags.FAST, 0, 0, 1),
    HLEN(0xa8, Group.HASH, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    HKEYS(0xa9, Group.HASH, 1, 1, Flags.READ, 0, 0, 1),
    HVALS(0xaa, Group.HASH, 1, 1, Flags.READ, 0, 0, 1),
    HINCRBY(0xab, Group.HASH, 3, 3, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    HINCRBYFLOAT(0xac, Group.HASH, 3, 3, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    HSTRLEN(0xad, Group.HASH, 2, 2, Flags.READ | Flags.FAST, 0, 0, 1),
    HSCAN(0xae, Group.HASH, 2, Keys.MANY, Flags.READ, 0, 0, 1),
    HRANDFIELD(0xaf, Group.HASH, 1, Keys.MANY, Flags.READ, 0, 0, 1),

    // Sorted sets.
    ZADD(0xc0, Group.SORTED_SET, 3, Keys.MANY, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    ZREM(0xc1, Group.SORTED_SET, 2, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    ZSCORE(0xc2, Group.SORTED_SET, 2, 2, Flags.READ | Flags.FAST, 0, 0, 1),
    ZMSCORE(0xc3, Group.SORTED_SET, 2, Keys.MANY, Flags.READ | Flags.FAST, 0, 0, 1),
    ZCARD(0xc4, Group.SORTED_SET, 1, 1, Flags.READ | Flags.FAST, 0, 0, 1),
    ZINCRBY(0xc5, Group.SORTED_SET, 3, 3, Flags.WRITE | Flags.DENY_OOM | Flags.FAST, 0, 0, 1),
    ZRANK(0xc6, Group.SORTED_SET, 2, 2, Flags.READ | Flags.FAST, 0, 0, 1),
    ZREVRANK(0xc7, Group.SORTED_SET, 2, 2, Flags.READ | Flags.FAST, 0, 0, 1),
    ZRANGE(0xc8, Group.SORTED_SET_RANGE, 3, Keys.MANY, Flags.READ, 0, 0, 1),
    ZREVRANGE(0xc9, Group.SORTED_SET_RANGE, 3, Keys.MANY, Flags.READ, 0, 0, 1),
    ZRANGEBYSCORE(0xca, Group.SORTED_SET_RANGE, 3, Keys.MANY, Flags.READ, 0, 0, 1),
    ZREVRANGEBYSCORE(0xcb, Group.SORTED_SET_RANGE, 3, Keys.MANY, Flags.READ, 0, 0, 1),
    ZRANGEBYLEX(0xcc, Group.SORTED_SET_RANGE, 3, Keys.MANY, Flags.READ, 0, 0, 1),
    ZREVRANGEBYLEX(0xcd, Group.SORTED_SET_RANGE, 3, Keys.MANY, Flags.READ, 0, 0, 1),
    ZCOUNT(0xce, Group.SORTED_SET_RANGE, 3, 3, Flags.READ | Flags.FAST, 0, 0, 1),
    ZLEXCOUNT(0xcf, Group.SORTED_SET_RANGE, 3, 3, Flags.READ | Flags.FAST, 0, 0, 1),
    ZPOPMIN(0xd0, Group.SORTED_SET, 1, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    ZPOPMAX(0xd1, Group.SORTED_SET, 1, Keys.MANY, Flags.WRITE | Flags.FAST, 0, 0, 1),
    ZREMRANGEBYRANK(0xd2, Group.SORTED_SET_RANGE, 3, 3, Flags.WRITE, 0, 0, 1),
    ZREMRANGEBYSCORE(0xd3, Group.SORTED_SET_RANGE, 3, 3, Flags.WRITE, 0, 0, 1),
    ZREMRANGEBYLEX(0xd4, Group.SORTED_SET_RANGE, 3, 3, Flags.WRITE, 0, 0, 1),
    ZSCAN(0xd5, Group.SORTED_SET, 2, Keys.MANY, Flags.READ, 0, 0, 1),
    ZRANDMEMBER(0xd6, Group.SORTED_SET, 1, Keys.MANY, Flags.READ, 0, 0, 1);

    /** Largest code of the table. */
    public static final int MAX_CODE = 0xff;

    private static final @Nullable KvOp[] BY_CODE = new KvOp[MAX_CODE + 1];
    private static final int NAME_SLOTS = 1024;
    private static final @Nullable KvOp[] BY_NAME = new KvOp[NAME_SLOTS];

    static {
        for (KvOp op : values()) {
            if (BY_CODE[op.code] != null) {
                throw new AssertionError("code " + op.code + " is " + BY_CODE[op.code] + " and " + op);
            }
            BY_CODE[op.code] = op;
            int slot = op.nameHash & (NAME_SLOTS - 1);
            while (BY_NAME[slot] != null) {
                slot = (slot + 1) & (NAME_SLOTS - 1);
            }
            BY_NAME[slot] = op;
        }
    }

    private final int code;
    private final Group group;
    private final int minArguments;
    private final int maxArguments;
    private final int flags;
    private final int firstKey;
    private final int lastKey;
    private final int keyStep;
    private final String lowerName;
    private final byte[] lowerBytes;
    private final int nameHash;

    KvOp(int code, Group group, int minArguments, int maxArguments, int flags, int firstKey, int lastKey, int keyStep) {
        this.code = code;
        this.group = group;
        this.minArguments = minArguments;
        this.maxArguments = maxArguments;
        this.flags = flags;
        this.firstKey = firstKey;
        this.lastKey = lastKey;
        this.keyStep = keyStep;
        this.lowerName = name().toLowerCase(Locale.ROOT);
        this.lowerBytes = lowerName.getBytes(StandardCharsets.US_ASCII);
        int hash = 0;
        for (byte b : lowerBytes) {
            hash = hash * Keys.HASH_FACTOR + b;
        }
        this.nameHash = hash;
    }

    /**
     * @param code wire code
     * @return the operation, or null if no operation has this code
     */
    public static @Nullable KvOp byCode(int code) {
        return code < 0 || code > MAX_CODE ? null : BY_CODE[code];
    }

    /**
     * Finds an operation by its name in any case, without garbage.
     *
     * @param buffer that holds the name
     * @param offset of its first byte
     * @param length of the name in bytes
     * @return the operation, or null if none has this name
     */
    public static @Nullable KvOp byName(DirectBuffer buffer, int offset, int length) {
        int hash = 0;
        for (int i = 0; i < length; i++) {
            hash = hash * Keys.HASH_FACTOR + lower(buffer.getByte(offset + i));
        }
        for (int slot = hash & (NAME_SLOTS - 1); ; slot = (slot + 1) & (NAME_SLOTS - 1)) {
            KvOp op = BY_NAME[slot];
            if (op == null) {
                return null;
            }
            if (op.nameHash == hash && op.isNamed(buffer, offset, length)) {
                return op;
            }
        }
    }

    private boolean isNamed(DirectBuffer buffer, int offset, int length) {
        if (length != lowerBytes.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (lower(buffer.getByte(offset + i)) != lowerBytes[i]) {
                return false;
            }
        }
        return true;
    }

    private static byte lower(byte b) {
        return b >= 'A' && b <= 'Z' ? (byte) (b + ('a' - 'A')) : b;
    }

    /** @return the wire's code, 0 to {@link #MAX_CODE} */
    public int code() {
        return code;
    }

    /** @return the name in lower case, as Redis prints it in errors and in COMMAND */
    public String lowerName() {
        return lowerName;
    }

    /** @return what kind of value the operation is about */
    public Group group() {
        return group;
    }

    /** @return least number of arguments after the name */
    public int minArguments() {
        return minArguments;
    }

    /** @return greatest number of arguments after the name; {@link Integer#MAX_VALUE} if there is no limit */
    public int maxArguments() {
        return maxArguments;
    }

    /** @return arity as Redis counts it, with the name: positive if exact, negative if a minimum */
    public int redisArity() {
        return minArguments == maxArguments ? minArguments + 1 : -(minArguments + 1);
    }

    /**
     * @param argc number of arguments after the name
     * @return true if the operation takes that many
     */
    public boolean accepts(int argc) {
        return argc >= minArguments && argc <= maxArguments;
    }

    /** @return true if the operation only reads */
    public boolean isRead() {
        return (flags & Flags.READ) != 0;
    }

    /** @return true if the operation may change the data */
    public boolean isWrite() {
        return (flags & Flags.WRITE) != 0;
    }

    /** @return true if the operation may need more memory and is refused when there is none ({@code denyoom}) */
    public boolean isDeniedOnOom() {
        return (flags & Flags.DENY_OOM) != 0;
    }

    /** @return true if the work is O(1) or O(log n) in the size of the value */
    public boolean isFast() {
        return (flags & Flags.FAST) != 0;
    }

    /** @return true if the operation names no key and concerns every shard, whose replies the caller must combine */
    public boolean concernsEveryShard() {
        return (flags & Flags.EVERY_SHARD) != 0;
    }

    /** @return index of the first key among the arguments, or -1 if the operation has no key */
    public int firstKey() {
        return firstKey;
    }

    /**
     * @param argc number of arguments after the name
     * @return index of the last key among the arguments, or -1 if the operation has no key
     */
    public int lastKey(int argc) {
        if (firstKey < 0) {
            return -1;
        }
        // MSET k v k v: the last key is a step away from the last argument.
        return lastKey == Keys.LAST ? argc - keyStep : Math.min(lastKey, argc - 1);
    }

    /** @return distance between two keys in arguments; 0 if the operation has no key */
    public int keyStep() {
        return keyStep;
    }

    /** Kinds of operations. */
    public enum Group {
        /** Strings. */
        STRING,
        /** Strings as numbers. */
        COUNTER,
        /** Strings as arrays of bits. */
        BIT,
        /** Keys of any type. */
        KEY,
        /** Expiry of keys of any type. */
        EXPIRY,
        /** Whole databases. */
        DATABASE,
        /** Lists. */
        LIST,
        /** Sets. */
        SET,
        /** Several sets combined. */
        SET_ALGEBRA,
        /** Hashes. */
        HASH,
        /** Sorted sets. */
        SORTED_SET,
        /** Ranges of sorted sets. */
        SORTED_SET_RANGE,
        /** Values that travel in pieces, and not commands of Redis. */
        TRANSFER
    }

    private static final class Flags {
        static final int READ = 1;
        static final int WRITE = 1 << 1;
        static final int DENY_OOM = 1 << 2;
        static final int FAST = 1 << 3;
        static final int EVERY_SHARD = 1 << 4;
    }

    private static final class Keys {
        static final int NO_KEY = -1;
        static final int LAST = -2;
        static final int MANY = Integer.MAX_VALUE;
        static final int HASH_FACTOR = 0x01000193;
    }
}

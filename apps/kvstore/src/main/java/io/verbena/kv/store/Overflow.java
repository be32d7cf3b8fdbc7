package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.RequestFlyweight;
import io.verbena.kv.protocol.TransferDescriptor;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Moves strings between a shard's memory and its {@link OverflowMemory}: out when the shard is over its limit, the
 * longest idle ones first, and in before a request is executed that needs them. A key whose string is out has the
 * encoding {@link ValueType#REMOTE} and names a slot:
 *
 * <pre>
 *   value of the entry:  offset of the slot << 20 | length of the string
 *
 *   EMBSTR, RAW ── over the limit ──▶ REMOTE        tryWrite was done; the block is free
 *        ▲                             │
 *        └──── a request needs it ─────┘            tryRead was done; the slot is free
 * </pre>
 *
 * <p>Strings of 64 bytes to 64 KiB move. Shorter ones would save little, longer ones may be read by a stream; values of
 * other types, and the keys, stay.
 *
 * <p>No operation meets a string that is out: {@link #prepare} goes before, and finds out from the operation's keys
 * what it needs. Single-threaded, as the shard that owns it.
 */
final class Overflow {
    /** Shortest string that is moved. */
    static final int MIN_LENGTH = 64;

    /** Longest string that is moved: no stream reads it, so its block is not pinned. */
    static final int MAX_LENGTH = TransferDescriptor.PIECE_LENGTH;

    /** Lost pages that are met in search of a slot for one string. */
    private static final int MAX_TRIES = 16;

    private static final int LENGTH_BITS = 20;
    private static final long LENGTH_MASK = (1L << LENGTH_BITS) - 1;

    /** What became of moving a string out. */
    enum Moving {
        /** One was moved. */
        MOVED,
        /** Not now: the memory does not keep up. */
        BUSY,
        /** No string can be moved: there is none, or no slot for it. */
        NONE
    }

    private final Memory memory;
    private final Allocator allocator;
    private final OverflowMemory far;
    private final OverflowSpace space;
    private final Keyspace[] databases;
    private final EvictionPool pool;
    private final EvictionPool.Choice movable = this::isMovable;
    private long values;
    private long bytes;
    private long movedOut;
    private long movedIn;
    private long failures;

    Overflow(
            Memory memory,
            Allocator allocator,
            ShardContext.OverflowRange range,
            Keyspace[] databases,
            EvictionPool pool) {
        this.memory = memory;
        this.allocator = allocator;
        this.far = range.memory();
        this.space = new OverflowSpace(range.offset(), range.length(), far::discard);
        this.databases = databases;
        this.pool = pool;
    }

    private static int length(long value) {
        return (int) (value & LENGTH_MASK);
    }

    private static long slot(long value) {
        return value >>> LENGTH_BITS;
    }

    // ---- out --------------------------------------------------------------------------------------------------------

    /** Moves a string out that has not been used for long. */
    Moving moveOut(long now) {
        if (!pool.choose(databases, movable, now)) {
            return Moving.NONE;
        }
        Keyspace keys = pool.chosenKeyspace();
        long entry = pool.chosen();
        long block = keys.value(entry);
        int length = memory.getInt(block);
        boolean isFull = false;
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            long slot = space.take(length);
            if (slot == OverflowSpace.NONE) {
                return Moving.NONE;
            }
            try {
                if (!far.tryWrite(slot, memory.buffer(block), Memory.offset(block) + StringBlock.BYTES, length)) {
                    space.give(slot, length);
                    return Moving.BUSY;
                }
                keys.value(entry, ValueType.REMOTE, slot << LENGTH_BITS | length);
                allocator.free(block);
                values++;
                bytes += length;
                movedOut++;
                return Moving.MOVED;
            } catch (OverflowFullException e) {
                space.refuse(slot, length);
                if (isFull) {
                    return Moving.NONE;
                }
                isFull = true;
            } catch (OverflowException e) {
                space.retire(slot, length); // its page is lost
            }
        }
        return Moving.BUSY;
    }

    private boolean isMovable(Keyspace keys, long entry) {
        byte encoding = keys.encoding(entry);
        if (keys.type(entry) != ValueType.STRING || (encoding != ValueType.EMBSTR && encoding != ValueType.RAW)) {
            return false;
        }
        int length = memory.getInt(keys.value(entry));
        return length >= MIN_LENGTH && length <= MAX_LENGTH;
    }

    // ---- in ---------------------------------------------------------------------------------------------------------

    /**
     * Moves the strings in that an operation needs. What cannot be at once is begun.
     *
     * @return whether all are here
     * @throws OverflowException if one is lost
     * @throws AllocationFailedException if there is no memory for one
     */
    boolean prepare(KvOp op, RequestFlyweight request, long now) {
        return isReady(op, request, now, true);
    }

    /** Whether all strings that an operation needs are here. */
    boolean isReady(KvOp op, RequestFlyweight request, long now) {
        return isReady(op, request, now, false);
    }

    private boolean isReady(KvOp op, RequestFlyweight request, long now, boolean moves) {
        if (!needsStrings(op, request) || request.database() >= databases.length) {
            return true;
        }
        boolean ready = true;
        Keyspace keys = databases[request.database()];
        int last = op == KvOp.COPY ? 0 : op.lastKey(request.argc());
        for (int i = op.firstKey(); i <= last; i += op.keyStep()) {
            long entry = keys.lookup(request.buffer(), request.argumentOffset(i), request.argumentLength(i), now);
            if (entry != Memory.NULL && keys.encoding(entry) == ValueType.REMOTE) {
                ready &= moves && moveIn(keys, entry, now);
            }
        }
        return ready;
    }

    /** Whether an operation looks at the bytes of strings, and not only at keys. */
    private static boolean needsStrings(KvOp op, RequestFlyweight request) {
        return op.accepts(request.argc())
                && switch (op) {
                    case SETNX, SETEX, PSETEX, MSET, MSETNX -> false;
                    case SET -> request.argc() > 2; // GET may be among the options
                    case COPY -> true;
                    default ->
                        switch (op.group()) {
                            case STRING, COUNTER, BIT -> true;
                            default -> false;
                        };
                };
    }

    private boolean moveIn(Keyspace keys, long entry, long now) {
        long value = keys.value(entry);
        int length = length(value);
        long block = allocator.allocate(StringBlock.BYTES + length);
        boolean done = false;
        try {
            UnsafeBuffer buffer = memory.buffer(block);
            done = far.tryRead(slot(value), buffer, Memory.offset(block) + StringBlock.BYTES, length);
        } finally {
            if (!done) {
                allocator.free(block);
            }
        }
        keys.touch(entry, now); // also one that is waited for: it is not to go again meanwhile
        if (done) {
            memory.putInt(block, length);
            keys.value(entry, ValueType.RAW, block);
            free(value);
            movedIn++;
        }
        return done;
    }

    // ---- gone -------------------------------------------------------------------------------------------------------

    /** A string that is out goes. */
    void free(long value) {
        space.give(slot(value), length(value));
        values--;
        bytes -= length(value);
    }

    /** All strings go. */
    void clear() {
        space.clear();
        values = 0;
        bytes = 0;
    }

    // ---- counts -----------------------------------------------------------------------------------------------------

    void countFailure() {
        failures++;
    }

    OverflowStatistics statistics() {
        return new OverflowStatistics(values, bytes, space.capacity(), movedOut, movedIn, failures);
    }
}

package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.RequestFlyweight;
import io.verbena.kv.protocol.TransferDescriptor;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Moves values between a shard's memory and its {@link OverflowMemory}: out when the shard is over its limit, the
 * longest idle ones first, and in before a request is executed that needs them. A key whose value is out has the
 * encoding {@link ValueType#REMOTE} and names a slot:
 *
 * <pre>
 *   value of the entry:  offset of the slot << 20 | encoding when it is here << 17 | bytes in the slot
 *
 *   EMBSTR, RAW,          ── over the limit ──▶ REMOTE     tryWrite was done; the memory is free
 *   LISTPACK, INTSET,          ▲                  │
 *   QUICKLIST, HASHTABLE,      │                  │
 *   SKIPLIST                   └─ a request needs ┘        tryRead was done; the slot is free
 * </pre>
 *
 * <p>Values of 64 bytes to 64 KiB move: what is one block as it is, a structure of up to 1,024 elements as a {@link
 * FlatValue}. Shorter ones would save little, longer ones may be read by a stream, and would hold up the shard. Keys
 * stay.
 *
 * <p>No operation meets a value that is out: {@link #prepare} goes before, and finds out from the operation's keys
 * what it needs. Single-threaded, as the shard that owns it.
 */
final class Overflow {
    /** Shortest value that is moved. */
    static final int MIN_LENGTH = 64;

    /** Longest value that is moved: no stream reads it, so its blocks are not pinned. */
    static final int MAX_LENGTH = TransferDescriptor.PIECE_LENGTH;

    /** Most elements of a structure that is moved: each is copied out, and a block is made of it again. */
    static final int MAX_ELEMENTS = 1024;

    /** Lost pages that are met in search of a slot for one value, and values that prove too long in search of one. */
    private static final int MAX_TRIES = 16;

    private static final int LENGTH_BITS = 17; // for MAX_LENGTH itself
    private static final long LENGTH_MASK = (1L << LENGTH_BITS) - 1;
    private static final int SLOT_SHIFT = 20;
    private static final int ENCODING_MASK = (1 << (SLOT_SHIFT - LENGTH_BITS)) - 1;

    /** Of operations that look at no value. */
    private static final int NO_TYPE = -1;
    /** Of operations that look at values of any type. */
    private static final int ANY_TYPE = -2;

    /** What became of moving a value out. */
    enum Moving {
        /** One was moved. */
        MOVED,
        /** Not now: the memory does not keep up. */
        BUSY,
        /** No value can be moved: there is none, or no slot for it. */
        NONE
    }

    private final Memory memory;
    private final Allocator allocator;
    private final Values values;
    private final OverflowMemory far;
    private final OverflowSpace space;
    private final Keyspace[] databases;
    private final EvictionPool pool;
    private final EvictionPool.Choice movable = this::isMovable;
    private final FlatValue flat = new FlatValue(MAX_LENGTH);
    private long count;
    private long bytes;
    private long movedOut;
    private long movedIn;
    private long failures;

    Overflow(
            Memory memory,
            Allocator allocator,
            Values values,
            ShardContext.OverflowRange range,
            Keyspace[] databases,
            EvictionPool pool) {
        this.memory = memory;
        this.allocator = allocator;
        this.values = values;
        this.far = range.memory();
        this.space = new OverflowSpace(range.offset(), range.length(), far::discard);
        this.databases = databases;
        this.pool = pool;
    }

    private static int length(long value) {
        return (int) (value & LENGTH_MASK);
    }

    private static long slot(long value) {
        return value >>> SLOT_SHIFT;
    }

    /** The encoding that a value has when it is here, of what an entry has while it is out. */
    static byte encoding(long value) {
        return (byte) (value >>> LENGTH_BITS & ENCODING_MASK);
    }

    // ---- out --------------------------------------------------------------------------------------------------------

    /** Moves a value out that has not been used for long. */
    Moving moveOut(long now) {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            if (!pool.choose(databases, movable, now)) {
                return Moving.NONE;
            }
            Keyspace keys = pool.chosenKeyspace();
            long entry = pool.chosen();
            byte encoding = keys.encoding(entry);
            long value = keys.value(entry);
            if (ValueType.isOneBlock(encoding)) {
                int at = Memory.offset(value) + Values.blockHeader(encoding);
                return moveOut(keys, entry, memory.buffer(value), at, values.blockLength(encoding, value));
            }
            flat.clear();
            if (values.flatten(keys.type(entry), value, flat)) {
                return moveOut(keys, entry, flat.buffer(), 0, flat.finish());
            }
            keys.markTooLong(entry);
        }
        return Moving.BUSY; // others may be short enough
    }

    private Moving moveOut(Keyspace keys, long entry, UnsafeBuffer source, int at, int length) {
        boolean isFull = false;
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            long slot = space.take(length);
            if (slot == OverflowSpace.NONE) {
                return Moving.NONE;
            }
            try {
                if (!far.tryWrite(slot, source, at, length)) {
                    space.give(slot, length);
                    return Moving.BUSY;
                }
                replace(keys, entry, slot, length);
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

    /** What a slot has needs no memory here. */
    private void replace(Keyspace keys, long entry, long slot, int length) {
        byte encoding = keys.encoding(entry);
        long value = keys.value(entry);
        keys.value(entry, ValueType.REMOTE, slot << SLOT_SHIFT | (long) encoding << LENGTH_BITS | length);
        values.release(keys.type(entry), encoding, value);
        count++;
        bytes += length;
        movedOut++;
    }

    private boolean isMovable(Keyspace keys, long entry) {
        byte encoding = keys.encoding(entry);
        if (encoding == ValueType.INT || encoding == ValueType.REMOTE) {
            return false;
        }
        long value = keys.value(entry);
        if (ValueType.isOneBlock(encoding)) {
            int length = values.blockLength(encoding, value);
            return length >= MIN_LENGTH && length <= MAX_LENGTH;
        }
        return !keys.isTooLong(entry) && values.elements(keys.type(entry), value) <= MAX_ELEMENTS;
    }

    // ---- in ---------------------------------------------------------------------------------------------------------

    /**
     * Moves the values in that an operation needs. What cannot be at once is begun.
     *
     * @return whether all are here
     * @throws OverflowException if one is lost
     * @throws AllocationFailedException if there is no memory for one
     */
    boolean prepare(KvOp op, RequestFlyweight request, long now) {
        return isReady(op, request, now, true);
    }

    /** Whether all values that an operation needs are here. */
    boolean isReady(KvOp op, RequestFlyweight request, long now) {
        return isReady(op, request, now, false);
    }

    private boolean isReady(KvOp op, RequestFlyweight request, long now, boolean moves) {
        int type = neededType(op, request);
        if (type == NO_TYPE || request.database() >= databases.length) {
            return true;
        }
        boolean ready = true;
        Keyspace keys = databases[request.database()];
        int last = op == KvOp.COPY ? 0 : op.lastKey(request.argc());
        for (int i = firstNeeded(op); i <= last; i += op.keyStep()) {
            long entry = keys.lookup(request.buffer(), request.argumentOffset(i), request.argumentLength(i), now);
            if (entry != Memory.NULL
                    && keys.encoding(entry) == ValueType.REMOTE
                    && (type == ANY_TYPE || type == keys.type(entry))) {
                ready &= moves && moveIn(keys, entry, now);
            }
        }
        return ready;
    }

    /** The type of the values that an operation looks at, if it looks at more than keys. */
    private static int neededType(KvOp op, RequestFlyweight request) {
        if (!op.accepts(request.argc())) {
            return NO_TYPE;
        }
        return switch (op) {
            case SETNX, SETEX, PSETEX, MSET, MSETNX -> NO_TYPE;
            case SET -> request.argc() > 2 ? ValueType.STRING : NO_TYPE; // GET may be among the options
            case COPY -> ANY_TYPE;
            default ->
                switch (op.group()) {
                    case STRING, COUNTER, BIT -> ValueType.STRING;
                    case LIST -> ValueType.LIST;
                    case SET, SET_ALGEBRA -> ValueType.SET;
                    case HASH -> ValueType.HASH;
                    case SORTED_SET, SORTED_SET_RANGE -> ValueType.SORTED_SET;
                    case KEY, EXPIRY, DATABASE, TRANSFER -> NO_TYPE;
                };
        };
    }

    /** The first key whose value an operation looks at: not one that it replaces. */
    private static int firstNeeded(KvOp op) {
        return switch (op) {
            case SINTERSTORE, SUNIONSTORE, SDIFFSTORE -> op.firstKey() + 1;
            default -> op.firstKey();
        };
    }

    private boolean moveIn(Keyspace keys, long entry, long now) {
        long value = keys.value(entry);
        keys.touch(entry, now); // also one that is waited for: it is not to go again meanwhile
        byte encoding = encoding(value);
        long here = ValueType.isOneBlock(encoding) ? readBlock(encoding, value) : readFlat(keys.type(entry), value);
        if (here == Memory.NULL) {
            return false;
        }
        keys.value(entry, encoding, here);
        free(value);
        movedIn++;
        return true;
    }

    /** Reads a value that is one block; {@link Memory#NULL} if that takes time. */
    private long readBlock(byte encoding, long value) {
        int length = length(value);
        int header = Values.blockHeader(encoding);
        long block = allocator.allocate(header + length);
        boolean done = false;
        try {
            done = far.tryRead(slot(value), memory.buffer(block), Memory.offset(block) + header, length);
        } finally {
            if (!done) {
                allocator.free(block);
            }
        }
        if (done && header > 0) {
            memory.putInt(block, length);
        }
        return done ? block : Memory.NULL;
    }

    /** Reads a value that is a structure of many blocks; {@link Memory#NULL} if that takes time. */
    private long readFlat(byte type, long value) {
        if (!far.tryRead(slot(value), flat.buffer(), 0, length(value))) {
            return Memory.NULL;
        }
        flat.open(length(value));
        return values.restore(type, flat);
    }

    // ---- gone -------------------------------------------------------------------------------------------------------

    /** A value that is out goes. */
    void free(long value) {
        space.give(slot(value), length(value));
        count--;
        bytes -= length(value);
    }

    /** All values go. */
    void clear() {
        space.clear();
        count = 0;
        bytes = 0;
    }

    // ---- counts -----------------------------------------------------------------------------------------------------

    void countFailure() {
        failures++;
    }

    OverflowStatistics statistics() {
        return new OverflowStatistics(count, bytes, space.capacity(), movedOut, movedIn, failures);
    }
}

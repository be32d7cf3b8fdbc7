package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.KvOp;
import org.agrona.concurrent.UnsafeBuffer;

/** Operations on strings. Semantics and texts of Redis 7.0. Single-threaded, as the shard that owns it. */
final class StringOperations {
    /** Longest string that is called embstr rather than raw. */
    static final int MAX_EMBEDDED = 44;

    private static final byte[] NX = word("nx");
    private static final byte[] XX = word("xx");
    private static final byte[] GET = word("get");
    private static final byte[] KEEP_TTL = word("keepttl");
    private static final byte[] PERSIST = word("persist");
    private static final byte[] EX = word("ex");
    private static final byte[] PX = word("px");
    private static final byte[] EXAT = word("exat");
    private static final byte[] PXAT = word("pxat");

    private static final int FLAG_NX = 1;
    private static final int FLAG_XX = 1 << 1;
    private static final int FLAG_GET = 1 << 2;
    private static final int FLAG_KEEP_TTL = 1 << 3;
    private static final int FLAG_PERSIST = 1 << 4;
    private static final int FLAG_EX = 1 << 5;
    private static final int FLAG_PX = 1 << 6;
    private static final int FLAG_EXAT = 1 << 7;
    private static final int FLAG_PXAT = 1 << 8;
    private static final int ANY_EXPIRY = FLAG_EX | FLAG_PX | FLAG_EXAT | FLAG_PXAT;

    private final Execution e;
    private final MultipleSet multipleSet;

    private int flags;
    private int expiryArgument;
    private long expiry;

    StringOperations(Execution execution) {
        e = execution;
        multipleSet = new MultipleSet(execution);
    }

    /** Encoding of a string of that length that is no number. */
    static byte blockEncoding(int length) {
        return length <= MAX_EMBEDDED ? ValueType.EMBSTR : ValueType.RAW;
    }

    void execute(KvOp op) {
        switch (op) {
            case GET -> getOne();
            case SET -> set();
            case SETNX -> setIfAbsent();
            case SETEX -> setWithExpiry(FLAG_EX);
            case PSETEX -> setWithExpiry(FLAG_PX);
            case GETSET -> {
                if (get(0)) {
                    store(0, 1, false);
                }
            }
            case GETDEL -> getAndDelete();
            case GETEX -> getAndExpire();
            case APPEND -> append();
            case STRLEN -> length();
            case GETRANGE, SUBSTR -> getRange();
            case SETRANGE -> setRange();
            case MGET -> getMany();
            case MSET -> setMany();
            case MSETNX -> setManyIfAbsent();
            default -> throw new IllegalStateException(op.name());
        }
    }

    /** Replies with a value or NIL; false after an error. */
    private boolean get(int key) {
        long entry = e.lookupRead(key);
        if (entry == Memory.NULL) {
            e.reply.nil();
            return true;
        }
        if (!e.hasType(entry, ValueType.STRING)) {
            return false;
        }
        bulk(entry);
        return true;
    }

    private void getOne() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.nil();
        } else if (e.hasType(entry, ValueType.STRING)) {
            bulk(entry);
            e.keyspace.wanted(entry);
        }
    }

    private void bulk(long entry) {
        if (e.keyspace.encoding(entry) == ValueType.INT) {
            e.reply.bulkInteger(e.keyspace.value(entry));
        } else {
            e.bulkOfBlock(e.keyspace.value(entry));
        }
    }

    private void set() {
        if (!parseOptions(2, true)) {
            e.error(Errors.SYNTAX);
            return;
        }
        if ((flags & ANY_EXPIRY) != 0 && !parseExpiry()) {
            return;
        }
        if ((flags & FLAG_GET) != 0 && !get(0)) {
            return;
        }
        if ((flags & (FLAG_NX | FLAG_XX)) != 0) {
            boolean found = e.lookupWrite(0) != Memory.NULL;
            if (found == ((flags & FLAG_NX) != 0)) {
                if ((flags & FLAG_GET) == 0) {
                    e.reply.nil();
                }
                return;
            }
        }
        if ((flags & ANY_EXPIRY) != 0) {
            storeExpiring(1);
        } else {
            store(0, 1, (flags & FLAG_KEEP_TTL) != 0);
        }
        if ((flags & FLAG_GET) == 0) {
            e.ok();
        }
    }

    private void setIfAbsent() {
        if (e.lookupWrite(0) != Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        store(0, 1, false);
        e.reply.integer(1);
    }

    private void setWithExpiry(int unit) {
        flags = unit;
        expiryArgument = 1;
        if (parseExpiry()) {
            storeExpiring(2);
            e.ok();
        }
    }

    /** Sets key 0 to an argument, to expire at the time that was read. */
    private void storeExpiring(int value) {
        e.keyspace.prepareExpiry();
        // An expiry that the key has is kept, and with it the room for the new one.
        e.keyspace.expireAt(store(0, value, true), expiry);
    }

    private void getAndDelete() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.nil();
        } else if (e.hasType(entry, ValueType.STRING)) {
            bulk(entry);
            e.keyspace.delete(entry);
        }
    }

    private void getAndExpire() {
        if (!parseOptions(1, false)) {
            e.error(Errors.SYNTAX);
            return;
        }
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.nil();
            return;
        }
        if (!e.hasType(entry, ValueType.STRING) || ((flags & ANY_EXPIRY) != 0 && !parseExpiry())) {
            return;
        }
        bulk(entry);
        if ((flags & (FLAG_EXAT | FLAG_PXAT)) != 0 && expiry <= e.now) {
            e.keyspace.delete(entry);
        } else if ((flags & ANY_EXPIRY) != 0) {
            e.keyspace.expireAt(entry, expiry);
        } else if ((flags & FLAG_PERSIST) != 0) {
            e.keyspace.persist(entry);
        }
    }

    /** Reads the options of SET or GETEX; false if they do not go together. */
    private boolean parseOptions(int first, boolean isSet) {
        flags = 0;
        for (int i = first; i < e.argc(); i++) {
            boolean more = i + 1 < e.argc();
            if (isSet && e.is(i, NX) && (flags & FLAG_XX) == 0) {
                flags |= FLAG_NX;
            } else if (isSet && e.is(i, XX) && (flags & FLAG_NX) == 0) {
                flags |= FLAG_XX;
            } else if (isSet && e.is(i, GET)) {
                flags |= FLAG_GET;
            } else if (isSet && e.is(i, KEEP_TTL) && (flags & ANY_EXPIRY) == 0) {
                flags |= FLAG_KEEP_TTL;
            } else if (!isSet && e.is(i, PERSIST) && (flags & ANY_EXPIRY) == 0) {
                flags |= FLAG_PERSIST;
            } else if (more && parseUnit(i)) {
                i++;
                expiryArgument = i;
            } else {
                return false;
            }
        }
        return true;
    }

    private boolean parseUnit(int argument) {
        int unit;
        if (e.is(argument, EX)) {
            unit = FLAG_EX;
        } else if (e.is(argument, PX)) {
            unit = FLAG_PX;
        } else if (e.is(argument, EXAT)) {
            unit = FLAG_EXAT;
        } else if (e.is(argument, PXAT)) {
            unit = FLAG_PXAT;
        } else {
            return false;
        }
        // The same unit twice is allowed, and the last one counts.
        if ((flags & (FLAG_KEEP_TTL | FLAG_PERSIST | (ANY_EXPIRY & ~unit))) != 0) {
            return false;
        }
        flags |= unit;
        return true;
    }

    /** Reads the expiry as Unix milliseconds; if it is invalid, replies with the error and returns false. */
    private boolean parseExpiry() {
        if (!e.integer(expiryArgument)) {
            return false;
        }
        long when = e.number();
        boolean seconds = (flags & (FLAG_EX | FLAG_EXAT)) != 0;
        boolean relative = (flags & (FLAG_EX | FLAG_PX)) != 0;
        if (when <= 0 || (seconds && when > Long.MAX_VALUE / 1000)) {
            e.invalidExpireTime();
            return false;
        }
        when = seconds ? when * 1000 : when;
        if (relative) {
            if (when > Long.MAX_VALUE - e.now) {
                e.invalidExpireTime();
                return false;
            }
            when += e.now;
        }
        expiry = when;
        return true;
    }

    /** Sets a key to an argument, whatever it was before; returns its entry. */
    private long store(int key, int value, boolean keepExpiry) {
        return e.request.isUploaded(value)
                ? storeUpload(key, e.upload(value), keepExpiry)
                : store(key, e.in, e.at(value), e.length(value), keepExpiry);
    }

    /** Sets a key to what was uploaded: its memory becomes the value, unless an ordinary block is long enough. */
    private long storeUpload(int key, Upload upload, boolean keepExpiry) {
        if (StringBlock.BYTES + upload.length() <= Allocator.MAX_RUN_LENGTH) {
            return store(key, upload.buffer(), StringBlock.BYTES, upload.length(), keepExpiry);
        }
        long found = e.lookupWrite(key);
        // A number, which needs no release, until the value comes: the upload is used when nothing can fail any more.
        long entry = found == Memory.NULL ? e.add(key, ValueType.STRING, ValueType.INT, 0) : found;
        long block;
        try {
            block = e.adopt(upload);
        } catch (AllocationFailedException failure) {
            if (found == Memory.NULL) {
                e.keyspace.delete(entry);
            }
            throw failure;
        }
        e.keyspace.releaseValue(entry);
        e.keyspace.set(entry, ValueType.STRING, ValueType.RAW, block);
        if (!keepExpiry) {
            e.keyspace.persist(entry);
        }
        return entry;
    }

    long store(int key, UnsafeBuffer buffer, int offset, int length, boolean keepExpiry) {
        long found = e.lookupWrite(key);
        boolean number = e.decimals.parse(buffer, offset, length);
        StringBlock strings = e.values.strings();
        byte encoding = number ? ValueType.INT : blockEncoding(length);
        if (found == Memory.NULL) {
            long value = number ? e.decimals.value() : strings.create(buffer, offset, length);
            return e.addOrRelease(key, ValueType.STRING, encoding, value);
        }
        byte before = e.keyspace.encoding(found);
        if (!number && (before == ValueType.EMBSTR || before == ValueType.RAW)) {
            e.keyspace.value(found, encoding, strings.set(e.keyspace.value(found), buffer, offset, length));
        } else {
            long value = number ? e.decimals.value() : strings.create(buffer, offset, length);
            e.keyspace.releaseValue(found);
            e.keyspace.set(found, ValueType.STRING, encoding, value);
        }
        if (!keepExpiry) {
            e.keyspace.persist(found);
        }
        return found;
    }

    private void append() {
        long entry = e.lookupWrite(0);
        if (entry == Memory.NULL) {
            store(0, 1, false);
            e.reply.integer(e.length(1));
            return;
        }
        if (!e.hasType(entry, ValueType.STRING)) {
            return;
        }
        int before = stringLength(entry);
        long total = (long) before + e.length(1);
        if (!e.isStringAllowed(total)) {
            return;
        }
        long block = extend(entry, (int) total);
        e.memory.putBytes(block + StringBlock.BYTES + before, e.in, e.at(1), e.length(1));
        e.reply.integer(total);
    }

    int stringLength(long entry) {
        if (e.keyspace.encoding(entry) == ValueType.INT) {
            e.view(entry);
            return e.view.length;
        }
        return e.values.strings().length(e.keyspace.value(entry));
    }

    /** Makes a string a raw block of at least that length; returns the block. */
    long extend(long entry, int length) {
        StringBlock strings = e.values.strings();
        long block;
        if (e.keyspace.encoding(entry) == ValueType.INT) {
            e.view(entry);
            block = strings.createPadded(e.view.buffer, e.view.offset, e.view.length, length);
        } else {
            block = e.keyspace.value(entry);
            if (strings.length(block) < length) {
                block = strings.extend(block, length);
            }
        }
        e.keyspace.value(entry, ValueType.RAW, block);
        return block;
    }

    /** As {@link #extend}, for a string whose present bytes are to be changed. */
    long extendToWrite(long entry, int length) {
        long block = e.values.strings().extendToWrite(extend(entry, 0), length);
        e.keyspace.value(entry, ValueType.RAW, block);
        return block;
    }

    /** Adds a string of zeros; returns its block. */
    long addZeroed(int key, int length) {
        long block = e.values.strings().createZeroed(length);
        e.addOrRelease(key, ValueType.STRING, ValueType.RAW, block);
        return block;
    }

    private void length() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
        } else if (e.hasType(entry, ValueType.STRING)) {
            e.reply.integer(stringLength(entry));
        }
    }

    private void getRange() {
        if (!e.integer(1)) {
            return;
        }
        long start = e.number();
        if (!e.integer(2)) {
            return;
        }
        long end = e.number();
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.emptyBulk();
            return;
        }
        if (!e.hasType(entry, ValueType.STRING)) {
            return;
        }
        e.view(entry);
        int length = e.view.length;
        if (start < 0 && end < 0 && start > end) {
            e.emptyBulk();
            return;
        }
        start = Math.max(0, start < 0 ? length + start : start);
        end = Math.min(length - 1, Math.max(0, end < 0 ? length + end : end));
        if (start > end || length == 0) {
            e.emptyBulk();
        } else {
            int bytes = (int) (end - start + 1);
            if (e.keyspace.encoding(entry) == ValueType.INT) {
                e.reply.bulk(e.view.buffer, e.view.offset + (int) start, bytes);
            } else {
                e.bulk(e.keyspace.value(entry) + StringBlock.BYTES + start, bytes);
            }
        }
    }

    private void setRange() {
        if (!e.integer(1)) {
            return;
        }
        long offset = e.number();
        if (offset < 0) {
            e.error(Errors.OFFSET_OUT_OF_RANGE);
            return;
        }
        int length = e.length(2);
        long entry = e.lookupWrite(0);
        if (entry != Memory.NULL && !e.hasType(entry, ValueType.STRING)) {
            return;
        }
        if (length == 0) {
            e.reply.integer(entry == Memory.NULL ? 0 : stringLength(entry));
            return;
        }
        // An offset near the greatest long would overflow the sum.
        if (!e.isStringAllowed(Math.max(offset, offset + length))) {
            return;
        }
        int end = (int) offset + length;
        long block;
        if (entry == Memory.NULL) {
            block = addZeroed(0, end);
        } else {
            block = extendToWrite(entry, end);
        }
        e.memory.putBytes(block + StringBlock.BYTES + offset, e.in, e.at(2), length);
        e.reply.integer(e.values.strings().length(block));
    }

    private void getMany() {
        if (!e.isReplyCountAllowed(e.argc())) {
            return;
        }
        e.reply.array(e.argc());
        for (int i = 0; i < e.argc(); i++) {
            long entry = e.lookupRead(i);
            if (entry == Memory.NULL || e.keyspace.type(entry) != ValueType.STRING) {
                e.reply.nil();
            } else {
                bulk(entry);
            }
        }
    }

    private void setMany() {
        if ((e.argc() & 1) != 0) {
            e.arityError();
            return;
        }
        multipleSet.execute();
        e.ok();
    }

    private void setManyIfAbsent() {
        if ((e.argc() & 1) != 0) {
            e.arityError();
            return;
        }
        for (int i = 0; i < e.argc(); i += 2) {
            if (e.lookupWrite(i) != Memory.NULL) {
                e.reply.integer(0);
                return;
            }
        }
        multipleSet.execute();
        e.reply.integer(1);
    }
}

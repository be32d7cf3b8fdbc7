package io.verbena.kv.store;

import static io.verbena.kv.store.Execution.word;

import io.verbena.kv.protocol.KvOp;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Strings as arrays of bits, the first bit being the highest of the first byte. Single-threaded, as the shard that owns
 * it.
 */
final class BitOperations {
    private static final byte[] BYTE = word("byte");
    private static final byte[] BIT = word("bit");

    private final Execution e;
    private final StringOperations strings;
    private long rangeStart;
    private long rangeEnd;
    private boolean inBits;

    BitOperations(Execution execution, StringOperations strings) {
        e = execution;
        this.strings = strings;
    }

    void execute(KvOp op) {
        switch (op) {
            case GETBIT -> getBit();
            case SETBIT -> setBit();
            case BITCOUNT -> count();
            case BITPOS -> position();
            default -> throw new IllegalStateException(op.name());
        }
    }

    private boolean parseBitOffset() {
        if (!e.integer(1, Errors.BIT_OFFSET)) {
            return false;
        }
        if (e.number() < 0 || e.number() >= (long) e.context.maxValueLength() * Byte.SIZE) {
            e.error(Errors.BIT_OFFSET);
            return false;
        }
        return true;
    }

    private void getBit() {
        if (!parseBitOffset()) {
            return;
        }
        long bit = e.number();
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(entry, ValueType.STRING)) {
            return;
        }
        e.view(entry);
        long index = bit >>> 3;
        e.reply.integer(index < e.view.length ? bitOf(e.view.buffer.getByte(e.view.offset + (int) index), bit) : 0);
    }

    private static int bitOf(int octet, long bit) {
        return octet >>> (7 - (bit & 7)) & 1;
    }

    private void setBit() {
        if (!parseBitOffset()) {
            return;
        }
        long bit = e.number();
        if (!e.integer(2, Errors.BIT_VALUE)) {
            return;
        }
        if ((e.number() & ~1L) != 0) {
            e.error(Errors.BIT_VALUE);
            return;
        }
        int value = (int) e.number();
        long entry = e.lookupWrite(0);
        if (entry != Memory.NULL && !e.hasType(entry, ValueType.STRING)) {
            return;
        }
        long index = bit >>> 3;
        long block = entry == Memory.NULL
                ? strings.addZeroed(0, (int) index + 1)
                : strings.extendToWrite(entry, (int) index + 1);
        long at = block + StringBlock.BYTES + index;
        byte before = e.memory.getByte(at);
        int mask = 1 << (7 - (bit & 7));
        e.memory.putByte(at, (byte) (value == 0 ? before & ~mask : before | mask));
        e.reply.integer(bitOf(before, bit));
    }

    /** Reads the unit, bits or bytes, if there is such an argument; false after an error. */
    private boolean parseUnit(int argument) {
        inBits = e.argc() > argument && e.is(argument, BIT);
        if (e.argc() > argument && !inBits && !e.is(argument, BYTE)) {
            e.error(Errors.SYNTAX);
            return false;
        }
        return true;
    }

    /**
     * Turns start and end, in the unit, into bits and clips them to the viewed string; false if nothing is between
     * them.
     */
    private boolean clipRange() {
        long length = (long) e.view.length * (inBits ? Byte.SIZE : 1);
        long start = Math.max(0, rangeStart < 0 ? length + rangeStart : rangeStart);
        long end = Math.min(length - 1, Math.max(0, rangeEnd < 0 ? length + rangeEnd : rangeEnd));
        if (start > end) {
            return false;
        }
        rangeStart = inBits ? start : start * Byte.SIZE;
        rangeEnd = inBits ? end : end * Byte.SIZE + Byte.SIZE - 1;
        return true;
    }

    private void count() {
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(0);
            return;
        }
        if (!e.hasType(entry, ValueType.STRING)) {
            return;
        }
        e.view(entry);
        rangeStart = 0;
        rangeEnd = -1;
        if (e.argc() > 1) {
            if (e.argc() == 2 || e.argc() > 4) {
                e.error(Errors.SYNTAX);
                return;
            }
            // The scratch space may hold the viewed number: integers are parsed without it.
            if (!e.integer(1)) {
                return;
            }
            rangeStart = e.number();
            if (!e.integer(2)) {
                return;
            }
            rangeEnd = e.number();
            // In this order Redis looks at them.
            if (rangeStart < 0 && rangeEnd < 0 && rangeStart > rangeEnd) {
                e.reply.integer(0);
                return;
            }
        }
        if (parseUnit(3)) {
            e.reply.integer(clipRange() ? countBits(e.view.buffer, e.view.offset, rangeStart, rangeEnd) : 0);
        }
    }

    private static long countBits(UnsafeBuffer buffer, int offset, long first, long last) {
        int firstByte = (int) (first >>> 3);
        int lastByte = (int) (last >>> 3);
        int firstMask = 0xff >>> (first & 7);
        int lastMask = 0xff << (7 - (last & 7));
        if (firstByte == lastByte) {
            return Integer.bitCount(buffer.getByte(offset + firstByte) & 0xff & firstMask & lastMask);
        }
        long count = (long) Integer.bitCount(buffer.getByte(offset + firstByte) & 0xff & firstMask)
                + Integer.bitCount(buffer.getByte(offset + lastByte) & 0xff & lastMask);
        int i = firstByte + 1;
        for (; i + Long.BYTES <= lastByte; i += Long.BYTES) {
            count += Long.bitCount(buffer.getLong(offset + i));
        }
        for (; i < lastByte; i++) {
            count += Integer.bitCount(buffer.getByte(offset + i) & 0xff);
        }
        return count;
    }

    private void position() {
        if (!e.integer(1)) {
            return;
        }
        long bit = e.number();
        if (bit != 0 && bit != 1) {
            e.error(Errors.BIT_ARGUMENT);
            return;
        }
        long entry = e.lookupRead(0);
        if (entry == Memory.NULL) {
            e.reply.integer(bit == 1 ? -1 : 0);
            return;
        }
        if (!e.hasType(entry, ValueType.STRING)) {
            return;
        }
        e.view(entry);
        if (e.argc() > 5) {
            e.error(Errors.SYNTAX);
            return;
        }
        boolean endGiven = e.argc() > 3;
        rangeStart = 0;
        rangeEnd = -1;
        if (e.argc() > 2) {
            if (!e.integer(2)) {
                return;
            }
            rangeStart = e.number();
        }
        if (!parseUnit(4)) {
            return;
        }
        if (endGiven) {
            if (!e.integer(3)) {
                return;
            }
            rangeEnd = e.number();
        }
        if (!clipRange()) {
            e.reply.integer(-1);
            return;
        }
        long found = find(e.view.buffer, e.view.offset, (int) bit);
        if (found < 0 && bit == 0 && !endGiven) {
            // Without an end, a string is followed by endless zeros.
            e.reply.integer((long) e.view.length * Byte.SIZE);
        } else {
            e.reply.integer(found);
        }
    }

    private long find(UnsafeBuffer buffer, int offset, int bit) {
        long skip = bit == 0 ? -1L : 0L;
        long at = rangeStart;
        while (at <= rangeEnd) {
            int index = (int) (at >>> 3);
            if ((at & 7) == 0
                    && rangeEnd - at >= Long.SIZE
                    && buffer.getLong(offset + index, ByteOrder.LITTLE_ENDIAN) == skip) {
                at += Long.SIZE;
            } else if (bitOf(buffer.getByte(offset + index), at) == bit) {
                return at;
            } else {
                at++;
            }
        }
        return -1;
    }
}

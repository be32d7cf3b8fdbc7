package io.verbena.kv.store;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Off-heap memory by address. An address is {@code region << 32 | offset}: the number of a region, which is one buffer,
 * and a byte in it. Region 0 does not exist, so that address 0 is {@link #NULL}. Adding to an address within an
 * allocation stays in its region.
 *
 * <p>Single-threaded, as the shard that owns it. Accesses are checked by Agrona against the region's bounds, unless its
 * bounds checks are switched off.
 */
final class Memory {
    /** Address of nothing. */
    static final long NULL = 0L;

    private static final UnsafeBuffer GONE = new UnsafeBuffer(0, 0);

    private UnsafeBuffer[] regions = new UnsafeBuffer[16];
    private int limit = 1;

    Memory() {
        Arrays.fill(regions, GONE);
    }

    static long address(int region, int offset) {
        return (long) region << 32 | offset;
    }

    static int region(long address) {
        return (int) (address >>> 32);
    }

    static int offset(long address) {
        return (int) address;
    }

    /**
     * Makes sure that {@link #attach} finds a number without allocating; returns a bound of the numbers in use then.
     */
    int ensureRegion() {
        if (limit == regions.length) {
            UnsafeBuffer[] grown = Arrays.copyOf(regions, limit * 2);
            Arrays.fill(grown, limit, grown.length, GONE);
            regions = grown;
        }
        return regions.length;
    }

    /** Adds a buffer under the lowest free number and returns the number; {@link #ensureRegion} goes before. */
    int attach(UnsafeBuffer buffer, int from) {
        int region = Math.max(1, from);
        while (region < limit && !isFree(region)) {
            region++;
        }
        regions[region] = buffer;
        limit = Math.max(limit, region + 1);
        return region;
    }

    @SuppressWarnings("ReferenceEquality")
    private boolean isFree(int region) {
        return regions[region] == GONE;
    }

    void detach(int region) {
        regions[region] = GONE;
        while (limit > 1 && isFree(limit - 1)) {
            limit--;
        }
    }

    UnsafeBuffer buffer(long address) {
        return regions[(int) (address >>> 32)];
    }

    byte getByte(long address) {
        return regions[(int) (address >>> 32)].getByte((int) address);
    }

    void putByte(long address, byte value) {
        regions[(int) (address >>> 32)].putByte((int) address, value);
    }

    int getInt(long address) {
        return regions[(int) (address >>> 32)].getInt((int) address);
    }

    void putInt(long address, int value) {
        regions[(int) (address >>> 32)].putInt((int) address, value);
    }

    long getLong(long address) {
        return regions[(int) (address >>> 32)].getLong((int) address);
    }

    void putLong(long address, long value) {
        regions[(int) (address >>> 32)].putLong((int) address, value);
    }

    double getDouble(long address) {
        return regions[(int) (address >>> 32)].getDouble((int) address);
    }

    void putDouble(long address, double value) {
        regions[(int) (address >>> 32)].putDouble((int) address, value);
    }

    void putBytes(long address, DirectBuffer source, int offset, int length) {
        regions[(int) (address >>> 32)].putBytes((int) address, source, offset, length);
    }

    /** Copies bytes; the ranges may overlap. */
    void copy(long from, long to, int length) {
        regions[(int) (to >>> 32)].putBytes((int) to, regions[(int) (from >>> 32)], (int) from, length);
    }

    void clear(long address, int length) {
        regions[(int) (address >>> 32)].setMemory((int) address, length, (byte) 0);
    }
}

package io.verbena.nic.transport;

import org.agrona.concurrent.AtomicBuffer;

/** The two remote atomics, as CPU atomics: they hold among all queue pairs and against the CPU. */
final class Atomics {
    private Atomics() {}

    /** Whether 8 bytes can be changed atomically there: it is the address that counts, a window may begin anywhere. */
    static boolean isAligned(AtomicBuffer buffer, long index) {
        return (buffer.addressOffset() + index & Long.BYTES - 1) == 0;
    }

    /** Executes one; returns the original value. The index is 8-byte aligned. */
    static long execute(boolean fetchAdd, AtomicBuffer buffer, int index, long swapOrAdd, long compare) {
        if (fetchAdd) {
            return buffer.getAndAddLong(index, swapOrAdd);
        }
        while (true) {
            long original = buffer.getLongVolatile(index);
            if (original != compare || buffer.compareAndSetLong(index, compare, swapOrAdd)) {
                return original;
            }
        }
    }
}

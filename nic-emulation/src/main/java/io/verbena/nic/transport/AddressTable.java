package io.verbena.nic.transport;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A NIC's address handles. A key is a place in the table and a tag that differs from the one before at that place, so
 * that a stale key is refused.
 *
 * <p>Concurrency: {@link #add} and {@link #remove} are called under the NIC's monitor (control path); {@link #find} is
 * lock-free and allocation-free, from any thread.
 */
public final class AddressTable {
    private static final int MIN = 1024;
    private static final int INDEX_BITS = 20;
    private static final int MAX = 1 << INDEX_BITS;
    private static final int INDEX_MASK = MAX - 1;

    private volatile @Nullable Address[] addresses = new Address[MIN]; // copied on write
    private int[] tags = new int[MIN];
    private int next;

    /** Where a datagram goes, and whose it may be. */
    record Address(int key, long peerNic, int pd) {}

    /** Creates an empty table. */
    public AddressTable() {}

    /**
     * Adds an address.
     *
     * @return its key
     * @throws IllegalStateException if there are 1048576
     */
    public int add(long peerNic, int pd) {
        int length = addresses.length;
        int index = nextFree(length);
        if (index < 0) {
            if (length == MAX) {
                throw new IllegalStateException("address handles " + MAX + " is the maximum");
            }
            index = length;
        }
        next = index + 1;
        @Nullable Address[] now = Arrays.copyOf(addresses, index < length ? length : length * 2);
        if (tags.length < now.length) {
            tags = Arrays.copyOf(tags, now.length);
        }
        int key = ++tags[index] << INDEX_BITS | index;
        now[index] = new Address(key, peerNic, pd);
        addresses = now;
        return key;
    }

    /** Goes round, so that a place is used again as late as can be. */
    private int nextFree(int length) {
        for (int i = 0; i < length; i++) {
            int index = (next + i) % length;
            if (addresses[index] == null) {
                return index;
            }
        }
        return -1;
    }

    /** Removes an address. */
    public void remove(int key) {
        @Nullable Address[] now = addresses.clone();
        now[key & INDEX_MASK] = null;
        addresses = now;
    }

    /** The address of a key, any value; null if there is none, or it is of another protection domain. */
    @Nullable
    Address find(int key, int pd) {
        @Nullable Address[] now = addresses;
        int index = key & INDEX_MASK;
        Address address = index < now.length ? now[index] : null;
        return address != null && address.key() == key && address.pd() == pd ? address : null;
    }
}

package io.verbena.remote;

import io.verbena.connection.Connection;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;

/** What operations on a peer's region may do and reach. Thread-safe. */
public final class RegionBounds {
    private final Object region; // for texts
    private final Connection connection;

    /** Creates it; the region is for texts. */
    public RegionBounds(Object region, Connection connection) {
        this.region = region;
        this.connection = connection;
    }

    /**
     * Refuses a range that leaves the region, or an access that was not granted.
     *
     * @throws IllegalStateException if the peer does not permit that
     * @throws IndexOutOfBoundsException if it leaves the region
     */
    public void check(int access, long offset, int length) {
        if ((connection.rights & access) == 0) {
            throw new IllegalStateException("the AccessPolicy of its node does not permit " + Access.describe(access)
                    + " to " + region + ", only " + Access.describe(connection.rights));
        }
        if (!MemoryRegion.contains(offset, length, connection.peer.regionLength())) {
            throw new IndexOutOfBoundsException("offset " + offset + " + length " + length + " leaves " + region
                    + " of length " + connection.peer.regionLength());
        }
    }

    /**
     * As {@link #check}, for an atomic operation on 8 bytes.
     *
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     */
    public void checkAtomic(long offset) {
        check(Access.REMOTE_ATOMIC, offset, Long.BYTES);
        if ((offset & Long.BYTES - 1) != 0) {
            throw new IllegalArgumentException("offset " + offset + " of an atomic is not a multiple of " + Long.BYTES);
        }
    }
}

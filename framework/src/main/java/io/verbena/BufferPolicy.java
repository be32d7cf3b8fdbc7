package io.verbena;

/**
 * Where the bytes of a {@link RemoteRegion}'s operations lie while they are under way, see
 * {@link RegionOptions#buffers}: what the RDMAbox paper calls preMR and dynMR (sections IV-B and V-B).
 */
public enum BufferPolicy {
    /** In registered memory of the region's, to and from which they are copied. A write's source is free at once. */
    COPY,

    /**
     * In the buffer that the operation names, if it is a direct one and the operation is not one that a thread waits
     * for; others are copied. A buffer, known by its identity, is registered the first time and stays so, and
     * reachable, until the region has used 16 others since; with 16 in use, those of further operations are copied. A
     * write's source must not change before the operation has ended, nor may a read's target be read. With
     * {@link RegionOptions#merge} they merge as copied ones do: the pieces of a work request may lie in several
     * buffers.
     */
    REGISTER,

    /**
     * As {@link #REGISTER} from a length on at which registering takes no longer than copying; shorter ones are copied.
     * The length is measured once a process, when a region with this policy is attached, or set by
     * {@link RegionOptions#registerFrom}.
     */
    BY_SIZE
}

package io.verbena;

/**
 * Where the bytes of a {@link RemoteRegion}'s operations lie while they are under way, see
 * {@link RegionOptions#buffers}: what the RDMAbox paper calls preMR and dynMR (sections IV-B and V-B).
 */
public enum BufferPolicy {
    /** In registered memory of the region's, to and from which they are copied. A write's source is free at once. */
    COPY,

    /**
     * In the buffer that the operation names, if it is a direct one; others are copied. Its memory is registered the
     * first time and stays so while the region uses few others. A write's source must not change before the operation
     * has ended, as a read's target.
     */
    REGISTER,

    /**
     * As {@link #REGISTER} from a length on at which registering takes no longer than copying; shorter ones are copied.
     * The length is measured when the first such region of the process is attached, or set by
     * {@link RegionOptions#registerFrom}.
     */
    BY_SIZE
}

package io.verbena.nic.queue;

/**
 * Layout of a receive request in a receive ring.
 *
 * <pre>
 *   0                        8                 12                16
 *  +------------------------+-----------------+-----------------+
 *  | work request id        | entries         | total length    |
 *  +------------------------+-----------------+-----------------+
 *  | scatter/gather entries of 16 bytes, as in a send request   |
 * </pre>
 */
public final class ReceiveWqeDescriptor {
    /** Offset of the work request id. */
    public static final int WR_ID = 0;
    /** Offset of the number of entries. */
    public static final int SGE_COUNT = 8;
    /** Offset of the sum of the entries' lengths. */
    public static final int LENGTH = 12;
    /** Offset of the first entry. */
    public static final int DATA = 16;

    private ReceiveWqeDescriptor() {}

    /** Bytes of a slot with this many entries. */
    public static int slotLength(int maxSge) {
        return DATA + maxSge * SendWqeDescriptor.SGE_LENGTH;
    }
}

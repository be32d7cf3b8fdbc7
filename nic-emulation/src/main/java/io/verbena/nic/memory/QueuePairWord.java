package io.verbena.nic.memory;

/**
 * The 64-bit word by which a NIC tells its direct peers the state of a queue pair. A direct initiator reads it before
 * each slice of an operation; one word, so that state, access and connection always belong together.
 *
 * <pre>
 *   63            48 47                                       8 7       3 2     0
 *   +---------------+------------------------------------------+---------+-------+
 *   |      PD       |       connection that it takes from      | access  | state |
 *   +---------------+------------------------------------------+---------+-------+
 * </pre>
 *
 * State 0 is RESET, so that a zeroed word refuses everything. The connection stands for what a packet would be judged
 * by: the NIC and the queue pair that it comes from, and the PSN that they begin with. It tells a peer of before, or
 * one that takes this queue pair for another's, from the one that it is connected to; it is no secret, and protects
 * nothing from whoever has the memory mapped.
 */
public final class QueuePairWord {
    /** Largest protection domain id. */
    public static final int MAX_PD = 0xFFFF;

    private static final int CONNECTION_BITS = 40;
    private static final long CONNECTION_MASK = (1L << CONNECTION_BITS) - 1;

    private QueuePairWord() {}

    /**
     * Packs a word.
     *
     * @param state 0 to 7
     * @param access flags of {@link Access}
     * @param connection of {@link #connection}
     * @param pd protection domain, 0 to {@link #MAX_PD}
     * @return the word
     */
    public static long pack(int state, int access, long connection, int pd) {
        return (state & 7L) | ((access & 31L) << 3) | ((connection & CONNECTION_MASK) << 8) | ((pd & 0xFFFFL) << 48);
    }

    /**
     * What stands for one direction of a connection, computed by both of its ends: 40 bits of a hash. Two connections
     * that meet at a queue pair by chance are the same with a probability of 1e-12.
     *
     * @param nic identity of the NIC that sends
     * @param qpNumber its queue pair
     * @param psn that it begins with
     * @return 0 to 2^40 - 1
     */
    public static long connection(long nic, int qpNumber, int psn) {
        long numbers = (qpNumber & 0xFFFFFFL) << 24 | (psn & 0xFFFFFFL);
        return mix(nic ^ mix(numbers)) >>> (Long.SIZE - CONNECTION_BITS);
    }

    /** The finalizer of splitmix64. */
    private static long mix(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** State, 0 to 7. */
    public static int state(long word) {
        return (int) word & 7;
    }

    /** Access flags. */
    public static int access(long word) {
        return (int) (word >>> 3) & 31;
    }

    /** The connection that requests may come from. */
    public static long connection(long word) {
        return (word >>> 8) & CONNECTION_MASK;
    }

    /** Protection domain. */
    public static int pd(long word) {
        return (int) (word >>> 48) & 0xFFFF;
    }
}

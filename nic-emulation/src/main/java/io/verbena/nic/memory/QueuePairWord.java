package io.verbena.nic.memory;

/**
 * The 64-bit word by which a NIC tells its direct peers the state of a queue pair. A direct initiator reads it before
 * each slice of an operation; one word, so that state, access and epoch always belong together.
 *
 * <pre>
 *   63            48 47                     24 23            8 7       3 2     0
 *   +---------------+-------------------------+---------------+---------+-------+
 *   |      PD       |   peer's QP number      |     epoch     | access  | state |
 *   +---------------+-------------------------+---------------+---------+-------+
 * </pre>
 *
 * State 0 is RESET, so that a zeroed word refuses everything.
 */
public final class QueuePairWord {
    /** Largest protection domain id. */
    public static final int MAX_PD = 0xFFFF;

    /** Largest queue pair number. */
    public static final int MAX_QP = 0xFFFFFF;

    private QueuePairWord() {}

    /**
     * Packs a word.
     *
     * @param state 0 to 7
     * @param access flags of {@link Access}
     * @param epoch counts the connections of this number, modulo 2^16
     * @param peerQp queue pair number of the peer, 0 to {@link #MAX_QP}
     * @param pd protection domain, 0 to {@link #MAX_PD}
     * @return the word
     */
    public static long pack(int state, int access, int epoch, int peerQp, int pd) {
        return (state & 7L)
                | ((access & 31L) << 3)
                | ((epoch & 0xFFFFL) << 8)
                | ((peerQp & 0xFFFFFFL) << 24)
                | ((pd & 0xFFFFL) << 48);
    }

    /** State, 0 to 7. */
    public static int state(long word) {
        return (int) word & 7;
    }

    /** Access flags. */
    public static int access(long word) {
        return (int) (word >>> 3) & 31;
    }

    /** Epoch, 0 to 65535. */
    public static int epoch(long word) {
        return (int) (word >>> 8) & 0xFFFF;
    }

    /** The peer's queue pair number. */
    public static int peerQp(long word) {
        return (int) (word >>> 24) & 0xFFFFFF;
    }

    /** Protection domain. */
    public static int pd(long word) {
        return (int) (word >>> 48) & 0xFFFF;
    }
}

package io.verbena.nic.queue;

/**
 * Layout of a completion queue entry: 32 bytes, two to a cache line. The word at 28 is stored last, with release; its
 * phase bit changes each lap, so that a reader learns from the entry itself that it is there.
 *
 * <pre>
 *   0                        8                 12                16
 *  +------------------------+-----------------+-----------------+
 *  | work request id        | QP number       | byte length     |
 *  +------------------------+-----------------+-----------------+
 *  | immediate   | peer QP  | vendor error    | state word      | 16
 *  +------------------------+-----------------+-----------------+
 *  state word: status (0-7), opcode (8-15), flags (16-23), phase (31)
 * </pre>
 */
public final class CqeDescriptor {
    /** Bytes of an entry. */
    public static final int LENGTH = 32;
    /** Offset of the work request id. */
    public static final int WR_ID = 0;
    /** Offset of the QP number. */
    public static final int QP_NUMBER = 8;
    /** Offset of the number of bytes transferred. */
    public static final int BYTE_LENGTH = 12;
    /** Offset of the immediate data. */
    public static final int IMMEDIATE = 16;
    /** Offset of the peer's QP number. */
    public static final int PEER_QP = 20;
    /** Offset of the vendor error. */
    public static final int VENDOR_ERROR = 24;
    /** Offset of the state word. */
    public static final int STATE = 28;

    /** Flag: the immediate data is valid. */
    public static final int HAS_IMMEDIATE = 1;
    /** Flag: in place of immediate data there is the key that was invalidated. */
    public static final int HAS_INVALIDATED = 4;
    /** Flag: solicited, or an error. */
    public static final int SOLICITED = 2;

    private CqeDescriptor() {}

    static int state(int status, int opcode, int flags, int phase) {
        return status | opcode << 8 | flags << 16 | phase << 31;
    }

    static int withPhase(int state, int phase) {
        return (state & Integer.MAX_VALUE) | (phase << 31);
    }
}

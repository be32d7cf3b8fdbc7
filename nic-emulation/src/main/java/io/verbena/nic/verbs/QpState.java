package io.verbena.nic.verbs;

/**
 * The states of a queue pair and, as a table, which may follow which ({@code ibv_modify_qp(3)}). A move that the table
 * does not list is refused and changes nothing.
 */
public enum QpState {
    /** Nothing is posted, nothing is answered. */
    RESET,
    /** Receives may be posted; packets are dropped. */
    INIT,
    /** Ready to receive: requests of the peer are answered. */
    RTR,
    /** Ready to send: everything flows. */
    RTS,
    /** Send queue drained: what was started is finished, nothing new is started. */
    SQD,
    /** Send queue in error (unreliable transports). */
    SQE,
    /** In error: everything posted is flushed. */
    ERR;

    private static final QpState[] VALUES = values();

    private static final int[] LEGAL = {
        bits(RESET, INIT),
        bits(RESET, ERR, INIT, RTR),
        bits(RESET, ERR, RTS),
        bits(RESET, ERR, RTS, SQD),
        bits(RESET, ERR, RTS, SQD),
        bits(RESET, ERR, RTS),
        bits(RESET, ERR),
    };

    /** Whether a queue pair in this state may move to another. */
    public boolean mayBecome(QpState next) {
        return (LEGAL[ordinal()] & 1 << next.ordinal()) != 0;
    }

    /** Whether requests of the peer are answered in this state. */
    public boolean receives() {
        return this == RTR || this == RTS || this == SQD || this == SQE;
    }

    /**
     * Whether requests are answered in the state of an ordinal.
     *
     * @param ordinal any value: it may come from memory that others write
     */
    public static boolean receives(int ordinal) {
        return ordinal >= 0 && ordinal < VALUES.length && VALUES[ordinal].receives();
    }

    private static int bits(QpState... states) {
        int bits = 0;
        for (QpState state : states) {
            bits |= 1 << state.ordinal();
        }
        return bits;
    }
}

package io.verbena.nic.verbs;

import io.verbena.nic.wire.Opcode;

/** The transports of a queue pair ({@code enum ibv_qp_type}, ibv_create_qp(3)). */
public enum QpType {
    /** Reliable connection: exactly once, in order, every operation. */
    RC,
    /**
     * Unreliable connection: SEND, WRITE, and APPEND in one packet; what is lost is lost, what arrives is whole and in
     * order.
     */
    UC,
    /** Unreliable datagrams: SEND and APPEND in one packet, to any queue pair that has the same Q_Key. */
    UD;

    /** Whether packets of an opcode may come on this transport. */
    public boolean takes(Opcode opcode) {
        return this == RC ? opcode.onRc() : this == UC ? opcode.onUc() : opcode.onUd();
    }

    private static final int DATAGRAM = bits(WcOpcode.SEND, WcOpcode.APPEND);
    private static final int UNRELIABLE =
            DATAGRAM | bits(WcOpcode.WRITE, WcOpcode.BIND_WINDOW, WcOpcode.LOCAL_INVALIDATE);
    private static final int RELIABLE = UNRELIABLE | bits(WcOpcode.READ, WcOpcode.COMPARE_SWAP, WcOpcode.FETCH_ADD);

    /** Whether requests of a kind may be posted. What a receive queue completes with is not posted. */
    public boolean offers(WcOpcode kind) {
        int offered = this == RC ? RELIABLE : this == UC ? UNRELIABLE : DATAGRAM;
        return (offered & 1 << kind.ordinal()) != 0;
    }

    private static int bits(WcOpcode... kinds) {
        int bits = 0;
        for (WcOpcode kind : kinds) {
            bits |= 1 << kind.ordinal();
        }
        return bits;
    }
}

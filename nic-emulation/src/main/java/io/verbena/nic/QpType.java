package io.verbena.nic;

import io.verbena.nic.wire.Opcode;

/** The transports of a queue pair ({@code enum ibv_qp_type}, ibv_create_qp(3)). */
public enum QpType {
    /** Reliable connection: exactly once, in order, every operation. */
    RC,
    /** Unreliable connection: SEND, WRITE, and APPEND in one packet; what is lost is lost, what arrives is whole and in order. */
    UC,
    /** Unreliable datagrams: SEND and APPEND in one packet, to any queue pair that has the same Q_Key. */
    UD;

    /** Whether packets of an opcode may come on this transport. */
    public boolean takes(Opcode opcode) {
        return this == RC ? opcode.onRc() : this == UC ? opcode.onUc() : opcode.onUd();
    }

    /** Whether requests of a kind may be posted. What a receive queue completes with is not posted. */
    public boolean offers(WcOpcode kind) {
        switch (kind) {
            case SEND:
            case APPEND:
                return true;
            case WRITE:
            case BIND_WINDOW:
            case LOCAL_INVALIDATE:
                return this != UD;
            case READ:
            case COMPARE_SWAP:
            case FETCH_ADD:
                return this == RC;
            default:
                return false;
        }
    }
}

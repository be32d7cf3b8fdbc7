package io.verbena.verification.simulate;

import io.verbena.nic.verbs.WcOpcode;

/** What can be posted to a send queue. */
enum PostedVerb {
    SEND(WcOpcode.SEND, true, false),
    SEND_IMMEDIATE(WcOpcode.SEND, true, true),
    WRITE(WcOpcode.WRITE, false, false),
    WRITE_IMMEDIATE(WcOpcode.WRITE, true, true),
    READ(WcOpcode.READ, false, false),
    FETCH_ADD(WcOpcode.FETCH_ADD, false, false),
    COMPARE_SWAP(WcOpcode.COMPARE_SWAP, false, false),
    APPEND(WcOpcode.APPEND, false, false),
    APPEND_IMMEDIATE(WcOpcode.APPEND, false, true),
    SEND_INVALIDATE(WcOpcode.SEND, true, false),
    BIND_WINDOW(WcOpcode.BIND_WINDOW, false, false),
    LOCAL_INVALIDATE(WcOpcode.LOCAL_INVALIDATE, false, false);

    final WcOpcode opcode;
    /** Whether it consumes a receive request of the peer. */
    final boolean consumes;

    final boolean immediate;

    PostedVerb(WcOpcode opcode, boolean consumes, boolean immediate) {
        this.opcode = opcode;
        this.consumes = consumes;
        this.immediate = immediate;
    }

    boolean isSend() {
        return opcode == WcOpcode.SEND;
    }

    boolean isWrite() {
        return opcode == WcOpcode.WRITE;
    }

    boolean isAtomic() {
        return opcode == WcOpcode.FETCH_ADD || opcode == WcOpcode.COMPARE_SWAP;
    }

    /** Whether it is done where it is posted. */
    boolean isLocal() {
        return opcode == WcOpcode.BIND_WINDOW || opcode == WcOpcode.LOCAL_INVALIDATE;
    }

    /** Whether it concerns a memory window, and is posted where one is. */
    boolean isOfWindow() {
        return isLocal() || this == SEND_INVALIDATE;
    }

    boolean isAppend() {
        return opcode == WcOpcode.APPEND;
    }

    /** Whether something comes back into the requester's memory. */
    boolean reads() {
        return opcode == WcOpcode.READ || isAtomic();
    }
}

package io.verbena.nic.verbs;

/** What a completed work request was, as {@code ibv_poll_cq(3)} tells it. */
public enum WcOpcode {
    /** A SEND was done. */
    SEND,
    /** A WRITE was done. */
    WRITE,
    /** A READ was done; its bytes are in place. */
    READ,
    /** A compare-and-swap was done; the original value is in place. */
    COMPARE_SWAP,
    /** A fetch-and-add was done; the original value is in place. */
    FETCH_ADD,
    /** An APPEND was done: the record is in the peer's append queue. */
    APPEND,
    /** A message was received. */
    RECEIVE,
    /** A WRITE with immediate data consumed a receive request. */
    RECEIVE_WRITE_IMMEDIATE,
    /** A memory window was bound. */
    BIND_WINDOW,
    /** A memory window's key was invalidated here. */
    LOCAL_INVALIDATE;

    private static final WcOpcode[] VALUES = values();

    /** The opcode of an ordinal, without allocation. */
    public static WcOpcode of(int ordinal) {
        return VALUES[ordinal];
    }
}

package io.verbena.nic.verbs;

/**
 * How a work request ended, as {@code ibv_poll_cq(3)} tells it. With anything but {@link #SUCCESS} only the work
 * request id, the status, the QP number and the vendor error of a completion are valid.
 */
public enum WcStatus {
    /** Done, once, at the peer. */
    SUCCESS,
    /** A receive buffer was too short, or an atomic's result is not 8 bytes. */
    LOC_LEN_ERR,
    /** The request is inconsistent with the queue pair. */
    LOC_QP_OP_ERR,
    /** A local key is unknown, of another protection domain, out of range or without the permission. */
    LOC_PROT_ERR,
    /** Flushed: an earlier request of the queue ended in an error, or the queue pair was moved to ERR. */
    WR_FLUSH_ERR,
    /** A bad bind of a memory window. */
    MW_BIND_ERR,
    /** An answer that fits no request. */
    BAD_RESP_ERR,
    /** The receive that a bad WRITE with immediate consumed. */
    LOC_ACCESS_ERR,
    /**
     * The peer takes no such request: misaligned atomic, length, operation not enabled, append above the queue's limit.
     */
    REM_INV_REQ_ERR,
    /** A remote key is unknown, of another protection domain, out of range or without the permission. */
    REM_ACCESS_ERR,
    /** The peer's own receive request was bad. */
    REM_OP_ERR,
    /** No acknowledgement within the retry count. */
    RETRY_EXC_ERR,
    /** The peer was not ready within the RNR retry count. */
    RNR_RETRY_EXC_ERR,
    /**
     * The peer gave up an append in parts that had stood still for longer than its queue's timeout; nothing was
     * appended.
     */
    REM_ABORT_ERR,
    /** The NIC itself failed. */
    FATAL_ERR,
    /** The NIC itself failed to do this request. */
    GENERAL_ERR;

    private static final WcStatus[] VALUES = values();

    /** The status of an ordinal, without allocation. */
    public static WcStatus of(int ordinal) {
        return VALUES[ordinal];
    }
}

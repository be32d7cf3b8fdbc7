package io.verbena.verification.simulate;

import io.verbena.nic.verbs.WcStatus;

/** What is wrong with a request, and the status that it must end in for that. */
enum RequestFlaw {
    NONE(WcStatus.SUCCESS),
    /** Zero bytes under a key that does not exist: keys are not looked at. */
    EMPTY_BAD_KEY(WcStatus.SUCCESS),
    LOCAL_KEY(WcStatus.LOC_PROT_ERR),
    LOCAL_RANGE(WcStatus.LOC_PROT_ERR),
    /** Result of 4 bytes. */
    SHORT_RESULT(WcStatus.LOC_LEN_ERR),
    REMOTE_KEY(WcStatus.REM_ACCESS_ERR),
    REMOTE_RANGE(WcStatus.REM_ACCESS_ERR),
    /** Offset and length overflow 64 bits when they are added. */
    REMOTE_OVERFLOW(WcStatus.REM_ACCESS_ERR),
    REMOTE_PERMISSION(WcStatus.REM_ACCESS_ERR),
    REMOTE_DOMAIN(WcStatus.REM_ACCESS_ERR),
    /** Both keys are bad: a WRITE reports the local one. */
    BOTH_WRITE(WcStatus.LOC_PROT_ERR),
    /** Both keys are bad: READs and atomics report the remote one. */
    BOTH_READ(WcStatus.REM_ACCESS_ERR),
    /** Within the region of the window, but not within the window. */
    WINDOW_RANGE(WcStatus.REM_ACCESS_ERR),
    /** The key of a window that is void. */
    VOID_KEY(WcStatus.REM_ACCESS_ERR),
    /** A window on a region that allows none. */
    BIND(WcStatus.MW_BIND_ERR),
    /** Makes a key void that is none. */
    NO_WINDOW(WcStatus.LOC_QP_OP_ERR),
    /** A datagram with a Q_Key that is not the receiver's: dropped there, which the sender does not hear of. */
    QKEY(WcStatus.REM_ACCESS_ERR),
    /** An address handle that has been closed. */
    CLOSED_HANDLE(WcStatus.LOC_QP_OP_ERR),
    /** More than a datagram carries. */
    LONG_DATAGRAM(WcStatus.LOC_LEN_ERR),
    MISALIGNED(WcStatus.REM_INV_REQ_ERR),
    NO_QUEUE(WcStatus.REM_INV_REQ_ERR),
    QUEUE_KEY(WcStatus.REM_ACCESS_ERR),
    TOO_LONG(WcStatus.REM_INV_REQ_ERR),
    /** The peer's queue pair does not allow the operation. */
    FORBIDDEN(WcStatus.REM_INV_REQ_ERR);

    final WcStatus status;

    RequestFlaw(WcStatus status) {
        this.status = status;
    }

    boolean fails() {
        return status != WcStatus.SUCCESS;
    }

    /** Whether the peer hears of it. */
    boolean reachesPeer() {
        return status == WcStatus.REM_ACCESS_ERR || status == WcStatus.REM_INV_REQ_ERR;
    }
}

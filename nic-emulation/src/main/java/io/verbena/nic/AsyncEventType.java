package io.verbena.nic;

/** What an {@link AsyncEvent} tells of, as in {@code ibv_get_async_event(3)}. */
public enum AsyncEventType {
    /** A queue pair is in error and cannot complete what it was doing. */
    QP_FATAL,
    /** The responder of a queue pair met a request that is not valid. */
    QP_REQ_ERR,
    /** The responder of a queue pair met a request without the right to what it named. */
    QP_ACCESS_ERR,
    /** The first packet arrived on a queue pair that is in RTR. */
    COMM_EST,
    /** The send queue of a queue pair in SQD has been drained. */
    SQ_DRAINED,
    /** A queue pair in error has taken its last request from a shared receive queue. */
    LAST_WQE_REACHED,
    /** A completion queue has overrun. */
    CQ_ERR,
    /** A shared receive queue is in error. */
    SRQ_ERR,
    /** A shared receive queue has fallen below its limit. */
    SRQ_LIMIT,
    /** The tail of an append queue has crossed its low watermark. */
    AQ_WATERMARK,
    /** A path to a peer NIC came up. */
    PORT_ACTIVE,
    /** The path to a peer NIC is broken or its process has died. */
    PORT_ERR,
    /** The NIC itself has failed. */
    DEVICE_FATAL
}

package io.verbena.nic.verbs;

/** What an {@link AsyncEvent} tells of, as in {@code ibv_get_async_event(3)}, and which kind of object it concerns. */
public enum AsyncEventType {
    /** A queue pair is in error and cannot complete what it was doing. */
    QP_FATAL(Element.QUEUE_PAIR),
    /** The responder of a queue pair met a request that is not valid. */
    QP_REQ_ERR(Element.QUEUE_PAIR),
    /** The responder of a queue pair met a request without the right to what it named. */
    QP_ACCESS_ERR(Element.QUEUE_PAIR),
    /** The first packet arrived on a queue pair that is in RTR. */
    COMM_EST(Element.QUEUE_PAIR),
    /** The send queue of a queue pair in SQD has been drained. */
    SQ_DRAINED(Element.QUEUE_PAIR),
    /** A queue pair in error has taken its last request from a shared receive queue. */
    LAST_WQE_REACHED(Element.QUEUE_PAIR),
    /** A completion queue has overrun. */
    CQ_ERR(Element.COMPLETION_QUEUE),
    /** A shared receive queue is in error: its engine has failed, and no request of it will be taken. */
    SRQ_ERR(Element.SHARED_RECEIVE_QUEUE),
    /** A shared receive queue has fallen below its limit. */
    SRQ_LIMIT(Element.SHARED_RECEIVE_QUEUE),
    /** The free space ahead of an append queue's tail has fallen below its low watermark. */
    AQ_WATERMARK(Element.APPEND_QUEUE),
    /**
     * An append queue is refused memory, by its limit or because there is none, and a sender was answered RNR. Once,
     * until the queue has another chunk.
     */
    AQ_EXHAUSTED(Element.APPEND_QUEUE),
    /**
     * Somebody who has an append queue mapped has written there what is no record, or no place of one: nothing more is
     * taken from it or into it, and it can only be destroyed.
     */
    AQ_ERR(Element.APPEND_QUEUE),
    /** A path to a peer NIC came up. */
    PORT_ACTIVE(Element.PORT),
    /** The path to a peer NIC is broken or its process has died. */
    PORT_ERR(Element.PORT),
    /** An engine of the NIC has failed: its links are closed, its queue pairs are in ERR. */
    DEVICE_FATAL(Element.DEVICE);

    /** The kind of object that an event concerns. */
    public enum Element {
        /** A queue pair, by its number. */
        QUEUE_PAIR("queue pair"),
        /** A completion queue, by its number. */
        COMPLETION_QUEUE("completion queue"),
        /** A shared receive queue, by its number. */
        SHARED_RECEIVE_QUEUE("shared receive queue"),
        /** An append queue, by its id. */
        APPEND_QUEUE("append queue"),
        /** The way to a peer NIC, by that NIC's identity; never destroyed. */
        PORT("port"),
        /** The NIC itself, by the index of the engine; never destroyed. */
        DEVICE("device");

        private final String text;

        Element(String text) {
            this.text = text;
        }

        /** What messages call it. */
        public String text() {
            return text;
        }

        /** Whether objects of this kind are destroyed, and then wait for their events. */
        public boolean isDestroyed() {
            return this != PORT && this != DEVICE;
        }
    }

    private final Element element;

    AsyncEventType(Element element) {
        this.element = element;
    }

    /** The kind of object that it concerns. */
    public Element element() {
        return element;
    }
}

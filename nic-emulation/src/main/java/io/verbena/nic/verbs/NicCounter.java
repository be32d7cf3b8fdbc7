package io.verbena.nic.verbs;

/** What a NIC counts. Written by its engines, readable by any thread. */
public enum NicCounter {
    /** Packets sent. */
    PACKETS_SENT,
    /** Packets received. */
    PACKETS_RECEIVED,
    /** Packets that were dropped for what they were: malformed, for no queue pair, from the wrong peer. */
    PACKETS_REJECTED,
    /**
     * Packets of unreliable transports that were dropped: no link, no receive, a gap before them, a key that does not
     * hold.
     */
    PACKETS_DROPPED,
    /** Datagrams with a Q_Key other than the queue pair's. */
    QKEY_VIOLATIONS,
    /** Requests that came again and were answered from what was saved. */
    DUPLICATE_REQUESTS,
    /** Requests out of sequence. */
    OUT_OF_SEQUENCE,
    /** Answers to nothing that is outstanding. */
    UNEXPECTED_RESPONSES,
    /** Times a requester went back, after a NAK or a timeout. */
    RETRANSMISSIONS,
    /** Times a receiver was not ready, as the requester saw it. */
    RECEIVER_NOT_READY,
    /** Operations executed on a peer's mapped memory. */
    DIRECT_OPERATIONS,
    /** Appends that shared a claim or a packet with the one before them. */
    MERGED_APPENDS,
    /** Completions with a status other than success. */
    ERROR_COMPLETIONS,
    /** Completions that were dropped because their queue has overrun. */
    COMPLETIONS_DROPPED,
    /** Asynchronous events that were dropped because nobody took them. */
    EVENTS_DROPPED,
    /** Management datagrams that were dropped because nobody took them. */
    DATAGRAMS_DROPPED,
    /** Peers that a fabric turned away. */
    LINKS_REJECTED,
    /** Queue pairs that went to ERR because their own work has met an exception. */
    QUEUE_PAIRS_BROKEN,
    /** Links that were closed because their own work has met an exception. */
    LINKS_BROKEN,
    /** Messages in parts that were given up because their senders stood still for long. */
    UNFINISHED_APPENDS,
    /** Appends that had to wait because as many bytes of their sender lie in queues as its quota allows. */
    SENDER_QUOTA_REFUSALS,
    /** Appends that were refused for themselves alone, on queue pairs that many send by. */
    APPENDS_REFUSED,
    /** Times a requester took requests back, so that those behind one that was not taken could go on. */
    TAKEN_BACK,
    /** Mappings that append queues and regions wanted and the memory did not have. */
    MEMORY_EXHAUSTED
}

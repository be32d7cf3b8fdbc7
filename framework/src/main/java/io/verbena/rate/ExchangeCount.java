package io.verbena.rate;

/** What a {@link PriceExchange} counts. */
public enum ExchangeCount {
    /** Steps of what this node sends. */
    REQUEST_STEPS,
    /** Steps of what it takes, each with a new price. */
    COMPLETION_STEPS,
    /** Steps of either kind that were made without an answer of some peer, whose last was used again. */
    STEPS_WITHOUT_ANSWER,
    /** Messages given to the network. */
    SENT,
    /** Messages that the network did not take: the peer has no link. */
    NOT_SENT,
    /** Messages that were believed. */
    RECEIVED,
    /** Messages that came again. */
    DUPLICATE,
    /** Messages that came after a later one of the same peer, or of an epoch that is over. */
    STALE,
    /** Messages of a format or version that is not known, or cut off. */
    MALFORMED,
    /** Messages that say what cannot be. */
    IMPLAUSIBLE,
    /** Messages of whom no connection leads to. */
    NOT_CONNECTED,
    /** Grants that ended because no answer came: what is sent to the peer is bounded by this node alone from there. */
    LEASES_ENDED,
    /** Peers that sent here and were silent for a lease. */
    PEERS_LOST
}

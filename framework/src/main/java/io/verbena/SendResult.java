package io.verbena;

/** What became of a message that was offered. Misuse is an exception; this tells "not now" and "never" from "done". */
public enum SendResult {
    /**
     * The channel has accepted it: the buffer may be reused, and the peer gets the message unless the channel closes
     * with a reason.
     */
    SENT,
    /** Not now: the peer does not keep up, or the link is full. Nothing has changed; try again later. */
    BACK_PRESSURED,
    /** Never: the channel is closed, see {@link Channel#closeReason}. */
    CLOSED
}

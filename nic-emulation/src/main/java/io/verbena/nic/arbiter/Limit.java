package io.verbena.nic.arbiter;

/** What limits a sender that is refused with "not now". A sender that is never refused is its own limit. */
public enum Limit {
    /** The channel's window: all that it may keep has been sent, and waits for the peer's acknowledgements. */
    WINDOW,
    /** The link: work waits for its turn among others, or for room there. */
    LINK,
    /** The receiver: the peer's inbox is full, or it has posted no receive. */
    RECEIVER,
    /** Work waits for what the group's own ceiling, or the flow's own rate, lets it send next. */
    CEILING
}

package io.verbena.nic.arbiter;

/** What kept a group from sending more, when it was told "not now". Where nothing did, its own sender is the limit. */
public enum Limit {
    /** All that its channel may keep was sent and waits for acknowledgements. */
    WINDOW,
    /** Work waits for its turn on the link, or for room there. */
    LINK,
    /** The peer's inbox was full, or it had posted no receive. */
    RECEIVER,
    /** Work waits for the group's own ceiling. */
    CEILING
}

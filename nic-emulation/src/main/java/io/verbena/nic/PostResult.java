package io.verbena.nic;

/** What became of a post. Misuse is an exception; this tells "not now" from "done". */
public enum PostResult {
    /** The request is in the queue. */
    POSTED,
    /** The queue is full; poll completions and try again. Nothing was changed. */
    QUEUE_FULL
}

package io.verbena.nic;

/** What became of a post. Misuse is an exception; this tells "not now" from "done". */
public enum PostResult {
    /** The request is in the queue. */
    POSTED,
    /** The queue is full; poll completions and try again. Nothing has changed. */
    QUEUE_FULL,
    /**
     * Between {@link QueuePair#start} and {@link QueuePair#complete} only: the request can never be executed, and the
     * batch will be refused; {@code complete} says why.
     */
    REFUSED
}

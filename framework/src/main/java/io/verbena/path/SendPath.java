package io.verbena.path;

import io.verbena.nic.PostResult;
import io.verbena.nic.SendRequest;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.verbs.QpState;

/**
 * The way on which requests of one channel or region go to its peer, in the order in which they were posted. Where a
 * request stands in a queue pair's send ring, and whose doorbell is rung for it, is the path's own affair.
 *
 * <p>Posting and flushing are for one thread at a time, the questions for any. Nothing blocks, allocates, or calls the
 * application.
 */
public interface SendPath {
    /**
     * Posts a request. It leaves at once, together with what was enqueued, or with the node's next turn where many
     * share a system call.
     *
     * @return {@link PostResult#QUEUE_FULL} if as many are outstanding as may be; what was enqueued leaves all the same
     * @throws IllegalStateException if the path is closed
     * @throws IllegalArgumentException if the request can never be executed
     */
    PostResult post(SendRequest request);

    /** As {@link #post}, but the request may stay here until {@link #flush}. */
    PostResult enqueue(SendRequest request);

    /**
     * Executes a request at once, whatever its length and that of its inline data; what was enqueued leaves before it.
     *
     * @return whether it was executed; if not (requests are before it, or the peer's memory is not at hand), it may be
     *     posted
     */
    boolean executeNow(SendRequest request);

    /** Lets leave what was enqueued, and what waits for the node's next turn. */
    void flush();

    /** As {@link #flush}, and does a share of the sending where the node's mode lets the caller. */
    void push();

    /** Requests that were posted or enqueued and are not complete. */
    int outstanding();

    /** Requests that may be outstanding. */
    int depth();

    /** Requests that may be outstanding at first, and again after nothing was sent for long. */
    int firstDepth();

    /** Requests up to which more may be outstanding as soon as it is full. */
    int fullDepth();

    /** Lets so many requests be outstanding, a power of two; by the thread that posts. Waits for the engine's turn. */
    void resize(int requests);

    /** Bytes of inline data that a request may carry. */
    int maxInline();

    /** Requests are taken in {@link QpState#RTS} alone; after an error it is {@link QpState#ERR}. */
    QpState state();

    /** What keeps it from sending more, if it does. A hint. */
    Limit limit();

    /**
     * Whether others send to the same peer, and it has nothing left to send: more requests would have their turn now. A
     * hint.
     */
    boolean isStarved();
}

package io.verbena.remote;

import io.verbena.OperationHandler;
import io.verbena.RegionStatistics;
import io.verbena.SendResult;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * How the operations of a remote region get to its peer and end here: {@link DirectOperations}, where each is a request
 * of its own, or those of the package {@code merge}. Ranges, rights and alignment are checked before.
 *
 * <p>How many threads may post, the implementation says. One thread at a time polls, makes progress or releases; the
 * rest is for any thread.
 */
public interface RegionOperations {
    /** Reads to a buffer. */
    SendResult read(
            long offset,
            MutableDirectBuffer target,
            int targetOffset,
            int length,
            long correlationId,
            OperationHandler handler);

    /**
     * Reads to registered memory.
     *
     * @param lasts whether that stays registered until the end, whatever the application does; if not, an error of the
     *     memory must be this operation's alone
     */
    SendResult read(
            long offset,
            int localKey,
            long localOffset,
            boolean lasts,
            int length,
            long correlationId,
            OperationHandler handler);

    /** Writes from a buffer, which has been copied when this returns, unless it is registered. */
    SendResult write(
            long offset,
            DirectBuffer source,
            int sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler);

    /** Writes from registered memory, which must not change until the end; {@code lasts} as when reading. */
    SendResult write(
            long offset,
            int localKey,
            long localOffset,
            boolean lasts,
            int length,
            long correlationId,
            OperationHandler handler);

    /** Replaces 8 bytes if they are as expected. */
    SendResult compareAndSwap(long offset, long expected, long desired, long correlationId, OperationHandler handler);

    /** Adds to 8 bytes. */
    SendResult fetchAndAdd(long offset, long addend, long correlationId, OperationHandler handler);

    /** Runs what posts several operations, none of which leaves before all are there, where there is a queue. */
    void together(Runnable posts);

    /**
     * Calls the handlers of operations that have ended, oldest first. A handler that throws has consumed its operation;
     * the others are told by the next call.
     *
     * @param limit most operations, at least 1
     * @return operations
     */
    int poll(int limit);

    /** Whether {@link #poll} would find something. */
    boolean hasWork();

    /** Operations that were posted and whose handlers were not called yet. */
    long outstanding();

    /** What they were and cost. */
    RegionStatistics statistics();

    /** Whether operations that were accepted were not given to the queue pair yet. */
    boolean holdsUnposted();

    /** Takes what has ended, and gives the queue pair what waits. Calls no handler, and does no work of the node's. */
    void progress();

    /** The connection is over: what waits here ends. */
    void closed();

    /** The queue pair is gone: gives memory back; what has not been told ends as closed. */
    void release();
}

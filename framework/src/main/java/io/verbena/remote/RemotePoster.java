package io.verbena.remote;

import io.verbena.OperationHandler;
import io.verbena.SendResult;
import io.verbena.connection.Connection;
import io.verbena.dispatch.SingleThreadGuard;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.PostResult;
import io.verbena.nic.SendRequest;
import io.verbena.nic.verbs.QpState;
import io.verbena.path.SendPath;
import io.verbena.path.StagingRing;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Posts the operations of a remote region, each with what it reads or writes in its request, in staged memory, or in
 * memory of the application's that is registered.
 *
 * <p>For one thread at a time; a second one is refused.
 */
public final class RemotePoster {
    private final Object region; // for texts
    private final Connection connection;
    private final SendPath path;
    private final PerformanceGroup group;
    private final RemoteOperations operations;
    private final SendRequest request = new SendRequest();
    private final SingleThreadGuard posting = new SingleThreadGuard();

    /**
     * Creates it.
     *
     * @param region that it posts for, for texts
     * @param operations takes what is posted
     * @param group pays for it
     */
    public RemotePoster(Object region, Connection connection, RemoteOperations operations, PerformanceGroup group) {
        this.region = region;
        this.connection = connection;
        this.path = connection.path;
        this.operations = operations;
        this.group = group;
    }

    private void enter() {
        if (!posting.tryEnter()) {
            throw posting.refusal(region, "give each thread that posts a region of its own, see Node.attach");
        }
    }

    /** Reads to a buffer, by way of staged memory. The range is checked. */
    public SendResult read(
            long offset,
            MutableDirectBuffer target,
            int targetOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        enter();
        try {
            if (!isOpen()) {
                return SendResult.CLOSED;
            }
            if (!operations.claim(length)) {
                return refused();
            }
            return postStaged(
                    request.read(connection.peer.regionKey(), offset),
                    length,
                    correlationId,
                    handler,
                    target,
                    targetOffset,
                    length);
        } finally {
            posting.leave();
        }
    }

    /** Reads to registered memory. The range is checked. */
    public SendResult read(
            long offset, int localKey, long localOffset, int length, long correlationId, OperationHandler handler) {
        enter();
        try {
            return postUnstaged(
                    request.read(connection.peer.regionKey(), offset).local(localKey, localOffset, length),
                    correlationId,
                    handler);
        } finally {
            posting.leave();
        }
    }

    /** Writes from a buffer, which has been copied when this returns. The range is checked. */
    public SendResult write(
            long offset,
            DirectBuffer source,
            int sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        enter();
        try {
            return length <= path.maxInline()
                    ? postUnstaged(
                            request.write(connection.peer.regionKey(), offset).inline(source, sourceOffset, length),
                            correlationId,
                            handler)
                    : writeStaged(offset, source, sourceOffset, length, correlationId, handler);
        } finally {
            posting.leave();
        }
    }

    private SendResult writeStaged(
            long offset,
            DirectBuffer source,
            int sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        if (!isOpen()) {
            return SendResult.CLOSED;
        }
        if (!operations.claim(length)) {
            return refused();
        }
        StagingRing staging = operations.staging();
        staging.buffer().putBytes(staging.offset(), source, sourceOffset, length);
        return postStaged(
                request.write(connection.peer.regionKey(), offset), length, correlationId, handler, null, 0, length);
    }

    /** Writes from registered memory. The range is checked. */
    public SendResult write(
            long offset, int localKey, long localOffset, int length, long correlationId, OperationHandler handler) {
        enter();
        try {
            return postUnstaged(
                    request.write(connection.peer.regionKey(), offset).local(localKey, localOffset, length),
                    correlationId,
                    handler);
        } finally {
            posting.leave();
        }
    }

    /** Replaces 8 bytes if they are as expected. The offset is checked. */
    public SendResult compareAndSwap(
            long offset, long expected, long desired, long correlationId, OperationHandler handler) {
        enter();
        try {
            return postAtomic(
                    request.compareSwap(connection.peer.regionKey(), offset, expected, desired),
                    correlationId,
                    handler);
        } finally {
            posting.leave();
        }
    }

    /** Adds to 8 bytes. The offset is checked. */
    public SendResult fetchAndAdd(long offset, long addend, long correlationId, OperationHandler handler) {
        enter();
        try {
            return postAtomic(request.fetchAdd(connection.peer.regionKey(), offset, addend), correlationId, handler);
        } finally {
            posting.leave();
        }
    }

    private SendResult refused() {
        group.statistics().refuse(path.limit());
        return SendResult.BACK_PRESSURED;
    }

    private boolean isOpen() {
        return connection.state == Connection.OPEN && path.state() == QpState.RTS;
    }

    private SendResult postAtomic(SendRequest atomic, long correlationId, OperationHandler handler) {
        if (!isOpen()) {
            return SendResult.CLOSED;
        }
        if (!operations.claim(Long.BYTES)) {
            return refused();
        }
        return postStaged(atomic, Long.BYTES, correlationId, handler, null, 0, RemoteOperations.ATOMIC);
    }

    private SendResult postStaged(
            SendRequest prepared,
            int length,
            long correlationId,
            OperationHandler handler,
            @Nullable MutableDirectBuffer target,
            int targetOffset,
            int resultLength) {
        StagingRing staging = operations.staging();
        prepared.local(staging.key(), staging.offset(), length).wrId(operations.next());
        if (path.enqueue(prepared) != PostResult.POSTED) {
            staging.abort();
            return refused();
        }
        operations.postedStaged(correlationId, handler, target, targetOffset, resultLength);
        path.flush();
        return SendResult.SENT;
    }

    private SendResult postUnstaged(SendRequest prepared, long correlationId, OperationHandler handler) {
        if (!isOpen()) {
            return SendResult.CLOSED;
        }
        if (!operations.hasSlot() || path.enqueue(prepared.wrId(operations.next())) != PostResult.POSTED) {
            return refused();
        }
        operations.posted(correlationId, handler);
        path.flush();
        return SendResult.SENT;
    }
}

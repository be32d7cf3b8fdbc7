package io.verbena.remote;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.RegionStatistics;
import io.verbena.SendResult;
import io.verbena.connection.Connection;
import io.verbena.connection.Connections;
import io.verbena.dispatch.NodeDriver;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.PerformanceGroup;
import io.verbena.path.StagingRing;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Operations that are each a request of its own, posted at once. One thread at a time posts; a second one is refused.
 */
public final class DirectOperations implements RegionOperations {
    private final Connections connections;
    private final Connection connection;
    private final CompletionQueue completions;
    private final NodeDriver driver;
    private final RemoteOperations operations;
    private final RemotePoster poster;
    private final CompletionHandler onCompletion = this::onCompletion;
    private volatile boolean released; // by whoever polls

    /**
     * Creates them.
     *
     * @param region whose they are, for texts
     * @param completions of the connection's requests
     * @param staging is for what they read and write
     * @param group pays for it
     */
    public DirectOperations(
            Object region,
            Connections connections,
            Connection connection,
            CompletionQueue completions,
            StagingRing staging,
            PerformanceGroup group,
            NodeDriver driver) {
        this.connections = connections;
        this.connection = connection;
        this.completions = completions;
        this.driver = driver;
        this.operations = new RemoteOperations(staging, connection.path.depth());
        this.poster = new RemotePoster(region, connection, operations, group);
    }

    @Override
    public SendResult read(
            long offset,
            MutableDirectBuffer target,
            int targetOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        return poster.read(offset, target, targetOffset, length, correlationId, handler);
    }

    @Override
    public SendResult read(
            long offset,
            int localKey,
            long localOffset,
            boolean lasts,
            int length,
            long correlationId,
            OperationHandler handler) {
        return poster.read(offset, localKey, localOffset, length, correlationId, handler);
    }

    @Override
    public SendResult write(
            long offset,
            DirectBuffer source,
            int sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        return poster.write(offset, source, sourceOffset, length, correlationId, handler);
    }

    @Override
    public SendResult write(
            long offset,
            int localKey,
            long localOffset,
            boolean lasts,
            int length,
            long correlationId,
            OperationHandler handler) {
        return poster.write(offset, localKey, localOffset, length, correlationId, handler);
    }

    @Override
    public SendResult compareAndSwap(
            long offset, long expected, long desired, long correlationId, OperationHandler handler) {
        return poster.compareAndSwap(offset, expected, desired, correlationId, handler);
    }

    @Override
    public SendResult fetchAndAdd(long offset, long addend, long correlationId, OperationHandler handler) {
        return poster.fetchAndAdd(offset, addend, correlationId, handler);
    }

    @Override
    public void together(Runnable posts) {
        posts.run();
    }

    @Override
    public int poll(int limit) {
        return released ? endReleased(limit) : completions.poll(onCompletion, Math.min(limit, connection.path.depth()));
    }

    private void onCompletion(Completion completion) {
        if (completion.isSuccess()) {
            end(Outcome.DONE);
        } else {
            connections.failed(connection, completion.status());
            end(Outcome.CLOSED);
        }
    }

    private int endReleased(int limit) {
        int ended = 0;
        while (ended < limit && operations.outstanding() > 0) {
            end(Outcome.CLOSED);
            ended++;
        }
        return ended;
    }

    /** Calls the handler of the oldest operation. */
    private void end(Outcome outcome) {
        boolean entered = driver.enterCallback();
        try {
            operations.end(outcome);
        } finally {
            if (entered) {
                driver.leaveCallback();
            }
        }
    }

    @Override
    public boolean hasWork() {
        return released ? operations.outstanding() > 0 : !completions.isEmpty();
    }

    @Override
    public long outstanding() {
        return operations.outstanding();
    }

    @Override
    public RegionStatistics statistics() {
        long posted = operations.next();
        return new RegionStatistics(posted, posted, posted, 0, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public boolean holdsUnposted() {
        return false;
    }

    @Override
    public void progress() {}

    @Override
    public void closed() {}

    @Override
    public void release() {
        released = true;
        completions.close();
        operations.release();
    }
}

package io.verbena.papers.rima;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.append.AppendHandler;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.sim.Actor;

/**
 * An append queue whose messages lie unread for the service time. How far the tail had come at a time is told by the
 * queue's depth; the consumer polls up to where it was one service time ago.
 */
final class ServedAppendQueue implements ServedQueue {
    private static final AppendHandler SERVED = (buffer, offset, length, qpNumber, immediate, flags) -> {};

    private final AppendQueue queue;
    private final CompletionQueue completions;
    private final long serviceNanos;
    private final ServiceLog log = new ServiceLog();
    private long claimed;
    private long head;
    private long due;
    private long released;

    ServedAppendQueue(IncastWorld world, AppendQueueAttributes attributes, long serviceNanos) {
        queue = world.serverDomain.createAppendQueue(attributes);
        completions = world.server.nic().createCompletionQueue(64);
        this.serviceNanos = serviceNanos;
    }

    @Override
    public int lanes() {
        return 1;
    }

    @Override
    public int laneOf(int length) {
        return 0;
    }

    @Override
    public QueuePairAttributes serverEnd(int lane) {
        return new QueuePairAttributes().completionQueue(completions);
    }

    @Override
    public SendRequest address(SendRequest request) {
        return request.append(queue.id(), queue.key());
    }

    @Override
    public int serve(long now) {
        int work = 0;
        long present = head + queue.depth();
        if (present != claimed) {
            claimed = present;
            log.add(now, present);
            work++;
        }
        while (log.firstNanos() <= now - serviceNanos) {
            due = log.take();
        }
        while (head < due && queue.poll(SERVED, 1) > 0) {
            released++;
            head = claimed - queue.depth();
            work++;
        }
        return work;
    }

    @Override
    public long nextDeadlineNanos() {
        long first = log.firstNanos();
        return first == ServiceLog.NONE ? Actor.NO_DEADLINE : first + serviceNanos;
    }

    @Override
    public long released() {
        return released;
    }

    @Override
    public long activeBytes() {
        return queue.depth();
    }

    @Override
    public long totalBytes() {
        return queue.query().footprint();
    }

    @Override
    public long peakBytes() {
        return queue.query().highWater();
    }
}

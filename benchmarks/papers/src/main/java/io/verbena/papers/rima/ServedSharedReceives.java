package io.verbena.papers.rima;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.SharedReceiveQueue;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.sim.Actor;
import io.verbena.papers.srq.SizeClasses;

/**
 * A shared receive queue for each class of sizes, of buffers of the class' largest size, each of which is posted anew
 * after the service time. All buffers are one and the same memory: there are too many to have them, so what they hold
 * is not looked at, and how much they would be is counted. The reserve is computed, as the paper did it (4, "Measured
 * ... Calculated").
 */
final class ServedSharedReceives implements ServedQueue {
    private final SizeClasses classes;
    private final SharedReceiveQueue[] queues;
    private final CompletionQueue[] completions;
    private final MemoryRegion buffer;
    private final long reserveBytes;
    private final long serviceNanos;
    private final ServiceLog log = new ServiceLog();
    private long now;
    private int lane;
    private long released;
    private long mostActive;

    /**
     * Posts as many receives as the queues hold.
     *
     * @param classes of sizes, a queue each
     * @param reserveBytes computed for {@link #totalBytes}
     */
    ServedSharedReceives(IncastWorld world, SizeClasses classes, long reserveBytes, long serviceNanos) {
        this.classes = classes;
        this.reserveBytes = reserveBytes;
        this.serviceNanos = serviceNanos;
        queues = new SharedReceiveQueue[classes.count()];
        completions = new CompletionQueue[classes.count()];
        buffer = world.serverDomain.allocate((int) classes.max(), Access.LOCAL_WRITE);
        for (int i = 0; i < queues.length; i++) {
            queues[i] = world.serverDomain.createSharedReceiveQueue(SharedReceiveQueue.MAX_DEPTH, 1);
            completions[i] = world.server.nic().createCompletionQueue(2 * SharedReceiveQueue.MAX_DEPTH);
            for (int j = 0; j < queues[i].depth(); j++) {
                post(i);
            }
        }
    }

    private void post(int to) {
        SharedReceiveQueue queue = queues[to];
        PostResult result = queue.postReceive(0, buffer.key(), 0, (int) classes.limit(to));
        if (result != PostResult.POSTED) {
            throw new IllegalStateException(result + " with " + queue.size() + " of " + queue.depth() + " posted");
        }
    }

    @Override
    public int lanes() {
        return queues.length;
    }

    @Override
    public int laneOf(int length) {
        return classes.classOf(length);
    }

    @Override
    public QueuePairAttributes serverEnd(int of) {
        return new QueuePairAttributes().completionQueue(completions[of]).sharedReceiveQueue(queues[of]);
    }

    @Override
    public SendRequest address(SendRequest request) {
        return request.send();
    }

    @Override
    public int serve(long time) {
        now = time;
        int work = 0;
        for (lane = 0; lane < queues.length; lane++) {
            work += completions[lane].poll(this::arrived, Integer.MAX_VALUE);
        }
        while (log.firstNanos() <= time - serviceNanos) {
            post((int) log.take());
            released++;
            work++;
        }
        mostActive = Math.max(mostActive, activeBytes());
        return work;
    }

    private void arrived(Completion completion) {
        if (!completion.isSuccess()) {
            throw new IllegalStateException("a receive failed: " + completion);
        }
        log.add(now, lane);
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
        long bytes = 0;
        for (int i = 0; i < queues.length; i++) {
            bytes += (queues[i].depth() - (long) queues[i].size()) * classes.limit(i);
        }
        return bytes;
    }

    @Override
    public long totalBytes() {
        return activeBytes() + reserveBytes;
    }

    @Override
    public long peakBytes() {
        return mostActive + reserveBytes;
    }
}

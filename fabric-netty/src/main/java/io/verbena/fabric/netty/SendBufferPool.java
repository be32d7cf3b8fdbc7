package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.verbena.nic.port.LogRateLimiter;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The send buffers of one link that are not in use, and how many more there may be.
 *
 * <p>Concurrency: {@link #take} and {@link #hasReturned} by the baton holder, {@link #giveBack} by the loop's owner;
 * {@link #freeReturned} by either.
 */
final class SendBufferPool {
    private static final Logger LOG = LoggerFactory.getLogger(LinkSender.class);
    private static final LogRateLimiter REPORTS = new LogRateLimiter();

    private final Channel channel;
    private final int bufferLength;
    private final int maxBuffers;
    private final SpscVarHandleArrayQueue<SendBuffer> free;
    private int allocated; // of the baton holder

    SendBufferPool(Channel channel, int bufferLength, int maxBuffers) {
        this.channel = channel;
        this.bufferLength = bufferLength;
        this.maxBuffers = maxBuffers;
        this.free = new SpscVarHandleArrayQueue<>(maxBuffers + 1);
    }

    /**
     * An empty buffer.
     *
     * @param window that it is for
     * @param left buffers that must be left after that
     * @return null if there are not so many, or no memory
     */
    @Nullable
    SendBuffer take(LinkSender window, int left) {
        if (free.size() + maxBuffers - allocated <= left) {
            return null;
        }
        SendBuffer next = free.poll();
        if (next == null) {
            return allocate(window);
        }
        next.reuse();
        return next;
    }

    /** Another buffer; null if there is no memory for one: what was to be sent waits for one that comes back. */
    private @Nullable SendBuffer allocate(LinkSender window) {
        try {
            SendBuffer buffer = SendBuffer.allocate(window, bufferLength);
            allocated++;
            return buffer;
        } catch (OutOfMemoryError e) {
            long leftOut = REPORTS.ask(System.nanoTime());
            if (leftOut >= 0) {
                LOG.error(
                        "no direct memory for a send buffer of {} bytes to {}, which has {}; "
                                + "raise -XX:MaxDirectMemorySize; {} such"
                                + " lines left out",
                        bufferLength,
                        channel.remoteAddress(),
                        allocated,
                        leftOut,
                        e);
            }
            return null;
        }
    }

    /** Whether a buffer has come back that nobody has taken again. */
    boolean hasReturned() {
        return !free.isEmpty();
    }

    /** A buffer is not in use any more. */
    void giveBack(SendBuffer buffer) {
        free.offer(buffer); // there is room for all buffers that exist
    }

    /** Frees what has come back. */
    synchronized void freeReturned() {
        for (SendBuffer buffer = free.poll(); buffer != null; buffer = free.poll()) {
            buffer.free();
        }
    }
}

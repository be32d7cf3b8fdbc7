package io.verbena.fabric.netty;

import io.netty.channel.EventLoop;
import java.util.concurrent.atomic.AtomicBoolean;

/** Work for an event loop that is queued once, however often it is asked for before it runs. */
final class LoopTask implements Runnable {
    private final EventLoop loop;
    private final Runnable work;
    private final AtomicBoolean asked = new AtomicBoolean();

    LoopTask(EventLoop loop, Runnable work) {
        this.loop = loop;
        this.work = work;
    }

    /**
     * Queues the work, if it is not queued. Any thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the loop is closed
     */
    void ask() {
        if (asked.compareAndSet(false, true)) {
            loop.execute(this);
        }
    }

    /** Asked for from here on, it runs again: what comes while it works is not missed. */
    @Override
    public void run() {
        asked.set(false);
        work.run();
    }
}

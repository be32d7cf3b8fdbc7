package io.verbena.papers.drum;

import io.verbena.nic.Completion;
import io.verbena.nic.SendRequest;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import io.verbena.papers.figures.Samples;
import java.util.ArrayDeque;

/**
 * The loop of DRUM's II-C, on a thread of its own: post a batch of {@code wr_num} requests of which the last is
 * signaled, ring, and post the next for each completion that is polled.
 */
final class RequestLoop implements SimTask {
    private final DrumWorld world;
    private final HostQueuePair qp;
    private final HostCompletionQueue completions;
    private final SendRequest silent;
    private final SendRequest last;
    private final int batch;
    private final int ahead;
    private final long pollNanos;
    private final ArrayDeque<Long> posted = new ArrayDeque<>();
    private final Samples samples = new Samples();
    private int underWay;

    /**
     * A loop that has not started.
     *
     * @param qp with room for all batches under way
     * @param completions of this queue pair alone
     * @param silent what is posted, unsignaled
     * @param last the same, signaled
     * @param batch requests in a batch, at least 1
     * @param ahead batches under way, at least 1
     * @param pollNanos rest after a poll
     */
    RequestLoop(
            DrumWorld world,
            HostQueuePair qp,
            HostCompletionQueue completions,
            SendRequest silent,
            SendRequest last,
            int batch,
            int ahead,
            long pollNanos) {
        this.world = world;
        this.qp = qp;
        this.completions = completions;
        this.silent = silent.signaled(false);
        this.last = last.signaled(true);
        this.batch = batch;
        this.ahead = ahead;
        this.pollNanos = pollNanos;
    }

    @Override
    public void step(SimThread self) {
        if (underWay < ahead) {
            underWay++;
            posted.add(world.now());
            for (int i = 1; i < batch; i++) {
                qp.post(self, silent);
            }
            qp.post(self, last);
            qp.doorbell(self);
            return;
        }
        completions.poll(self, this::finished, 1);
        self.run(pollNanos);
    }

    private void finished(Completion completion) {
        if (!completion.isSuccess()) {
            throw new IllegalStateException("a request failed: " + completion.status());
        }
        underWay--;
        samples.add(world.now() - posted.remove());
    }

    /** Counts from now on. */
    void record() {
        samples.clear();
    }

    /** Of batches, from the first post to the completion. */
    Samples samples() {
        return samples;
    }

    /** Requests that have completed since {@link #record}. */
    long requests() {
        return (long) samples.size() * batch;
    }
}

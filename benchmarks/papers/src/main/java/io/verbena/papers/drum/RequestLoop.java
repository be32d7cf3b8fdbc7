package io.verbena.papers.drum;

import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import io.verbena.papers.figures.Samples;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.IntSupplier;

/**
 * The loop of DRUM's II-C, on a thread of its own: post a batch of {@code wr_num} requests of which the last is
 * signaled, ring, and post the next for each completion that is polled.
 */
final class RequestLoop implements SimTask {
    private final DrumWorld world;
    private final Connection connection;
    private final IntSupplier sizes;
    private final int batch;
    private final int ahead;
    private final long pollNanos;
    private final ArrayDeque<Long> posted = new ArrayDeque<>();
    private final Samples samples = new Samples();
    private int underWay;

    /**
     * A loop that has not started, of requests that are all of the same size.
     *
     * @param connection with room for all batches under way
     * @param bytes of a request
     * @param batch requests in a batch, at least 1
     * @param ahead batches under way, at least 1
     * @param pollNanos rest after a poll
     */
    RequestLoop(DrumWorld world, Connection connection, int bytes, int batch, int ahead, long pollNanos) {
        this(world, connection, () -> bytes, batch, ahead, pollNanos);
    }

    /** The same with a size for each request. */
    RequestLoop(DrumWorld world, Connection connection, IntSupplier sizes, int batch, int ahead, long pollNanos) {
        this.world = world;
        this.connection = connection;
        this.sizes = sizes;
        this.batch = batch;
        this.ahead = ahead;
        this.pollNanos = pollNanos;
    }

    @Override
    public void step(SimThread self) {
        if (underWay < ahead) {
            underWay++;
            posted.add(world.now());
            int[] next = new int[batch];
            Arrays.setAll(next, each -> sizes.getAsInt());
            connection.post(self, next);
            return;
        }
        connection.poll(self, this::finished);
        self.run(pollNanos);
    }

    private void finished() {
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

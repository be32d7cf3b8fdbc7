package io.verbena.papers.rima;

import io.verbena.nic.sim.Actor;
import java.util.ArrayList;
import java.util.List;

/** One queue under one load, looked at each epoch (5.1.1: every 2048 messages). */
final class QueueRun {
    /** Messages from one look to the next. */
    static final int EPOCH = 2048;

    /**
     * Messages that are in the queue in the paper's steady state, which is where its service time comes from (5.1.1).
     */
    static final int MESSAGES = 16_800;

    /** In turns so long the NICs and the consumer look at what has come; the service time is hundreds of them. */
    private static final long TURN_NANOS = 1_000;

    private static final long LIMIT_NANOS = 1_000_000_000L;
    private static final double STEADY = 0.95;

    /** What a queue looked like at the end of an epoch. */
    record Epoch(long nanos, long messages, long activeBytes, long totalBytes) {}

    /**
     * What came out.
     *
     * @param epochs each, in order
     * @param messagesPerSecond arrived, in the second half
     * @param meanBytes of a message
     * @param messages in the queue, mean of the second half
     * @param active bytes of messages in the queue, mean of the second half
     * @param total bytes of the queue, mean of the second half
     * @param peak most bytes of the queue at a time
     * @param transientEpochs until the queue held 95 % of that for the first time
     * @param notReady times that a sender was told to come again
     */
    record Result(
            List<Epoch> epochs,
            double messagesPerSecond,
            double meanBytes,
            double messages,
            double active,
            double total,
            long peak,
            int transientEpochs,
            long notReady) {}

    private QueueRun() {}

    /**
     * Runs until so many epochs of messages have arrived.
     *
     * @param world with its clients
     * @param queue at the server
     * @param load on the clients
     */
    static Result run(IncastWorld world, ServedQueue queue, Load load, int count) {
        List<Epoch> epochs = new ArrayList<>();
        world.turnCost(TURN_NANOS);
        world.simulation.add("load", load);
        world.simulation
                .add("consumer", new Actor() {
                    @Override
                    public int step() {
                        long now = world.simulation.nowNanos();
                        int work = queue.serve(now);
                        long arrived = load.arrived();
                        while (arrived >= (epochs.size() + 1L) * EPOCH) {
                            epochs.add(new Epoch(
                                    now, arrived - queue.released(), queue.activeBytes(), queue.totalBytes()));
                        }
                        return work;
                    }

                    @Override
                    public long nextDeadlineNanos() {
                        return queue.nextDeadlineNanos();
                    }
                })
                .turnCost(TURN_NANOS);
        world.simulation.runUntil(() -> epochs.size() >= count, LIMIT_NANOS);
        return result(epochs, queue, load, world);
    }

    private static Result result(List<Epoch> epochs, ServedQueue queue, Load load, IncastWorld world) {
        int half = epochs.size() / 2;
        double messages = 0;
        double active = 0;
        double total = 0;
        for (Epoch epoch : epochs.subList(half, epochs.size())) {
            messages += epoch.messages;
            active += epoch.activeBytes;
            total += epoch.totalBytes;
        }
        int steady = epochs.size() - half;
        messages /= steady;
        int transientEpochs = 0;
        while (epochs.get(transientEpochs).messages < STEADY * messages) {
            transientEpochs++;
        }
        long span = epochs.get(epochs.size() - 1).nanos - epochs.get(half - 1).nanos;
        return new Result(
                List.copyOf(epochs),
                (double) steady * EPOCH / span * 1e9,
                load.meanBytes(),
                messages,
                active / steady,
                total / steady,
                queue.peakBytes(),
                transientEpochs,
                world.notReady());
    }
}

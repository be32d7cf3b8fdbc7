package io.verbena.papers.drum;

import io.verbena.papers.figures.Samples;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections that all do the same, in applications of {@link SharedNic#MULTIPLEXED}, each on a thread of its own.
 *
 * @param connections of the host
 * @param bytes of each request, which is a WRITE
 * @param batch requests in a batch
 * @param ahead batches that each connection has under way
 * @param lookNanos rest of a thread after a poll
 */
record EvenLoad(int connections, int bytes, int batch, int ahead, long lookNanos) {
    /**
     * What came of it.
     *
     * @param samples of batches
     * @param perSecond requests a second of each connection
     */
    record Run(Samples samples, List<Double> perSecond) {
        /** Million requests a second of all. */
        double mops() {
            return perSecond.stream().mapToDouble(each -> each).sum() / 1e6;
        }

        /** The rate that so many in a hundred connections have at least. */
        double reachedBy(int percent) {
            return perSecond.stream().sorted().toList().get(perSecond.size() * (100 - percent) / 100);
        }
    }

    /**
     * Runs it.
     *
     * @param capacity requests a second that the NIC takes
     * @param multiplexed connections a queue pair, where they are shared
     * @param warmUpNanos before anything is counted
     * @param nanos for which it is counted
     */
    Run run(long seed, Way way, double capacity, int multiplexed, long warmUpNanos, long nanos) {
        SharedNic nic = new SharedNic(seed, way, connections, capacity, multiplexed);
        List<RequestLoop> loops = new ArrayList<>();
        SharedNic.Application application = null;
        for (int i = 0; i < connections; i++) {
            if (application == null || i % SharedNic.MULTIPLEXED == 0) {
                application = nic.application("application" + i);
            }
            loops.add(nic.start(application, () -> bytes, batch, ahead, lookNanos));
        }
        nic.world.simulation.runFor(warmUpNanos);
        loops.forEach(RequestLoop::record);
        nic.world.simulation.runFor(nanos);
        Samples samples = new Samples();
        List<Double> perSecond = new ArrayList<>();
        for (RequestLoop loop : loops) {
            samples.addAll(loop.samples());
            perSecond.add(loop.requests() * 1e9 / nanos);
        }
        return new Run(samples, perSecond);
    }
}

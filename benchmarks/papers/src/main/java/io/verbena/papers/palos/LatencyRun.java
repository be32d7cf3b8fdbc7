package io.verbena.papers.palos;

import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.papers.figures.PaperFigure.Size;

/** A flow of small messages, one after the other, beside large flows of the same group (II-B, V-A). */
final class LatencyRun {
    private static final long WARM_UP_NANOS = 200_000;
    private static final long FULL_NANOS = 5_000_000;
    private static final long QUICK_NANOS = 1_000_000;
    private static final long REST_NANOS = 2_000;
    private static final int LARGE_DEPTH = 4;

    private final long seed;
    private final Size size;
    private final Frames frames;
    private final Disciplines disciplines;

    LatencyRun(long seed, Size size, Frames frames, Disciplines disciplines) {
        this.seed = seed;
        this.size = size;
        this.frames = frames;
        this.disciplines = disciplines;
    }

    /**
     * Runs it.
     *
     * @param trafficClass of the small flow, where the discipline knows classes
     * @param largeFlows beside it
     */
    LatencyProbe.Latency run(Discipline discipline, TrafficClass trafficClass, int largeFlows) {
        PalosWorld world = new PalosWorld(seed, disciplines.settings(discipline, frames, largeFlows + 1), frames);
        PalosWorld.Tenant tenant = world.tenant("all", 1);
        LatencyProbe probe = world.probe(tenant, trafficClass, PalosWorld.SMALL, REST_NANOS);
        for (int i = 0; i < largeFlows; i++) {
            world.flow(tenant, 1, LARGE_DEPTH, PalosWorld.LARGE);
        }
        world.measure(WARM_UP_NANOS, size == Size.FULL ? FULL_NANOS : QUICK_NANOS, probe::record);
        return probe.latency();
    }
}

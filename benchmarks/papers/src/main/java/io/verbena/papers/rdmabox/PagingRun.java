package io.verbena.papers.rdmabox;

import io.verbena.Merging;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.RegionOptions;
import io.verbena.RegionStatistics;
import io.verbena.RemoteRegion;
import io.verbena.SharedRegion;
import io.verbena.bench.Latency;
import io.verbena.verification.Waits;
import io.verbena.verification.fabric.SocketDirectory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;

/** Threads that page to another node, over a Unix-domain socket within this process, by each way of batching. */
final class PagingRun implements AutoCloseable {
    /** Compared with each other, the first is what the others are compared with. */
    static final List<Merging> WAYS = List.of(Merging.SINGLE, Merging.DOORBELL, Merging.MERGE, Merging.HYBRID);

    private static final int CLUSTERS = 1024;
    private static final int LENGTH = CLUSTERS * PagingThread.CLUSTER * PagingThread.PAGE;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final SocketDirectory directory;
    private final Node server;
    private final Node client;
    private final List<RemoteRegion> regions = new ArrayList<>(); // as WAYS
    private final PageChoice choice;
    private final int threads;
    private final int cluster;
    private long seed;

    /**
     * What came of a while.
     *
     * @param faults a second
     * @param latency of a fault
     * @param operations page requests
     * @param workRequests posted for them
     * @param doorbells rung for these
     */
    record Result(double faults, Latency latency, long operations, long workRequests, long doorbells) {}

    /**
     * Launches both nodes, and attaches a region for each way.
     *
     * @param cluster pages of a fault, 1 to {@value PagingThread#CLUSTER}
     * @param window bytes that may be under way, of all threads
     */
    PagingRun(int threads, int cluster, long window, long seed) throws IOException {
        this.threads = threads;
        this.cluster = cluster;
        this.seed = seed;
        choice = new PageChoice(CLUSTERS, seed);
        directory = new SocketDirectory();
        server = Node.launch(new NodeContext());
        client = Node.launch(new NodeContext());
        SharedRegion shared = server.share("pages", LENGTH);
        UnsafeBuffer memory = new UnsafeBuffer(shared.buffer());
        for (int page = 0; page < CLUSTERS * PagingThread.CLUSTER; page++) {
            PagingThread.mark(memory, page, page);
        }
        String address = server.listen("uds:" + directory.socket()) + "/pages";
        for (Merging way : WAYS) {
            regions.add(client.attach(address, new RegionOptions().merge(way).window(window), PATIENCE)
                    .pollOnNode());
        }
    }

    /** Pages for so long. */
    Result run(Merging way, double writes, long nanos) {
        RemoteRegion region = regions.get(WAYS.indexOf(way));
        RegionStatistics before = region.statistics();
        long begin = System.nanoTime();
        List<PagingThread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            PagingThread thread = new PagingThread(region, choice, cluster, writes, seed++, begin + nanos);
            running.add(thread);
            thread.start();
        }
        Histogram faults = new Histogram(3);
        try {
            for (PagingThread each : running) {
                faults.add(each.faults());
            }
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        RegionStatistics after = region.statistics();
        return new Result(
                faults.getTotalCount() / seconds,
                Latency.of(faults),
                after.operations() - before.operations(),
                after.workRequests() - before.workRequests(),
                after.doorbells() - before.doorbells());
    }

    @Override
    public void close() {
        client.close();
        server.close();
        directory.close();
    }
}

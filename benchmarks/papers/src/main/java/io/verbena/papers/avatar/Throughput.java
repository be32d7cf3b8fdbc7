package io.verbena.papers.avatar;

import io.verbena.papers.figures.PaperFigure.Size;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages a second of threads that send as fast as they can, counted where they are handed over.
 *
 * @param way how their connections get at queue pairs
 * @param threads of the application
 * @param connections of all threads together, a multiple of them
 * @param bytes of a message
 * @param depth messages of a connection under way
 */
record Throughput(Way way, int threads, int connections, int bytes, int depth) {
    private static final int SIGNAL_EVERY = 8;
    private static final long WARM_UP_NANOS = 100_000;
    private static final long WARM_UP_A_CONNECTION = 1_000; // for what each begins with
    private static final long FULL_NANOS = 1_000_000;
    private static final long QUICK_NANOS = 100_000;

    /** Threads with a connection each, which is what a queue pair behind a lock is compared by. */
    static Throughput ofThreads(Way way, int threads, int bytes) {
        return new Throughput(way, threads, threads, bytes, 4 * SIGNAL_EVERY);
    }

    /** Runs. Returns millions a second. */
    double mops(long seed, Size size) {
        AvatarWorld world = new AvatarWorld(seed, threads + 1, connections, bytes, way.isShared());
        Sharing sharing = new Sharing(world, way, depth < SIGNAL_EVERY ? 1 : SIGNAL_EVERY);
        List<List<Connection>> own = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            own.add(new ArrayList<>());
        }
        for (int i = 0; i < connections; i++) {
            own.get(i % threads).add(sharing.connect(false));
        }
        sharing.start();
        own.forEach(each -> world.cores.start("sender", new MessageLoop(each, bytes, depth)));
        world.simulation.runFor(WARM_UP_NANOS + connections * WARM_UP_A_CONNECTION);
        long before = world.receiver.messages();
        long nanos = size == Size.FULL ? FULL_NANOS : QUICK_NANOS;
        world.simulation.runFor(nanos);
        return (world.receiver.messages() - before) * 1e3 / nanos;
    }
}
